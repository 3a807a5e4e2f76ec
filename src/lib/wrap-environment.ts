import type { Environment } from "../contract/environment.ts";

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
 * that a wrapped environment has exactly the abilities of the inner one.
 */
export function wrapEnvironment(inner: Environment, overrides: Partial<Environment>): Environment {
  const wrapped: Record<string, unknown> = {};
  for (const name of names) {
    const value = inner[name];
    if (typeof value === "function") wrapped[name] = overrides[name] ?? value.bind(inner);
    else if (members[name] === "value") wrapped[name] = name in overrides ? overrides[name] : value;
  }
  return wrapped as unknown as Environment;
}
