import type { Word } from "./command.ts";

/**
 * Returns the settings file that the words after `git config` change. Returns undefined if they only read, or set what
 * cannot make git run a program.
 */
export function settingsFileChangedBy(words: readonly Word[]): string | undefined {
  const first = splitOptions(words);
  const subcommand = first.rest[0]?.value ?? "";
  if (/^(?:list|get)$/.test(subcommand)) return undefined;
  const later = subcommand === "set" ? splitOptions(first.rest.slice(1)) : { options: [], rest: first.rest };
  const options = [...first.options, ...later.options].map(({ value }) => value ?? "");
  if (options.some((option) => /^(?:--get.*|-l|--list)$/.test(option)) || later.rest.length < 2)
    return undefined;
  if (options.some((option) => /^--(?:global|system)$/.test(option))) return "~/.gitconfig";
  const [key, value] = later.rest.map((word) => word.value);
  const isPlain = later.rest.length === 2 && options.every((option) => usualOption.test(option));
  if (isPlain && key !== undefined && value !== undefined && isHarmlessSetting(key, value)) return undefined;
  return ".git/config";
}

/** Git takes no options after the first word that is not one. */
function splitOptions(words: readonly Word[]): {
  readonly options: readonly Word[];
  readonly rest: readonly Word[];
} {
  let count = 0;
  while (words[count]?.start.startsWith("-"))
    count += optionWithValue.test(words[count]!.value ?? "") ? 2 : 1;
  return { options: words.slice(0, count), rest: words.slice(count) };
}

const optionWithValue = /^(?:-f|--file|--blob|--type|--default|--comment|--value)$/;
const usualOption = /^--(?:local|add|append|replace-all|all|bool|int|bool-or-int|type=[\w-]+)$/;

/**
 * Whether a setting cannot make git run a program, at any sandbox level. The sandbox itself allows some more: see
 * `is_harmless_setting` in git-service.pl.
 */
function isHarmlessSetting(key: string, value: string): boolean {
  const name = key.toLowerCase();
  // In an address, `ext::` names a program. `!` begins a command, and `-` an option of a program.
  if (key.includes("\n") || /^[!-]|::/.test(value)) return false;
  return plainSettings.has(name) || families.test(name);
}

const families =
  /^(?:(?:advice|color|column|status|stash)\.[a-z.]+|remote\..+\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror)|branch\..+\.(?:remote|merge|rebase|description|pushremote)|submodule\..+\.(?:url|active|branch|ignore|fetchrecursesubmodules))$/;

/** No value of these settings names a program or a file. */
export const plainSettings: ReadonlySet<string> = new Set(
  Object.entries({
    core: "filemode ignorecase precomposeunicode symlinks autocrlf eol safecrlf longpaths quotepath abbrev compression commentchar whitespace",
    user: "name email signingkey useconfigonly",
    author: "name email",
    committer: "name email",
    commit: "gpgsign verbose status cleanup",
    tag: "gpgsign sort",
    init: "defaultbranch",
    gc: "auto autodetach pruneexpire",
    submodule: "active recurse fetchjobs",
    pull: "rebase ff",
    rerere: "enabled autoupdate",
    push: "default autosetupremote followtags recursesubmodules useforceifincludes",
    rebase: "autosquash autostash updaterefs stat missingcommitscheck forkpoint rebasemerges",
    fetch: "prune prunetags parallel recursesubmodules",
    merge: "conflictstyle ff renames renamelimit directoryrenames stat log autostash renormalize",
    log: "date decorate abbrevcommit follow showroot",
    branch: "autosetupmerge autosetuprebase sort",
    checkout: "defaultremote guess",
    remote: "pushdefault",
    diff: "algorithm renames renamelimit mnemonicprefix noprefix colormoved context interhunkcontext submodule ignoresubmodules",
  }).flatMap(([section, names]) => names.split(" ").map((name) => `${section}.${name}`)),
);
