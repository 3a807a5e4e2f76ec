import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { isTarget, parseTarget } from "../environment/remote/target.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { printableLine } from "../lib/text/printable.ts";
import { shellQuote } from "../lib/text/shell-quote.ts";
import { realWorkspace } from "../system/directories.ts";
import type { ToolcribOptions } from "./options.ts";

type PlaceOptions = Pick<
  ToolcribOptions,
  "workspace" | "target" | "environment" | "backend" | "wrapEnvironment" | "extraRoots"
>;

/** Whether the workspace is not on this machine. Then nothing is read, written or started here. */
export function isElsewhere({ target, environment, backend }: PlaceOptions): boolean {
  return target !== undefined || environment !== undefined || backend !== undefined;
}

/** Returns the normalized name of a target, such as `ssh:host:/srv/app`. */
export function targetName(target: NonNullable<ToolcribOptions["target"]>): string {
  return parseTarget(typeof target === "string" ? target : target.name).name;
}

/**
 * Names a workspace in the state and config directories: history, approvals and grants of a workspace elsewhere must
 * not mix with those of another one that happens to have the same path. A local workspace is named by its real path.
 */
export function workspaceId(options: PlaceOptions): string {
  const { target, environment, backend, workspace = process.cwd() } = options;
  // Known without a connection: the log can be read while the machine is off.
  if (target !== undefined) return targetName(target);
  if (backend !== undefined) return `${checkedPlace(backend.name, "backend")}:${backend.workspace}`;
  if (environment === undefined) return realWorkspace(workspace);
  const { name = unnamed.get(environment) ?? newIdentifier("unnamed") } = environment;
  if (environment.name === undefined) unnamed.set(environment, name);
  return `environment:${checkedPlace(name, "environment")}:${environment.workspace}`;
}

/** The names of environments that have none. */
const unnamed = new WeakMap<Environment, string>();

/**
 * A name that begins like a path, or contains the separator and one, could be taken for another workspace, and a backend
 * that is named like a target for that target.
 */
