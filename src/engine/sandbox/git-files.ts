import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import { outputOfProgram } from "../../system/start-program.ts";

/** Returns the files that the user's git settings name: included settings, ignore files, templates, hooks. */
export async function filesOfGitSettings(
  findProgram: (name: string) => Promise<string>,
): Promise<readonly string[]> {
  const home = process.env.HOME ?? homedir();
  const { XDG_CONFIG_HOME = join(home, ".config") } = process.env;
  if (![join(home, ".gitconfig"), join(XDG_CONFIG_HOME, "git/config")].some(existsSync)) return [];
  try {
    const git = await findProgram("git");
    const output = await outputOfProgram(
      git,
      ["config", "--global", "--includes", "--show-origin", "--null", "--list"],
      { cwd: "/", env: { HOME: home, XDG_CONFIG_HOME } },
    );
    return [...new Set(namedIn(output, home))].filter((path) => isAbsolute(path) && existsSync(path));
  } catch (error) {
    return undefinedUnlessExhausted(error) ?? [];
  }
}

/** Reads pairs of an origin, `file:PATH`, and a setting, `KEY\nVALUE`. */
function namedIn(output: string, home: string): readonly string[] {
  const parts = output.split("\0");
  return parts.flatMap((part, index) => {
    if (index % 2 === 0) return part.startsWith("file:") ? [part.slice("file:".length)] : [];
    const [, key, value] = /^([^\n]+)\n([\s\S]*)$/.exec(part) ?? [];
    if (key === undefined || !namesFile.test(key)) return [];
    return [value!.replace(/^~(?=\/)/, home)];
  });
}

const namesFile =
  /^(?:include(?:if\..*)?\.path|core\.(?:excludesfile|attributesfile|hookspath)|init\.templatedir|commit\.template|blame\.ignorerevsfile|mailmap\.file|gpg\.ssh\.allowedsignersfile|http\..*sslcainfo)$/i;
