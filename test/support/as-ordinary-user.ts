import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * Runs a program to which permissions apply, and parses its output as JSON. Root stays root, to reach the repository
 * anywhere, but loses the capability to ignore permissions.
 */
export async function asOrdinaryUser(program: URL, ...args: readonly string[]): Promise<unknown> {
  const command = [process.execPath, fileURLToPath(program), ...args];
  if (process.getuid?.() === 0) command.unshift("setpriv", `--inh-caps=${lost}`, `--bounding-set=${lost}`);
  const { stdout } = await promisify(execFile)(command[0]!, command.slice(1));
  return JSON.parse(stdout);
}

const lost = "-dac_override,-dac_read_search";