function checkedPlace(name: unknown, option: "backend" | "environment"): string {
  const isPlain = typeof name === "string" && /^(?!\/)(?!.*:\/)[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u.test(name);
  if (isPlain && (option === "environment" || !isTarget(name))) return name;
  throw new ToolError("invalid-input", `The \`name\` of the ${option} cannot be used`, {
    hint: 'Name the machine or service, without a path: name: "e2b:i7x2"',
  });
}

/** Returns the environment of a workspace elsewhere; undefined for this machine. Refuses options that contradict it. */
export async function environmentElsewhere(
  options: PlaceOptions,
  connect: (target: NonNullable<ToolcribOptions["target"]>) => Promise<Environment>,
): Promise<Environment | undefined> {
  const places = (["target", "environment", "backend", "wrapEnvironment"] as const).filter(
    (name) => options[name] !== undefined,
  );
  const others = (["extraRoots", "workspace"] as const).filter((name) => options[name] !== undefined);
  if (places.length > 1) throw contradicting(places);
  if (!isElsewhere(options)) return undefined;
  if (others.length > 0) throw contradicting([...places, ...others]);
  const { target, backend, environment } = options;
  if (target !== undefined) return connect(target);
  if (backend === undefined) return checkedEnvironment(environment!, places[0]!);
  const { environmentOf } = await import("../environment/backend/backend-environment.ts");
  return environmentOf(backend);
}

function contradicting(names: readonly string[]): ToolError {
  const listed = names.map((name) => `\`${name}\``).join(" and ");
  return new ToolError("invalid-input", `The options ${listed} cannot be combined`, {
    hint: "Leave out one of them. The workspace of a target, an environment or a backend is its own.",
  });
}

/** Wraps the environment of this machine as the option says. It must keep the sandbox. */
export function wrapLocal(local: Environment, wrap: ToolcribOptions["wrapEnvironment"]): Environment {
  if (wrap === undefined) return local;
  const wrapped = checkedEnvironment(wrap(local), "wrapEnvironment");
  if (wrapped.workspace !== local.workspace) throw notWrapped("of another workspace");
  if (local.sandbox && wrapped.sandbox === undefined) throw notWrapped("without the sandbox");
  return wrapped;
}

/** Refuses a wrapper that confines nothing where this machine confines commands, such as a new local environment. */
export async function requireSameSandbox(local: Environment, wrapped: Environment): Promise<void> {
  if ((await wrapped.sandbox?.())?.level !== "none") return;
  if ((await local.sandbox?.())?.level !== "none") throw notWrapped("without the sandbox");
}

function notWrapped(what: string): ToolError {
  return new ToolError("invalid-input", `\`wrapEnvironment\` returned an environment ${what}`, {
    hint: "Return overrideEnvironment(local, { … }), which keeps everything that you do not override.",
  });
}

/** Reports a mistake of the programmer when the instance opens. */
function checkedEnvironment(environment: Environment, option: string): Environment {
  const missing = required.filter((name) => typeof environment?.[name] !== "function");
  if (missing.length === 0 && typeof environment.workspace === "string") return environment;
  const what = missing.length === 0 ? "`workspace`" : `method ${missing.join(", ")}`;
  throw new ToolError("invalid-input", `The environment of \`${option}\` has no ${what}`, {
    hint:
      option === "wrapEnvironment"
        ? "Return overrideEnvironment(local, { … }): a copy made with { ...local } loses methods."
        : "Implement `Backend`, which is much smaller, and pass it as `backend`.",
  });
}

const required = [
  ...(["realPath", "info", "readFile", "readBytes", "readLines", "writeFile", "delete", "move"] as const),
  ...(["change", "state", "changeEntry", "modifiedTimes", "openDirectory", "start", "close"] as const),
] as const;

/** Returns one sentence for the user about what a target lacks, or undefined. */
export async function describeMissing(environment: Environment): Promise<string | undefined> {
  const { machine, name = "The target" } = environment;
  if (machine === undefined) return undefined;
  const programs = machine.missing.map((program) => `${program} (${lostWithout[program]})`);
  const level = (await environment.sandbox?.().catch(() => undefined))?.level;
  const lacks =
    level === "landlock" ? [...programs, "a working bubblewrap (Landlock enforces less)"] : programs;
  if (lacks.length === 0) return undefined;
  return printableLine(
    `${name} lacks ${lacks.join(", ")}. To see how to fix it: toolcrib doctor --target ${shellQuote(name)}`,
  );
}

const lostWithout = { git: "the git tools fail", bash: "commands run in sh" } as const;

/**
 * Refuses an environment that runs commands without a sandbox, unless the program has said that this is wanted. Returns
 * a warning for the user when it has.
 */
export async function requireSandbox(
  environment: Environment,
  { sandbox, target }: Pick<ToolcribOptions, "sandbox" | "target">,
): Promise<string | undefined> {
  if (environment.runsPrograms === false) return undefined;
  const report = await environment.sandbox?.();
  if (report !== undefined && report.level !== "none") return undefined;
  if (sandbox === "none")
    return "Commands are not sandboxed: the environment of this workspace does not confine them.";
  if (target !== undefined) throw noSandboxOn(targetName(target), report?.missing ?? []);
  throw new ToolError("unavailable", "This environment runs commands without a sandbox", {
    hint:
      'To run them unconfined, pass sandbox: "none". ' +
      "To change how files of this machine are used, keep its sandbox: wrapEnvironment: (local) => overrideEnvironment(local, { … })",
  });
}

function noSandboxOn(target: string, missing: readonly string[]): ToolError {
  const reasons = missing.map((reason) => ` ${printableLine(reason)}`).join("");
  return new ToolError("unavailable", `${target} has no sandbox for commands.${reasons}`, {
    hint: 'To run commands there unconfined, pass sandbox: "none".',
    forUser: { hint: "To run commands there unconfined: --sandbox none" },
  });
}
