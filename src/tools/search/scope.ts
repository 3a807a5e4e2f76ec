import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";

/** Where to search: links are resolved, so results have their real paths. */
export type Scope =
  | { readonly kind: "directory" /** Relative to the workspace, "" for itself. */; readonly path: string }
  /** `isOutput`: named by its handle, and not in the workspace. */
  | { readonly kind: "file"; readonly path: string; readonly bytes: number; readonly isOutput: boolean };

export async function findScope(environment: Environment, path: string): Promise<Scope> {
  if (path === ".") return { kind: "directory", path: "" };
  const info = await environment.info(path);
  const real = await environment.realPath(path);
  const inside = pathInWorkspace(real, environment);
  // Outputs may be stored in the workspace; there, only their handles lead to them.
  const isOutput = inside === undefined || (outputHandle.test(path) && inside !== path);
  const relative = isOutput ? path : inside;
  if (info.kind === "directory") return { kind: "directory", path: relative };
  if (info.kind === "file") return { kind: "file", path: relative, bytes: info.bytes, isOutput };
  throw new ToolError("unsupported", `${path} is neither a file nor a directory`, {
    hint: "Search in a file or directory.",
  });
}

const outputHandle = /^out_[0-9a-z]{12,32}$/;

/** A real path relative to the workspace, "" for itself; undefined when it is outside. */
export function pathInWorkspace(real: string, { workspace }: Environment): string | undefined {
  const prefix = workspace.endsWith("/") ? workspace : `${workspace}/`;
  return real === workspace || real.startsWith(prefix) ? real.slice(prefix.length) : undefined;
}
