import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { isExhaustion } from "../lib/exhaustion.ts";

/** A filter from git's settings: programs that convert files on their way into and out of the repository. */
export interface FilterDriver {
  readonly name: string;
  readonly commands: Readonly<Partial<Record<FilterUse, string>>>;
  /** Whose settings define it; "user" includes those of the machine. */
  readonly from: "repository" | "user";
}

type FilterUse = "clean" | "smudge" | "process";

/**
 * Returns settings that restore the user's own ignore and attributes files where the repository's settings name others.
 * `listing` is the output of `git config --list -z --show-scope`.
 */
export function withoutForeignFiles(listing: string): readonly string[] {
  const fields = listing.split("\0");
  const home = process.env.XDG_CONFIG_HOME || "~/.config";
  return Object.entries(personalFiles).flatMap(([key, usual]) => {
    let isForeign = false;
    let own = `${home}/git/${usual}`;
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [name, value = ""] = fields[at + 1]!.split("\n");
      if (name !== key) continue;
      if (personal.has(fields[at]!)) own = value;
      else isForeign = true;
    }
    return isForeign ? [`${key}=${own}`] : [];
  });
}

const personalFiles = { "core.excludesfile": "ignore", "core.attributesfile": "attributes" };

export function withoutFilters(drivers: readonly FilterDriver[]): readonly string[] {
  return drivers.flatMap(({ name }) => [
    `filter.${name}.clean=`,
    `filter.${name}.smudge=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ]);
}

/** Reads the filters in the output of `git config --list -z --show-scope`. */
export function driversIn(listing: string): readonly FilterDriver[] {
  type Draft = { commands: Partial<Record<FilterUse, string>>; from: FilterDriver["from"] };
  const found = new Map<string, Draft>();
  const fields = listing.split("\0");
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, name, use, command = ""] =
      /^filter\.([^\n]*)\.([^.\n]*)(?:\n(.*))?$/s.exec(fields[at + 1]!) ?? [];
    if (name === undefined || !(use === "clean" || use === "smudge" || use === "process")) continue;
    // On the command line such a name would become another setting.
    if (name.includes("=")) throw suspectFilters(`a filter with "=" in its name: ${JSON.stringify(name)}`);
    const driver = found.get(name) ?? { commands: {}, from: "user" };
    driver.commands[use] = command;
    if (!personal.has(fields[at]!)) driver.from = "repository";
    found.set(name, driver);
  }
  if (found.size > maxDrivers) throw suspectFilters(`${found.size} filters; the limit is ${maxDrivers}`);
  return Array.from(found, ([name, driver]) => ({ name, ...driver }));
}

const personal = new Set(["system", "global"]);

const maxDrivers = 100;

/**
 * Returns whether a repository's settings certainly name no filter and no other settings file: every bracket in them
 * begins a section that git itself writes.
 */
export function isPlainSettings(text: string): boolean {
  for (const [, section = ""] of text.matchAll(/\[([^\]\s"]*)/g))
    if (!plainSections.has(section.toLowerCase())) return false;
  return !/worktreeConfig|excludesFile|attributesFile/i.test(text);
}

const plainSections = new Set("core remote branch user commit submodule lfs pull push gui".split(" "));

/** Returns the files that settings include, as written. Paths of a home folder are left out. */
export function filesIncluded(text: string): readonly string[] {
  const sections = text.split(/^\s*(?=\[)/m).filter((section) => /^\[include(?:if)?[\s\]]/i.test(section));
  return sections.flatMap((section) =>
    [...section.matchAll(/^\s*path\s*=\s*"?([^"\n]+?)"?\s*$/gim)].flatMap(([, path = "~"]) =>
      path.startsWith("~") ? [] : [path],
    ),
  );
}

export async function settingsIn(
  commonDirectory: string,
  environment: Pick<Environment, "readFile">,
): Promise<string | undefined> {
  try {
    const { bytes } = await environment.readFile(`${commonDirectory}/config`, { maxBytes: 256 * 1024 });
    return Buffer.from(bytes).toString();
  } catch (error) {
    if (error instanceof ToolError && error.code !== "cancelled" && !isExhaustion(error)) return undefined;
    throw error;
  }
}

function suspectFilters(what: string): ToolError {
  return new ToolError("unsupported", `The settings of this repository define ${what}`, {
    hint: "Ask the user to check .git/config.",
    forUser: { hint: "Check .git/config." },
  });
}
