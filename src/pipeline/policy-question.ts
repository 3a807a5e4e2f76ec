import { posix } from "node:path";
import type { ToolAccess } from "../contract/access.ts";
import type { SandboxLevel } from "../contract/call.ts";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { AnyTool } from "../contract/tool.ts";
import type { Foreseeing, foreseeLoss } from "../journal/keep/foresee-loss.ts";
import { loadOnce } from "../lib/async/load-once.ts";
import { ownRealPath } from "../lib/own-real-path.ts";
import { guardPaths, isWithin, readKeyOf } from "../policy/guard-paths.ts";
import { changesPlanned, pathsNamed, type ReadCommand } from "../policy/parts.ts";
import { outsideWorkspace, type PathContext, type PolicyMode, type Question } from "../policy/policy.ts";
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
  // Landlock hides no secrets of the workspace, so there they decide whether a command runs without a question.
  const mayRunUnasked = mode === "cautious" || mode === "safe";
  const isOpen = sandbox === "landlock" && mayRunUnasked && accesses.some(({ kind }) => kind === "execute");
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
    seenOutside: new Set(found.flatMap(({ real, isSeen }) => (isSeen && real !== undefined ? [real] : []))),
    outside: isConfined ? outsideOf(found, open) : undefined,
    notCovered: changes.length === 0 ? nowhere : await lossesOf(changes, realPaths, environment),
    holdsSecrets: isOpen ? await holdsSecrets(environment, policy) : undefined,
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
  /** Whether it is outside, and commands can read it without a rule. */
  readonly isSeen?: boolean;
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
        const seen = await environment.pathOutsideSeenByCommands?.(path);
        return { path, real: seen ?? realPathOutside(path, context), isSeen: seen !== undefined, outside };
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

type Lister = Pick<
  Environment,
  "workspace" | "realPath" | "pathOutsideSeenByCommands" | "walk" | "hiddenEntries"
>;

/** Whether the workspace contains a path that must not be read, or cannot be searched. */
export async function holdsSecrets(environment: Lister, policy: Policy): Promise<boolean> {
  const guard = guardPaths(policy);
  const isSecret = (path: string) => guard("read", posix.resolve(environment.workspace, path)) !== undefined;
  try {
    if (environment.walk !== undefined) {
      // A round trip for each folder would be slow.
      const { signal } = new AbortController();
      const { paths, failed } = await environment.walk(".", { hidden: true, ignoreFiles: false, signal });
      return failed.length > 0 || paths.some(isSecret);
    }
    const { hiddenFromAll } = await import("../policy/confined-paths.ts");
    const rules = { isHidden: hiddenFromAll(policy), pathsKey: readKeyOf(policy) };
    const hidden = await environment.hiddenEntries?.(rules);
    // A file may be hidden only by its name.
    return hidden?.some(({ path, kind }) => kind === "directory" || isSecret(path)) ?? true;
  } catch (error) {
    if (error instanceof ToolError) return true;
    throw error;
  }
}
