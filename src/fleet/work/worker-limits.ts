import { ToolError } from "../../contract/error.ts";
import { escapeRegex } from "../../lib/text/escape-regex.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { PolicyMode } from "../../policy/policy.ts";
import type { SandboxSetting } from "../../toolcrib/options.ts";
import type { RunSpec } from "../fleet.ts";

/** The rules of a worker. The spec of a run can tighten them, never loosen them. */
export interface WorkerLimits {
  /** The loosest mode of its runs. Default: `cautious`. */
  readonly mode?: PolicyMode | undefined;
  readonly rules?: readonly string[] | undefined;
  readonly sandbox?: SandboxSetting | undefined;
  /** Whether runs may have a limit of cost with a model without a known price, which it cannot limit. */
  readonly allowUnpriced?: boolean | undefined;
  /** Patterns of targets, besides `local`: `image:*`, `ssh:build:**`. */
  readonly allowTargets?: readonly string[] | undefined;
  /** Patterns of repositories. Default: every URL, and no path of this machine. */
  readonly allowRepositories?: readonly string[] | undefined;
}

/** Returns the options of the session of a run. Throws `denied` when the spec asks for more than the worker allows. */
export function restrict(
  spec: RunSpec,
  limits: WorkerLimits,
): { readonly mode: PolicyMode; readonly rules: readonly string[] } {
  const loosening = spec.rules.find((rule) => !tightening.test(rule) || /[\r\n]/.test(rule));
  if (loosening !== undefined)
    throw refusal(`The task has a rule that loosens: ${shown(loosening)}.`, `--rule ${quoted(loosening)}`);
  if (!allowsTarget(spec.target, limits))
    throw refusal(
      `This worker does not use the target ${shown(spec.target)}.`,
      `--allow-target ${quoted(spec.target)}`,
    );
  if (spec.repository !== null) checkRepository(spec.repository, limits.allowRepositories);
  const mode = stricter(spec.mode, limits.mode ?? "cautious");
  return { mode, rules: [...(limits.rules ?? []), ...spec.rules] };
}

const tightening = /^\s*(?:deny|ask|secret|protected)\s/;

/** From strict to loose. */
const strictness: readonly PolicyMode[] = ["paranoid", "safe", "cautious", "yolo"];

function stricter(one: PolicyMode, other: PolicyMode): PolicyMode {
  const index = Math.min(strictness.indexOf(one), strictness.indexOf(other));
  // A mode of a newer version is unknown here.
  return strictness[index] ?? "paranoid";
}

export function allowsTarget(target: string, { allowTargets = [] }: WorkerLimits): boolean {
  return target === "local" || matches(target, allowTargets);
}

function checkRepository(repository: string, allowed: readonly string[] | undefined): void {
  if (/[\p{Cc}]/u.test(repository) || repository.startsWith("-") || /^[a-z0-9]+::/i.test(repository))
    throw new ToolError("denied", `${shown(repository)} is not a repository.`);
  if (allowed === undefined ? isUrl(repository) : matches(repository, allowed)) return;
  throw refusal(
    `This worker does not clone ${shown(repository)}.`,
    `--allow-repository ${quoted(repository)}`,
  );
}

/** `https://…`, `ssh://…`, `git://…` or `user@host:path`. */
export function isUrl(repository: string): boolean {
  return /^(?:https?|ssh|git):\/\/[^/]/i.test(repository) || /^[\w.-]+@[\w.-]+:(?!\/\/)/.test(repository);
}

/** A pattern matches the whole text: `*` within one part between slashes, `**` across them. */
function matches(text: string, patterns: readonly string[]): boolean {
  if (text.split("/").includes("..")) return patterns.includes(text);
  return patterns.some((pattern) => toRegExp(pattern).test(text));
}

function toRegExp(pattern: string): RegExp {
  const parts = pattern.split(/(\*+)/).map((part) => {
    if (!part.startsWith("*")) return escapeRegex(part);
    return part === "*" ? "[^/]*" : ".*";
  });
  return new RegExp(`^${parts.join("")}$`, "su");
}

function refusal(message: string, option: string): ToolError {
  return new ToolError("denied", message, { hint: `To allow it, start the worker with ${option}` });
}

function shown(text: string): string {
  return printableLine(text).slice(0, 200);
}

function quoted(text: string): string {
  return `'${shown(text).replaceAll("'", "'\\''")}'`;
}
