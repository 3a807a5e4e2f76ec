import { counted } from "../../lib/counted.ts";
import type { Caller, CallOptions, Mode, SandboxWanted, Toolcrib } from "../../toolcrib/index.ts";
import { asLine, between } from "./marks.ts";

/** Where a session works, as it was when it began. */
export interface Surroundings {
  readonly workspace: string;
  readonly platform: string;
  /** A day, as 2026-11-16: what changes more often would cost the cache. */
  readonly day: string;
  readonly model: string;
  readonly mode: Mode;
  readonly isConfined: boolean;
  /** Undefined where that could not be found out, or is nothing for this room. */
  readonly repository: RepositoryFacts | "none" | undefined;
}

interface RepositoryFacts {
  /** Undefined where none is checked out. */
  readonly branch: string | undefined;
  readonly changedFiles: number;
  /** Newest first. */
  readonly commits: readonly { readonly hash: string; readonly subject: string }[];
}

export function showSurroundings(place: Surroundings): string {
  const lines = [
    `Workspace: ${asLine(place.workspace, 1_000)} (paths are relative to it)`,
    `Platform: ${place.platform}`,
    `Day: ${place.day}`,
    ...showRepository(place.repository),
    `Permissions: ${modeWords[place.mode]}; ${place.isConfined ? "commands run in a sandbox" : "commands run without a sandbox"}`,
    `Model: ${asLine(place.model)}`,
  ];
  return between("environment", lines.join("\n"));
}

const modeWords: Readonly<Record<Mode, string>> = {
  safe: "reading passes, the person is asked about all else (mode safe)",
  cautious: "reading and writing files pass, the person is asked about all else (mode cautious)",
  paranoid: "the person is asked about everything (mode paranoid)",
  yolo: "nothing is asked (mode yolo)",
};

function showRepository(repository: Surroundings["repository"]): readonly string[] {
  if (repository === undefined) return [];
  if (repository === "none") return ["Git: no repository"];
  const { branch, changedFiles, commits } = repository;
  const on = branch === undefined ? "no branch" : `branch ${asLine(branch)}`;
  const state = changedFiles === 0 ? "clean" : `${counted(changedFiles, "file")} with uncommitted changes`;
  return [
    `Git: ${on}, ${state}${commits.length === 0 ? "" : "; last commits:"}`,
    ...commits.map(({ hash, subject }) => `  ${hash.slice(0, 9)} ${asLine(subject, 100)}`),
  ];
}

export interface Looking {
  readonly model: string;
  readonly sandbox?: SandboxWanted | undefined;
  /** The clock's, if not said. */
  readonly now?: Date | undefined;
  /** How long git may take; what takes longer is left out. */
  readonly patienceMs?: number | undefined;
}

export async function findSurroundings(
  crib: Pick<Toolcrib, "workspace" | "mode" | "addCaller">,
  { model, sandbox, now = new Date(), patienceMs = usualPatienceMs }: Looking,
): Promise<Surroundings> {
  const findRepository = (caller: Caller) => repositoryFacts(caller, patienceMs);
  return {
    workspace: crib.workspace,
    platform: `${process.platform} ${process.arch}`,
    day: dayOf(now),
    model,
    mode: crib.mode,
    // Which one it is would have to be tried out, and no model needs to know.
    isConfined: (sandbox ?? process.env.TOOLCRIB_SANDBOX) !== "none",
    // A room may be so narrow that it has no git.
    repository: await crib.addCaller({ dialect: "toolcrib" }).then(findRepository, () => undefined),
  };
}

/** Asked like any other call, so that no repository can make git do what a rule forbids. */
async function repositoryFacts(caller: Caller, timeoutMs: number): Promise<Surroundings["repository"]> {
  // Nobody is asked about what only the prompt would say.
  const unasked: CallOptions = { timeoutMs, approve: () => ({ allow: false }) };
  const [status, log] = await Promise.all([
    caller.call("git.status", {}, unasked),
    caller.call("git.log", { limit: 5 }, unasked),
  ]);
  if (status.error !== null) return status.error.details?.kind === "no-repository" ? "none" : undefined;
  const { branch, staged, unstaged, unmerged, untracked } = status.data as StatusData;
  const changed = new Set([...[...staged, ...unstaged, ...unmerged].map(({ path }) => path), ...untracked]);
  return {
    branch: branch.name,
    changedFiles: changed.size,
    commits: log.error === null ? (log.data as { commits: RepositoryFacts["commits"] }).commits : [],
  };
}

const usualPatienceMs = 3_000;

/** What `git.status` says, as far as it is told. */
interface StatusData {
  readonly branch: { readonly name: string | undefined };
  readonly staged: readonly { readonly path: string }[];
  readonly unstaged: readonly { readonly path: string }[];
  readonly unmerged: readonly { readonly path: string }[];
  readonly untracked: readonly string[];
}

/** Where the person is. */
function dayOf(now: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
