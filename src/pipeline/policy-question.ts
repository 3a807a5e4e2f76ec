import { posix } from "node:path";
import type { ToolAccess } from "../contract/access.ts";
import type { SandboxLevel } from "../contract/call.ts";
import type { Directory, Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { PathGuard } from "../contract/guard.ts";
import type { AnyTool } from "../contract/tool.ts";
import type { Foreseeing, foreseeLoss } from "../journal/keep/foresee-loss.ts";
import { loadOnce } from "../lib/async/load-once.ts";
import { ownRealPath } from "../lib/own-real-path.ts";
import { guardPaths, isWithin } from "../policy/guard-paths.ts";
import { changesPlanned, directoriesRead, pathsNamed, type ReadCommand } from "../policy/parts.ts";
import {
  outsideWorkspace,
  type PathContext,
  type PolicyMode,
  type Question,
  visibleIn,
} from "../policy/policy.ts";
import type { Policy } from "../policy/rules/compile-policy.ts";

/** A call whose paths have not been resolved yet. */
export interface CallToCheck {
  readonly tool: Pick<
    AnyTool,
    "name" | "canonical" | "server" | "ownName" | "risk" | "reachesAnywhere" | "definedAs"
  >;
  readonly accesses: readonly ToolAccess[];
  readonly environment: Lister & Foreseeing;
  readonly asksBeforeCommands?: true | undefined;
}

/**
 * Returns the question that the policy answers about a call, with the current real paths. `lookUp: "what decides"`
 * leaves out reads that no link can turn into something that needs approval: the environment's guard refuses forbidden
 * ones.
 */
export async function policyQuestion(
  { tool, accesses, environment, asksBeforeCommands }: CallToCheck,
  settings: {
    readonly mode: PolicyMode;
    readonly sandbox: SandboxLevel;
    readonly policy: Policy;
    readonly lookUp: "all" | "what decides";
    readonly readCommand: ReadCommand;
    readonly shells?: Question["shells"] | undefined;
  },
): Promise<Question> {
  const { mode, sandbox, policy, lookUp, readCommand, shells } = settings;
  const { name, canonical = name, server, ownName = canonical, risk, reachesAnywhere, definedAs } = tool;
  const isConfined = server === undefined && !reachesAnywhere;
  const isSettled = lookUp === "what decides" && mode !== "paranoid" && !policy.asksAboutReads;
  const open = isSettled ? accesses.filter(({ kind }) => kind !== "read") : accesses;
  const paths = pathsNamed(open, policy.context, readCommand, shells);
  // These sandboxes hide secrets, so a search for them is needed only when a command may leave the sandbox.
  const hidesSecrets = (sandbox === "bwrap" || sandbox === "seatbelt") && policy.unconfined.length === 0;
  const directories = hidesSecrets ? [] : directoriesRead(accesses, policy.context, readCommand, shells);
  const found = paths.length === 0 ? [] : await resolvePaths(paths, open, policy, environment);
  const realPaths = new Map(found.flatMap(({ path, real }) => (real === undefined ? [] : [[path, real]])));
  const changes = mode === "cautious" ? changesPlanned(accesses, policy.context, readCommand, shells) : [];
  return {
    mode,
    tool: { name: ownName, risk, server, ...(definedAs && { definition: definedAs.hash }) },
    accesses,
    sandbox,
    asksBeforeCommands,
    shells,
    realPaths,
    outside: isConfined ? outsideOf(found, open) : undefined,
    notCovered: changes.length === 0 ? nowhere : await lossesOf(changes, realPaths, environment),
    refusedBelow:
      directories.length === 0 ? nowhere : await refusedBelow(directories, environment, guardPaths(policy)),
  };
}

const nowhere: ReadonlyMap<string, string> = new Map();

/** Loads the module with the first change, to keep the start fast. */
async function lossesOf(...given: Parameters<typeof foreseeLoss>): ReturnType<typeof foreseeLoss> {
  return (await ofChanges.load()).foreseeLoss(...given);
}

// Node takes 50 microseconds to import a module again.
const ofChanges = loadOnce(() => import("../journal/keep/foresee-loss.ts"));

interface ResolvedPath {
  readonly path: string;
  /** The path by which it is decided, if it is not the one that is written. */
  readonly real: string | undefined;
  /** The error of the environment when it leads outside. */
  readonly outside?: ToolError;
}

async function resolvePaths(
  paths: readonly string[],
  accesses: readonly ToolAccess[],
  { context }: Policy,
  environment: CallToCheck["environment"],
): Promise<readonly ResolvedPath[]> {
  return Promise.all(
    paths.map(async (path): Promise<ResolvedPath> => {
      try {
        const real = await realPathFor(path, accesses, environment);
        const isPlain = real === posix.resolve(context.workspace, path);
        return { path, real: isPlain ? undefined : real };
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        if (error.code !== "outside-workspace") return { path, real: undefined };
        // For an entry that is not followed, the environment names the folder around it.
        const outside = new ToolError(error.code, `${path} leads outside the workspace`, {
          hint: error.hint ?? "Use a path inside the workspace.",
          cause: error,
        });
        return { path, real: realPathOutside(path, context), outside };
      }
    }),
  );
}

/** Returns the refused paths that the tool itself names. Git writes its own files, which may be elsewhere. */
function outsideOf(
  found: readonly ResolvedPath[],
  accesses: readonly ToolAccess[],
): ReadonlyMap<string, ToolError> | undefined {
  const named = new Set(
    accesses.flatMap((access) =>
      "path" in access && !(access.kind === "write" && access.by === "git") ? access.path : [],
    ),
  );
  const refused = found.flatMap(({ path, outside }) =>
    outside !== undefined && named.has(path) ? [[path, outside] as const] : [],
  );
  return refused.length === 0 ? undefined : new Map(refused);
}

/** Resolves a path. Deleting or moving a link concerns the link itself, so its target is then not resolved. */
function realPathFor(
  path: string,
  accesses: readonly ToolAccess[],
  environment: CallToCheck["environment"],
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
 * Returns the path by which a path is decided that leads outside: a link out of the workspace may lead anywhere, and any
 * other path is decided by its spelling (undefined).
 */
function realPathOutside(path: string, { workspace }: PathContext): string | undefined {
  return isWithin(posix.resolve(workspace, path), workspace) ? outsideWorkspace : undefined;
}

type Lister = Pick<Environment, "workspace" | "openDirectory" | "realPath">;

/**
 * Returns for each directory, as `searchOf` names it, a path below it that must not be read, or undefined when there is
 * none. Follows links, as some programs do. Leaves out directories that would take too long to search.
 */
export async function refusedBelow(
  directories: readonly string[],
  environment: Lister,
  guard: PathGuard,
): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  const budget = { entriesLeft: maxEntries };
  for (const wanted of directories) {
    const extent = wanted.startsWith(visibleIn) ? "visible" : "all";
    const search = new Search({ environment, guard, budget, extent });
    const result = await search.below(extent === "all" ? wanted : wanted.slice(visibleIn.length));
    if (result !== "not searched") found.set(wanted, result.refused);
  }
  return found;
}

type Result = { readonly refused: string | undefined } | "not searched";

const nothingRefused: Result = { refused: undefined };
const maxEntries = 20_000;

interface SearchOptions {
  readonly environment: Lister;
  readonly guard: PathGuard;
  /** A budget for all searches of one call together. */
  readonly budget: { entriesLeft: number };
  readonly extent: "all" | "visible";
}

class Search {
  readonly #options: SearchOptions;
  readonly #followed = new Set<string>();

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  async below(path: string): Promise<Result> {
    return this.#inside(await this.#options.environment.openDirectory(path).catch(whyNot));
  }

  /** Searches a directory, its files before its subdirectories, so that near files are found soon. */
  async #inside(directory: Directory | Unopened): Promise<Result> {
    if (typeof directory === "string") return unopened(directory);
    try {
      const all = await directory.entries();
      const entries = this.#options.extent === "all" ? all : all.filter(isVisible);
      this.#options.budget.entriesLeft -= entries.length;
      if (this.#options.budget.entriesLeft < 0) return "not searched";
      for (const { name, kind } of entries) {
        const path = posix.join(this.#options.environment.workspace, directory.path, name);
        if (kind !== "directory" && this.#options.guard("read", path) !== undefined) return { refused: path };
      }
      for (const { name, kind } of entries) {
        if (kind !== "directory" && kind !== "link") continue;
        const result =
          kind === "link"
            ? await this.#behind(directory, name)
            : await this.#inside(await directory.openDirectory(name).catch(whyNot));
        if (result === "not searched" || result.refused !== undefined) return result;
      }
      return nothingRefused;
    } finally {
      directory.close();
    }
  }

  /** Follows a link. A link out of the workspace may lead to anything, so it counts as refused. */
  async #behind(directory: Directory, name: string): Promise<Result> {
    const path = posix.join(this.#options.environment.workspace, directory.path, name);
    const real = await this.#options.environment.realPath(path).catch(whyNot);
    if (real === "outside") return { refused: path };
    if (real === "nothing below" || real === "not searched") return unopened(real);
    if (this.#options.guard("read", real) !== undefined) return { refused: real };
    if (this.#followed.has(real)) return nothingRefused;
    this.#followed.add(real);
    return this.below(real);
  }
}

function unopened(reason: Unopened): Result {
  return reason === "nothing below" ? nothingRefused : "not searched";
}

/** Recognizes the entries that search programs do not leave out. */
function isVisible({ name }: { readonly name: string }): boolean {
  return !name.startsWith(".") && name !== "node_modules";
}

type Unopened = "nothing below" | "not searched" | "outside";

/** Returns the reason why a directory was not opened. A file has nothing below it, and was checked itself. */
function whyNot(error: unknown): Unopened {
  if (!(error instanceof ToolError)) throw error;
  if (error.code === "outside-workspace") return "outside";
  return error.code === "not-found" || error.code === "unsupported" ? "nothing below" : "not searched";
}
