import { posix } from "node:path";
import type { Environment } from "../contract/environment.ts";

/** Returns the real path of the entry at `path`, without following a link at its end. */
export async function ownRealPath(
  environment: Pick<Environment, "workspace" | "realPath">,
  path: string,
): Promise<string> {
  // The environment reads a last "." like this, too: `link/.` is the link.
  const entry = path.replace(/(?<=.)(?:\/\.?)+$/, "");
  const name = posix.basename(entry);
  const isNamed = name !== "" && name !== "." && name !== "..";
  const isWorkspace = posix.resolve(environment.workspace, path) === environment.workspace;
  if (!isNamed || isWorkspace) return environment.realPath(path);
  return posix.join(await environment.realPath(posix.dirname(entry)), name);
}
