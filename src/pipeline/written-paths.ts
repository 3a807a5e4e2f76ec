import type { ToolAccess } from "../contract/access.ts";
import type { Account, ToolCall } from "../contract/call.ts";
import { ToolError } from "../contract/error.ts";
import { ownRealPath } from "../lib/own-real-path.ts";

export interface WrittenPath {
  readonly kind: "write" | "delete";
  readonly realPath: string;
}

/** Returns the real paths that a call declares to write or delete. They are looked up once per call. */
export function writtenPaths(call: ToolCall): Promise<readonly WrittenPath[]> {
  const known = lookups.get(call.account) ?? lookUp(call);
  lookups.set(call.account, known);
  return known;
}

/** Stages copy a call, but not its account. */
const lookups = new WeakMap<Account, Promise<readonly WrittenPath[]>>();

async function lookUp({ accesses, environment }: ToolCall): Promise<readonly WrittenPath[]> {
  const paths: WrittenPath[] = [];
  for (const access of accesses) {
    if (!isWriting(access)) continue;
    const isLinkItself = access.kind === "delete" || access.link === "itself";
    const realPath = isLinkItself ? ownRealPath(environment, access.path) : environment.realPath(access.path);
    // A path that cannot be reached cannot be written either. The tool reports the error if it uses the path.
    const found = await realPath.catch(ignoreToolError);
    if (found !== undefined) paths.push({ kind: access.kind, realPath: found });
  }
  return paths;
}

type Writing = ToolAccess & { readonly kind: "write" | "delete" };

export function isWriting(access: ToolAccess): access is Writing {
  return access.kind === "write" || access.kind === "delete";
}

function ignoreToolError(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error;
}
