import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";

/** A filter that settings name: programs through which files go into the repository, and out of it. */
export interface FilterDriver {
  readonly name: string;
  /** As settings spell them, by what they are for. */
  readonly commands: Readonly<Partial<Record<FilterUse, string>>>;
  /** "repository": its own settings name a part of it; "person": those of the person or the machine. */
  readonly from: "repository" | "person";
}

type FilterUse = "clean" | "smudge" | "process";

/**
 * Files that settings of the repository put in the place of the person's own, wherever they lie; as settings that put them
 * back. What `git config --list -z --show-scope` has printed.
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

/** Settings under which none of the filters is run. */
export function withoutFilters(drivers: readonly FilterDriver[]): readonly string[] {
  return drivers.flatMap(({ name }) => [
    `filter.${name}.clean=`,
    `filter.${name}.smudge=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ]);
}

/** What `git config --list -z --show-scope` has printed. */
export function driversIn(listing: string): readonly FilterDriver[] {
  const found = new Map<
    string,
    { commands: Partial<Record<FilterUse, string>>; from: FilterDriver["from"] }
  >();
  const fields = listing.split("\0");
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, name, use, command = ""] =
      /^filter\.([^\n]*)\.([^.\n]*)(?:\n(.*))?$/s.exec(fields[at + 1]!) ?? [];
    if (name === undefined || !(use === "clean" || use === "smudge" || use === "process")) continue;
    // On the command line it would be another setting.
    if (name.includes("=")) throw unfitName(name);
    const driver = found.get(name) ?? { commands: {}, from: "person" };
    driver.commands[use] = command;
    if (!personal.has(fields[at]!)) driver.from = "repository";
    found.set(name, driver);
  }
  if (found.size > maxDrivers) throw tooManyDrivers(found.size);
  return Array.from(found, ([name, driver]) => ({ name, ...driver }));
}

const personal = new Set(["system", "global"]);

/** Beside those of the person, who has git-lfs at most. */
const maxDrivers = 100;

/**
 * Whether settings of a repository certainly name no filter and no other file with settings: every bracket in them begins a
 * section that git writes by itself. What is not certain is left to git to read.
 */
export function isPlainSettings(text: string): boolean {
  for (const [, section = ""] of text.matchAll(/\[([^\]\s"]*)/g))
    if (!plainSections.has(section.toLowerCase())) return false;
  return !/worktreeConfig|excludesFile|attributesFile/i.test(text);
}

const plainSections = new Set("core remote branch user submodule lfs pull push gui".split(" "));

/** Settings of the repository itself, if they can be read from here. */
export async function settingsIn(
  commonDirectory: string,
  environment: Pick<Environment, "readFile">,
): Promise<string | undefined> {
  try {
    const { bytes } = await environment.readFile(`${commonDirectory}/config`, { maxBytes: 256 * 1024 });
    return Buffer.from(bytes).toString();
  } catch (error) {
    if (error instanceof ToolError && error.code !== "cancelled") return undefined;
    throw error;
  }
}

function unfitName(name: string): ToolError {
  return new ToolError(
    "unsupported",
    `The settings of this repository have a filter ${JSON.stringify(name)}`,
    {
      hint: "No filter in use has such a name: ask the person to look at .git/config.",
    },
  );
}

function tooManyDrivers(count: number): ToolError {
  return new ToolError("unsupported", `The settings of this repository name ${count} filters`, {
    hint: "Ask the person to look at .git/config.",
  });
}
