import { randomBytes } from "node:crypto";
import { lstatSync, renameSync, writeFileSync } from "node:fs";
import { atRealPlace, changeAt, contentAt } from "../../local/pinning/at-real-place.ts";

const maxBytes = 1024 * 1024;

/**
 * Whoever replaces a file of git's settings outside, as git itself does, uncovers it in a sandbox that runs: then a command
 * can write in it until it is ended. What is called does away with what it may have written, and tells; nothing, if nothing
 * happened.
 */
export function keepSettings(path: string): () => string {
  const before = atRealPlace(path, standing);
  if (before === undefined) return () => "";
  return () => atRealPlace(path, (place) => changeAt(place, () => settle(path, place, before))) ?? "";
}

interface Standing {
  readonly identity: string;
  readonly mode: number;
  readonly text: string;
}

/** A file only. */
function standing(place: string): Standing | undefined {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return undefined;
  const bytes = contentAt(place, maxBytes);
  if (bytes === undefined) return undefined;
  const text = Buffer.from(bytes).toString("latin1");
  return { identity: `${stats.dev}:${stats.ino}`, mode: stats.mode & 0o777, text };
}

function settle(path: string, place: string, before: Standing): string {
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return "";
  const now = standing(place);
  if (now !== undefined && (now.identity === before.identity || addsOnlyHarmless(before.text, now.text)))
    return "";
  const id = randomBytes(3).toString("hex");
  writeFileSync(`${place}.${id}`, before.text, { flag: "wx", mode: before.mode, encoding: "latin1" });
  renameSync(place, `${place}.replaced-${id}`);
  renameSync(`${place}.${id}`, place);
  return `${path} was replaced while the command ran, and has settings now that may be the command's and may run programs: it was put back as it was before, and what was found is in ${path}.replaced-${id}. Tell the person.`;
}

/** By what git writes itself: whatever is spelt otherwise may mean anything. */
function addsOnlyHarmless(before: string, after: string): boolean {
  if (before === after) return true;
  const [old, found] = [settingsIn(before), settingsIn(after)];
  if (old === undefined || found === undefined) return false;
  return found.every((setting) => old.includes(setting) || harmless.test(setting));
}

// None of them names a program. In place of an address, `ext::` does.
const harmless = new RegExp(
  `^(?:${[
    "core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)",
    "user\\.(?:name|email)",
    "(?:advice|color|pull|push|rebase)\\.\\w+",
    "remote\\.pushdefault",
    "remote\\..+\\.(?:url|pushurl|fetch|tagopt|prune)",
    "branch\\..+\\.(?:remote|pushremote|merge|rebase|description)",
    "submodule\\..+\\.(?:url|active)",
  ].join("|")}) = (?!.*::)`,
);

/** As `section.name.key = value`; undefined when a line is none that git writes. */
function settingsIn(text: string): readonly string[] | undefined {
  const settings: string[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    const header = /^\[([\w.-]+)(?: "([^"\\\]]+)")?\]$/.exec(line);
    const setting = /^\t(\w+) = ([^\\]*)$/.exec(line);
    if (header !== null) section = [header[1]!.toLowerCase(), header[2]].filter(Boolean).join(".");
    else if (setting !== null) settings.push(`${section}.${setting[1]!.toLowerCase()} = ${setting[2]}`);
    else if (line !== "") return undefined;
  }
  return settings;
}
