import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { version } from "../../version.ts";
import type { Scope } from "./clients.ts";

/**
 * What starts our server. In the person's own configuration this very installation, by its path: that needs no network,
 * and no PATH, which programs with windows often lack. A project's configuration is for others, too: there npx finds it.
 */
export function serverCommand(scope: Scope, words: readonly string[]): [string, ...string[]] {
  const program = realpathSync(resolve(process.argv[1] ?? ""));
  // What npx has fetched, it may throw away.
  const isPassing = /[/\\]_npx[/\\]/.test(program);
  if (scope === "user" && !isPassing) return [process.execPath, program, "mcp", ...words];
  return ["npx", "-y", scope === "user" ? `toolcrib@${version}` : "toolcrib", "mcp", ...words];
}
