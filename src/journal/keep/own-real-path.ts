import { posix } from "node:path";
import type { Environment } from "../../contract/environment.ts";

/** The real path of what stands at `path` itself: a link at its end is not followed. */
export async function ownRealPath(environment: Environment, path: string): Promise<string> {
  const trimmed = path.replace(/(?<=.)\/+$/, "");
  const name = posix.basename(trimmed);
  const isNamed = name !== "" && name !== "." && name !== "..";
  if (!isNamed || trimmed === environment.workspace) return environment.realPath(path);
  return posix.join(await environment.realPath(posix.dirname(trimmed)), name);
}
