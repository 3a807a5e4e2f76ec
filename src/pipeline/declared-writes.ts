import { resolve } from "node:path";
import type { ToolCall } from "../contract/call.ts";
import type { Announcing, Effect, Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { ownRealPath } from "../lib/own-real-path.ts";
import { showPath } from "../lib/text/printable.ts";
import { isWithin } from "../policy/guard-paths.ts";
import { isWriting, type WrittenPath, writtenPaths } from "./written-paths.ts";

type Writing = "writeFile" | "delete" | "move" | "change" | "changeEntry";

type Kinds = readonly WrittenPath["kind"][];

/**
 * Returns the methods of the call's environment that change files, limited to what the call declares: rules were applied
 * to that, and the user was asked about that. A call that declares nothing may do what the risk of its tool says. The
 * paths are compared just before each change, so a link cannot redirect it.
 */
export function declaredWrites(call: ToolCall): Pick<Environment, Writing> | undefined {
  const { tool, accesses, environment } = call;
  const isOwn = tool.reachesAnywhere === true;
  const mayWrite = tool.risk !== "read" && accesses.length === 0;
  if (mayWrite && !(isOwn && tool.risk === "write")) return undefined;
  const limit = <Options extends Announcing>(
    options: Options | undefined,
    kinds: Kinds,
    deleting: Kinds = kinds,
  ): Options & Announcing => {
    const announce = async (effects: readonly Effect[]) => {
      const paths = await writtenPaths(call);
      for (const effect of effects) {
        const needed = effect.after === undefined ? deleting : kinds;
        if (mayWrite && needed.includes("write")) continue;
        const declared = paths.filter(({ kind }) => needed.includes(kind)).map(({ realPath }) => realPath);
        if (!isCovered(effect, declared) && !(await mayFind(call, effect)))
          throw notDeclared(call, effect, needed[0]!);
      }
      await options?.announce?.(effects);
    };
    return { ...options, announce } as Options & Announcing;
  };
  // Built-in tools move files by a change of several files, and declare that as writing.
  const deletions: Kinds = isOwn ? ["delete"] : ["write", "delete"];
  return {
    writeFile: (path, content, options) => environment.writeFile(path, content, limit(options, ["write"])),
    delete: (path, options) => environment.delete(path, limit(options, ["delete"])),
    // A move may replace an entry.
    move: (from, to, options) => environment.move(from, to, limit(options, ["write", "delete"])),
    change: (changes, options) => environment.change(changes, limit(options, ["write", "delete"], deletions)),
    changeEntry: async (path, change, options) => {
      const realPath = await ownRealPath(environment, path);
      const effect = { realPath, before: undefined, after: undefined };
      const limited = limit(options, change.after.kind === "nothing" ? deletions : ["write", "delete"]);
      const announce = () => limited.announce?.([effect]);
      return environment.changeEntry(path, change, { ...limited, announce });
    },
  };
}

/**
 * Whether a call may undo other calls, which can change any file: it declares to write the workspace, or nothing, and the
 * risk of its tool decides.
 */
export function mayUndo({ tool, accesses, environment }: ToolCall): boolean {
  if (accesses.length === 0) return tool.risk !== "read";
  const { workspace } = environment;
  return accesses.some((access) => isWriting(access) && resolve(workspace, access.path) === workspace);
}

/** Whether the rules allow a write that such a tool has found out. */
async function mayFind({ tool, confinement }: ToolCall, { realPath }: Effect): Promise<boolean> {
  return tool.findsWrites === true && (await confinement?.mayWrite?.(realPath)) === true;
}

/** The directories above a declared path may be created. */
function isCovered({ realPath, before, after }: Effect, declared: readonly string[]): boolean {
  const isNewDirectory = before === undefined && after?.kind === "directory";
  return declared.some((path) => isWithin(realPath, path) || (isNewDirectory && isWithin(path, realPath)));
}

function notDeclared(
  { tool, accesses }: ToolCall,
  { realPath }: Effect,
  kind: WrittenPath["kind"],
): ToolError {
  const verb = kind === "delete" ? "deletes" : "changes";
  const named = `name the path in \`accesses\`: { kind: "${kind}", path }`;
  const hint =
    tool.risk === "read"
      ? `Give the tool the risk "write", and ${named}`
      : accesses.length === 0
        ? `Give the tool the risk "destructive", or ${named}`
        : `N${named.slice(1)}`;
  return new ToolError(
    "denied",
    `${tool.canonical ?? tool.name} ${verb} ${showPath(realPath)} without declaring it`,
    { hint },
  );
}
