import { counted } from "../../lib/text/format-quantity.ts";
import { nearestRepository } from "../../system/directories.ts";
import type { Caller, CallOptions, PolicyMode, SandboxSetting, Toolcrib } from "../../toolcrib/index.ts";
import { asLine, between } from "./marks.ts";

/** The environment of a session at its start. */
export interface Surroundings {
  readonly workspace: string;
  readonly platform: string;
  /** A day such as 2026-11-16. Anything that changes more often would invalidate the provider's cache. */
  readonly day: string;
  readonly model: string;
  readonly mode: PolicyMode;
  readonly isConfined: boolean;
  /** Programs that tools use and that a target lacks. */
  readonly missing: readonly string[];
  /** Undefined when git is not available. */
  readonly repository: RepositoryFacts | "none" | undefined;
}

interface RepositoryFacts {
  /** Undefined when git takes long to find it, as in a large repository. */
  readonly state: { readonly branch: string | undefined; readonly changedFiles: number } | undefined;
  readonly commits: readonly { readonly hash: string; readonly subject: string }[];
}

export function showSurroundings(surroundings: Surroundings): string {
  const lines = [
    `Workspace: ${asLine(surroundings.workspace, 1_000)} (paths are relative to it)`,
    `Platform: ${asLine(surroundings.platform, 1_000)}`,
    ...(surroundings.missing.length === 0 ? [] : [`Not installed there: ${surroundings.missing.join(", ")}`]),
    `Date: ${surroundings.day}`,
    ...showRepository(surroundings.repository),
    `Permissions: ${modeDescriptions[surroundings.mode]}; commands run ${surroundings.isConfined ? "in" : "without"} a sandbox`,
    `Model: ${asLine(surroundings.model)}`,
  ];
  return between("environment", lines.join("\n"));
}

const modeDescriptions: Readonly<Record<PolicyMode, string>> = {
  safe: "reads run without approval, everything else asks the user (mode safe)",
  cautious:
    "reads and file changes that undo can restore run without approval, everything else asks the user (mode cautious)",
  paranoid: "every call asks the user (mode paranoid)",
  yolo: "no call asks the user (mode yolo)",
};

function showRepository(repository: Surroundings["repository"]): readonly string[] {
  if (repository === undefined) return [];
  if (repository === "none") return ["Git: no repository"];
  const { state, commits } = repository;
  return [
    `Git: ${showState(state)}${commits.length === 0 ? "" : "; last commits:"}`,
    ...commits.map(({ hash, subject }) => `  ${hash.slice(0, 9)} ${asLine(subject, 100)}`),
  ];
}

function showState(state: RepositoryFacts["state"]): string {
  if (state === undefined)
    return "a repository whose status takes long; ask for the git status when you need it";
  const { branch, changedFiles } = state;
  const on = branch === undefined ? "no branch" : `branch ${asLine(branch)}`;
  const changes = changedFiles === 0 ? "clean" : `${counted(changedFiles, "file")} with uncommitted changes`;
  return `${on}, ${changes}`;
}

export interface SurroundingsOptions {
  readonly model: string;
  readonly sandbox?: SandboxSetting | undefined;
  readonly now?: Date | undefined;
  /** How long each git command may take, because the first request waits for it. Default: 250 ms. */
  readonly gitTimeoutMs?: number | undefined;
}

export async function findSurroundings(
  crib: Pick<Toolcrib, "workspace" | "isElsewhere" | "target" | "missingPrograms" | "mode" | "addCaller">,
  { model, sandbox, now = new Date(), gitTimeoutMs = 250 }: SurroundingsOptions,
): Promise<Surroundings> {
  return {
    workspace: crib.workspace,
    platform: crib.isElsewhere ? (crib.target ?? "another machine") : `${process.platform} ${process.arch}`,
    day: localDay(now),
    model,
    mode: crib.mode,
    missing: crib.missingPrograms,
    isConfined:
      (!crib.isElsewhere || crib.target !== undefined) &&
      (sandbox ?? process.env.TOOLCRIB_SANDBOX) !== "none",
    // The allowed tools may not include git.
    repository: await crib.addCaller({ dialect: "toolcrib" }).then(
      (caller) =>
        crib.isElsewhere || nearestRepository(crib.workspace) !== undefined
          ? repositoryFacts(caller, gitTimeoutMs)
          : noneIfAllowed(caller),
      () => undefined,
    ),
  };
}

/** Formats the local date as 2026-11-16. Loading a locale for it would take as long as a call of git. */
function localDay(now: Date): string {
  const digits = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${digits(now.getMonth() + 1)}-${digits(now.getDate())}`;
}

/** Starts no git, which finds no repository without a `.git`: it takes no bare ones. */
async function noneIfAllowed(caller: Caller): Promise<Surroundings["repository"]> {
  const { verdict } = await caller.check("git.log", historyWanted);
  return verdict === "allow" ? "none" : undefined;
}

const historyWanted = { limit: 5 };

/** Asks git by ordinary tool calls, to which all rules apply. */
async function repositoryFacts(caller: Caller, timeoutMs: number): Promise<Surroundings["repository"]> {
  // The user is not asked about facts for the prompt.
  const unasked: CallOptions = { timeoutMs, approve: () => ({ allow: false }) };
  // The history of a large repository is read quickly; its status is not.
  const [log, status] = await Promise.all([
    caller.call("git.log", historyWanted, unasked),
    caller.call("git.status", {}, unasked),
  ]);
  if (log.error?.details?.kind === "no-repository") return "none";
  const commits = log.error === null ? (log.data as Pick<RepositoryFacts, "commits">).commits : [];
  if (log.error?.code === "timeout" || status.error?.code === "timeout") return { state: undefined, commits };
  if (status.error !== null) return undefined;
  const { branch, staged, unstaged, unmerged, untracked } = status.data as StatusData;
  const changed = new Set([...[...staged, ...unstaged, ...unmerged].map(({ path }) => path), ...untracked]);
  return { state: { branch: branch.name, changedFiles: changed.size }, commits };
}

interface StatusData
  extends Readonly<Record<"staged" | "unstaged" | "unmerged", readonly { readonly path: string }[]>> {
  readonly branch: { readonly name: string | undefined };
  readonly untracked: readonly string[];
}
