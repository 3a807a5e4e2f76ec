import type { Effect, FileChange } from "../../contract/environment.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import { relativeToWorkspace } from "../../system/workspace-path.ts";
import type { Spot } from "../memory/tree.ts";
import type { BackendAccess, BackendView } from "./backend-view.ts";

/** The content of a file, or the target of a link. */
export interface Content {
  readonly content: Uint8Array;
  readonly mode: number;
  readonly target?: string;
}

/** Contents by real path. */
type Contents = ReadonlyMap<string, Content>;

/** Returns the entries that a change replaces or deletes, whose contents are loaded. */
export function contentsBefore({ tree }: BackendView, changes: readonly FileChange[]): Contents {
  const contents = new Map<string, Content>();
  for (const { path, after } of changes) {
    let spot: Spot;
    try {
      spot = tree.find(relativeToWorkspace(path, [tree.rootPath]), { followLinks: after !== "nothing" });
    } catch {
      // The change itself reports why.
      continue;
    }
    const { node } = spot;
    const realPath = tree.realPathOf(spot);
    if (node?.kind === "file") contents.set(realPath, { content: node.bytes, mode: node.mode });
    if (node?.kind === "link")
      contents.set(realPath, { content: new Uint8Array(), mode: node.mode, target: node.target });
  }
  return contents;
}

/** Repeats effects in the backend. When one fails, all are undone, with the contents `before`. */
export async function applyEffects(
  access: BackendAccess,
  effects: readonly Effect[],
  contents: Contents,
  before: Contents = new Map(),
): Promise<void> {
  const begun: string[] = [];
  try {
    for (const effect of effects) {
      begun.unshift(effect.realPath);
      await apply(access, effect, contents.get(effect.realPath), before.get(effect.realPath));
    }
  } catch (error) {
    const failed: string[] = [];
    for (const realPath of begun)
      await restore(access, realPath, before.get(realPath)).catch(() => failed.push(realPath));
    const { message } = error as ToolError;
    if (failed.length === 0) throw error;
    throw errorWith(error as ToolError, { message: `${message}; not restored: ${failed.join(", ")}` });
  }
}

async function apply(
  access: BackendAccess,
  { realPath, before, after }: Effect,
  content: Content | undefined,
  old: Content | undefined,
): Promise<void> {
  if (before === undefined && after === undefined) return;
  await access.useReal(realPath, async (backend, at) => {
    if (after === undefined) return backend.remove(at);
    if (content === undefined) return backend.makeDirectory(at, { mode: after.mode });
    const isSame = old !== undefined && Buffer.compare(old.content, content.content) === 0;
    if (!isSame) return backend.writeFile(at, content.content, { mode: content.mode });
    if (old.mode !== content.mode) return able(backend.setMode?.(at, content.mode), "change permissions");
  });
}

async function restore(access: BackendAccess, realPath: string, old: Content | undefined): Promise<void> {
  await access.useReal(realPath, async (backend, at) => {
    const isFile = old !== undefined && old.target === undefined;
    if (isFile) return backend.writeFile(at, old.content, { mode: old.mode });
    const isThere = (await backend.stat(at)) !== undefined;
    if (old?.target !== undefined && !isThere)
      return able(backend.makeLink?.(at, old.target), "create links");
    if (old === undefined && isThere) return backend.remove(at);
  });
}

/** Waits for an optional method of the backend. */
export async function able(done: Promise<void> | undefined, what: string): Promise<void> {
  if (done !== undefined) return done;
  throw new ToolError("unsupported", `The workspace is in a backend that cannot ${what}`, {
    hint: "Leave it as it is, and tell the user.",
  });
}
