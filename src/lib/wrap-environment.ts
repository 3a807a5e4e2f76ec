import type { Environment } from "../contract/environment.ts";
import { oncePerObject } from "./once-per-object.ts";

/** Every member of Environment, so that one added later cannot be forgotten here. */
const members: Readonly<Record<keyof Environment, "value" | "method">> = {
  workspace: "value",
  recovered: "value",
  confinement: "value",
  realPath: "method",
  info: "method",
  readFile: "method",
  readBytes: "method",
  readLines: "method",
  writeFile: "method",
  delete: "method",
  move: "method",
  change: "method",
  state: "method",
  changeEntry: "method",
  modifiedTimes: "method",
  snapshot: "method",
  openDirectory: "method",
  ignoreFilesOutside: "method",
  sandbox: "method",
  start: "method",
  exchange: "method",
  close: "method",
};

const names = Object.keys(members) as readonly (keyof Environment)[];

export const environmentMethods: readonly (keyof Environment)[] = names.filter(
  (name) => members[name] === "method",
);

/**
 * `inner` with some members replaced. A method that `inner` does not have stays missing, even when it is overridden, so
 * that a wrapped environment has exactly the abilities of the inner one. Overrides must not use `this`.
 *
 * Every call wraps its environment, so only the overrides are copied; the other members are looked up when they are used.
 */
export function wrapEnvironment(inner: Environment, overrides: Partial<Environment>): Environment {
  const wrapped = Object.create(wrappers.has(inner) ? inner : passingOn(inner));
  for (const [name, value] of Object.entries(overrides)) {
    const isAble = typeof inner[name as keyof Environment] === "function" && value !== undefined;
    if (isAble || members[name as keyof Environment] === "value")
      Object.defineProperty(wrapped, name, { value });
  }
  wrappers.add(wrapped);
  return wrapped;
}

/** Wrapped environments: their methods do not use `this`. */
const wrappers = new WeakSet<object>();

/** An object with the current members of an environment; its methods are bound to the environment, each once. */
const passingOn = oncePerObject((inner: Environment) => {
  const known = new Map<unknown, unknown>();
  const bound = (value: unknown) => {
    if (typeof value !== "function") return value;
    if (!known.has(value)) known.set(value, value.bind(inner));
    return known.get(value);
  };
  const getters = names.map((name) => [name, { get: () => bound(inner[name]) }]);
  return Object.defineProperties({}, Object.fromEntries(getters));
});
