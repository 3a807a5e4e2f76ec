import { posix } from "node:path";
import type { Access } from "../../contract/access.ts";
import type { SandboxLevel } from "../../contract/account.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { ownRealPath } from "../../contract/own-real-path.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { guardPaths } from "../../policy/guard-paths.ts";
import { directoriesRead, pathsNamed, type ReadCommand } from "../../policy/parts.ts";
import { type Mode, outsideWorkspace, type Place, type Question } from "../../policy/policy.ts";
import type { Policy } from "../../policy/rules/compile-policy.ts";
import { type Lister, refusedBelow } from "./refused-below.ts";

/** A call whose paths have not been looked up yet. */
export interface UnansweredCall {
  readonly tool: Pick<AnyTool, "name" | "canonical" | "server" | "ownName" | "risk">;
  readonly accesses: readonly Access[];
  readonly environment: Pick<Environment, "realPath"> & Lister;
}

/**
 * A call as the guardian is to judge it, with what its paths lead to right now. `lookUp` "what decides" leaves out reads
 * that no link can turn into something to ask: where they must not lead, the environment's guard stands.
 */
export async function questionOf(
  { tool, accesses, environment }: UnansweredCall,
  settings: {
    readonly mode: Mode;
    readonly sandbox: SandboxLevel;
    readonly policy: Policy;
    readonly lookUp: "all" | "what decides";
    readonly readCommand: ReadCommand;
    readonly shells?: Question["shells"];
  },
): Promise<Question> {
  const { mode, sandbox, policy, lookUp, readCommand, shells } = settings;
  const { name, canonical = name, server, ownName = canonical, risk } = tool;
  const isSettled = lookUp === "what decides" && mode !== "paranoid" && !asksAboutReads(policy);
  const open = isSettled ? accesses.filter(({ kind }) => kind !== "read") : accesses;
  const paths = pathsNamed(open, policy.place, readCommand, shells);
  // Where secrets are out of reach nobody has to look for them, unless a command may leave that place.
  const isHeld = (sandbox === "bwrap" || sandbox === "seatbelt") && policy.unconfined.length === 0;
  const directories = isHeld ? [] : directoriesRead(accesses, policy.place, readCommand, shells);
  return {
    mode,
    tool: { name: ownName, risk, ...(server === undefined ? {} : { server }) },
    accesses,
    sandbox,
    ...(shells && { shells }),
    realPaths: paths.length === 0 ? nowhere : await realPathsOf(paths, open, policy, environment),
    refusedBelow:
      directories.length === 0 ? nowhere : await refusedBelow(directories, environment, guardPaths(policy)),
  };
}

const nowhere: ReadonlyMap<string, string> = new Map();

const askingAboutReads = new WeakMap<Policy, boolean>();

/** The guard knows what refuses for every tool, and in most modes reads pass unasked. */
function asksAboutReads(policy: Policy): boolean {
  const known = askingAboutReads.get(policy);
  if (known !== undefined) return known;
  const asks = policy.paths.highestFirst.some(
    ({ uses, effect, by }) => uses.has("read") && (effect === "ask" || by !== undefined),
  );
  askingAboutReads.set(policy, asks);
  return asks;
}

async function realPathsOf(
  paths: readonly string[],
  accesses: readonly Access[],
  { place }: Policy,
  environment: UnansweredCall["environment"],
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    paths.map(async (path): Promise<readonly [string, string][]> => {
      const real = await placeOf(path, accesses, environment).catch((error) => elsewhere(error, path, place));
      return real === undefined || real === posix.resolve(place.workspace, path) ? [] : [[path, real]];
    }),
  );
  return new Map(found.flat());
}

/** Whoever deletes or moves a link means the link, not what it leads to. */
function placeOf(
  path: string,
  accesses: readonly Access[],
  environment: UnansweredCall["environment"],
): Promise<string> {
  const meansLink = accesses.every(
    (access) =>
      access.kind === "delete" ||
      (access.kind === "write" && access.link === "itself") ||
      ("path" in access && access.path !== path),
  );
  return meansLink ? ownRealPath(environment, path) : environment.realPath(path);
}

/**
 * What cannot be reached is judged by its spelling, and that it cannot be reached is for the tool to say; but a link that
 * leads out of the workspace leads to nobody knows where.
 */
function elsewhere(error: unknown, path: string, { workspace }: Place): string | undefined {
  if (!(error instanceof ToolError)) throw error;
  const spelled = posix.resolve(workspace, path);
  const isInside = spelled === workspace || spelled.startsWith(`${workspace}/`);
  return isInside && error.code === "outside-workspace" ? outsideWorkspace : undefined;
}
