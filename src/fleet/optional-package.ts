import { realpathSync } from "node:fs";
import { ToolError } from "../contract/error.ts";
import { shellQuote } from "../lib/text/shell-quote.ts";
import { attempt } from "../system/attempt.ts";
import { errnoOf } from "../system/file-errors.ts";

/** Loads a package that only fleets with a database need. `install` lists the packages for `npm install`. */
export async function loadPackage<Module>(load: () => Promise<Module>, install: string): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const code = errnoOf(error);
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    const program = attempt(() => realpathSync(process.argv[1] ?? "")) ?? "";
    throw new ToolError(
      "unavailable",
      `Fleets on several machines need packages that are not installed: ${install}.`,
      { hint: `Run: ${installCommand(install, program, process.cwd())}`, cause: error },
    );
  }
}

/** Returns the command that installs packages where this program finds them: in the folder that Toolcrib is in, too. */
export function installCommand(packages: string, program: string, current: string): string {
  const folder = program.match(/^(.*?)[/\\]node_modules[/\\]toolcrib[/\\]/)?.[1];
  if (folder === undefined) return `npm install ${packages}`;
  // The folder of npx is a cache, which npm does not install to.
  if (/[/\\]_npx[/\\]/.test(program)) return `npm install --global toolcrib ${packages}`;
  if (/[/\\]lib$/.test(folder)) return `npm install --global ${packages}`;
  if (current === folder || current.startsWith(`${folder}/`)) return `npm install ${packages}`;
  return `npm install --prefix ${shellQuote(folder)} ${packages}`;
}
