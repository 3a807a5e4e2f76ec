import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";

/** The file or directory to search, by its real path. */
export type Scope =
  | { readonly kind: "directory" /** Relative to the workspace, "" for itself. */; readonly path: string }
  /** `isOutput` means that it is named by its handle, not by a path in the workspace. */
  | { readonly kind: "file"; readonly path: string; readonly bytes: number; readonly isOutput: boolean };

export async function findScope(environment: Environment, path: string): Promise<Scope> {
  if (path === ".") return { kind: "directory", path: "" };
  const [info, real] = await Promise.all([environment.info(path), environment.realPath(path)]);
  const inside = pathInWorkspace(real, environment);
  // Stored outputs may be inside the workspace, where they are found only by their handles.
  const isOutput = inside === undefined || (isOutputHandle(path) && inside !== path);
  const relative = isOutput ? path : inside;
  if (info.kind === "directory") return { kind: "directory", path: relative };
  if (info.kind === "file") return { kind: "file", path: relative, bytes: info.bytes, isOutput };
  throw new ToolError("unsupported", `${path} is neither a file nor a directory`, {
    hint: "Search in a file or directory.",
  });
}

export function isOutputHandle(path: string): boolean {
  return /^out_[0-9a-z]{12,32}$/.test(path);
}

/** Returns a real path relative to the workspace ("" for itself), or undefined when it is outside. */
export function pathInWorkspace(real: string, { workspace }: Environment): string | undefined {
  const prefix = workspace.endsWith("/") ? workspace : `${workspace}/`;
  return real === workspace || real.startsWith(prefix) ? real.slice(prefix.length) : undefined;
}
