import { realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import { version } from "../../version.ts";
import type { Scope } from "./clients.ts";

/**
 * What starts our server. In the person's own configuration this very installation, by its path: that needs no network,
 * and no PATH, which programs with windows often lack. A project's configuration is for others, too: there npx finds it.
 */
export function serverCommand(scope: Scope, words: readonly string[]): [string, ...string[]] {
  const program = ownProgram();
  // What npx has fetched, it may throw away.
  const isPassing = /[/\\]_npx[/\\]/.test(program);
  if (scope === "user" && !isPassing) return [process.execPath, program, "mcp", ...words];
  return ["npx", "-y", scope === "user" ? `toolcrib@${version}` : "toolcrib", "mcp", ...words];
}

/** Whether a client's entry starts Toolcrib: only then it is ours to change, and what else it says stays. */
export function startsUs(entry: unknown): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  const { command, args } = entry as { readonly command?: unknown; readonly args?: unknown };
  const [launcher, ...words] = [command, args].flat().map(String);
  const [program = "", subcommand] = words.filter((word) => word !== "-y" && word !== "--yes");
  if (basename(launcher!) === "toolcrib") return program === "mcp";
  const isOurs = /^npx(?:\.cmd)?$/.test(basename(launcher!))
    ? /^toolcrib(?:@[\w.-]+)?$/.test(program)
    : program === ownProgram() || /[/\\]node_modules[/\\]toolcrib[/\\]/.test(program);
  return isOurs && subcommand === "mcp";
}

function ownProgram(): string {
  return realpathSync(resolve(process.argv[1] ?? ""));
}
