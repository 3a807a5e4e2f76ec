import type { SimpleCommand, Word } from "./command.ts";
import { gitSubcommandAt, programName } from "./spellings.ts";

/** A command inside another: further words of it, or a text that a shell reads. */
export type Inner =
  | { readonly kind: "words"; readonly words: readonly Word[]; readonly isElsewhere?: true }
  | {
      readonly kind: "script";
      readonly script: Word;
      readonly inSameShell?: true;
      /** Whether it runs in a container or on another machine, or is a package of the project. */
      readonly isElsewhere?: true;
    }
  /** It runs something that no word names. */
  | { readonly kind: "unknown"; readonly reason: string };

/** Returns the commands inside a command, for rules about them. */
export function innerCommands({
  program,
  words,
  redirections,
}: Pick<SimpleCommand, "program" | "words" | "redirections">): readonly Inner[] {
  if (program === undefined) return [];
  const name = programName(program);
  const [, ...rest] = words;
  if (shells.test(name)) return ofShell(rest, redirections);
  switch (name) {
    case "eval":
      return rest.length === 0 ? [] : [{ ...scriptOf(rest), inSameShell: true }];
    case "find":
    case "fd":
      return actionsIn(rest);
    case "git":
      return ofGit(rest);
    case "su":
    case "script":
    case "flock": {
      const at = rest.findIndex(({ value }) => value === "-c" || value === "--command");
      const script = at < 0 ? undefined : rest[at + 1];
      return script === undefined ? [] : [{ kind: "script", script }];
    }
    case "command":
      // It only says what the name means.
      if (/^-[a-zA-Z]*[vV]/.test(rest[0]?.value ?? "")) return [];
      break;
    case "env": {
      const split = splitString(rest);
      if (split !== undefined) return [split];
      break;
    }
    case "watch":
      return [scriptOf(operandsOf(rest, wrappers["watch"]!))];
    case "trap":
      return rest.length > 1 ? [{ kind: "script", script: rest[0]! }] : [];
    case "ssh":
      return [{ ...scriptOf(operandsOf(rest, wrappers["ssh"]!)), isElsewhere: true }];
  }
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (wrapper === undefined) return [];
  const { isElsewhere } = wrapper;
  const inner = operandsOf(rest, wrapper);
  return inner.length === 0 ? [] : [{ kind: "words", words: inner, ...(isElsewhere && { isElsewhere }) }];
}

const shells = /^(?:bash|sh|dash|ash|zsh|ksh|busybox)$/;

interface Wrapper {
  /** Options whose value is the next word. */
  readonly values?: RegExp;
  /** Operands before the command. */
  readonly skip?: number;
  readonly isElsewhere?: true;
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  builtin: {},
  bunx: { isElsewhere: true },
  command: {},
  doas: { values: /^-[uC]$/ },
  docker: {
    values: /^(?:-[eupvw]|--(?:env|env-file|name|network|user|volume|workdir|publish))$/,
    skip: 2,
    isElsewhere: true,
  },
  env: { values: /^-[0iv]*[uC]$|^--[uc][a-z]*$/ },
  exec: { values: /^-a$/ },
  ionice: { values: /^-[cn]$|^--class(?:data)?$/ },
  nice: { values: /^-n$|^--a[a-z]*$/ },
  node: { values: /^(?:-[rC]|--(?:require|import|loader))$/, isElsewhere: true },
  nohup: {},
  npx: { values: /^(?:-p|--package)$/, isElsewhere: true },
  parallel: { values: /^-[jnN]$/ },
  pnpx: { isElsewhere: true },
  setsid: {},
  ssh: { values: /^-[bcDEeFIiJLlmOopQRSWw]$/, skip: 1, isElsewhere: true },
  stdbuf: { values: /^-[ioe]$|^--[ioe][a-z]*$/ },
  sudo: {
    values: /^-[AbBEeHKklNnPSsVvi]*[ughpCTDRrtU]$|^--(?:c|g|ho|o|pro|ro|t|u)[a-z-]*$/,
  },
  time: { values: /^-[fo]$|^--[fo][a-z]*$/ },
  timeout: { values: /^-[ks]$|^--[ks][a-z-]*$/, skip: 1 },
  watch: { values: /^-n$/ },
  xargs: { values: /^-[adEILnPs]$|^--(?:a|d|max-[apc]|pr)[a-z-]*$/ },
};

/** Whether a program runs its words in a container, on another machine or by a package. */
export function runsElsewhere(program: string): boolean {
  const name = programName(program);
  return Object.hasOwn(wrappers, name) && wrappers[name]?.isElsewhere === true;
}

/** Returns the words after options, their values, variables and some operands. */
function operandsOf(words: readonly Word[], { values, skip = 0 }: Wrapper): readonly Word[] {
  let left = skip;
  for (let at = 0; at < words.length; at += 1) {
    const { value, start } = words[at]!;
    if (value === "--") continue;
    if (value !== undefined && values?.test(value)) at += 1;
    else if (start.startsWith("-") || /^[A-Za-z_]\w*=/.test(start)) continue;
    else if (left > 0) left -= 1;
    else return words.slice(at);
  }
  return [];
}

/** Returns the command in `env -S "program words"`, which env splits into words. */
function splitString(words: readonly Word[]): Inner | undefined {
  const operand = words.length - operandsOf(words, wrappers["env"]!).length;
  const at = words.findIndex(({ start }, index) => index < operand && split.test(start));
  const option = words[at];
  if (option === undefined) return undefined;
  const [, attached = ""] = split.exec(option.start)!;
  const isKnown = option.value !== undefined;
  const first = { ...option, text: attached, start: attached, value: isKnown ? attached : undefined };
  return scriptOf([first, ...words.slice(at + 1)]);
}

const split = /^(?:-[0iv]*S|--s[a-z-]*=?)(.*)$/s;

function ofShell(words: readonly Word[], redirections: SimpleCommand["redirections"]): readonly Inner[] {
  const option = words.findIndex(({ value }) => /^-[a-zA-Z]*c/.test(value ?? ""));
  const operand = words.findIndex(({ start, value }) => value === undefined || !/^[-+]/.test(start));
  const isSetting = operand > 0 && /^-[^-]*[oO]$/.test(words[operand - 1]!.value ?? "");
  if (option >= 0 && (operand < 0 || option < operand || isSetting)) {
    const script = words.slice(option + 1).find(({ start }) => !/^[-+]/.test(start) || start.includes(" "));
    return script === undefined
      ? [{ kind: "unknown", reason: "a shell without commands" }]
      : [{ kind: "script", script }];
  }
  // `busybox ls`, and a file, which is code of the workspace.
  if (operand >= 0)
    return words[operand]!.value?.includes("/") ? [] : [{ kind: "words", words: words.slice(operand) }];
  const text = redirections.findLast(({ kind }) => kind === "text");
  return text === undefined
    ? [{ kind: "unknown", reason: "a shell that runs what it reads" }]
    : [{ kind: "script", script: text.target }];
}

/** Finds `-exec program words ;` and `-x program words`. */
function actionsIn(words: readonly Word[]): readonly Inner[] {
  return words.flatMap(({ value }, at): readonly Inner[] => {
    if (!/^-(?:exec|execdir|ok|okdir|x|X)$|^--exec/.test(value ?? "")) return [];
    const rest = words.slice(at + 1);
    const end = rest.findIndex((word, index) => word.value === ";" || (word.value === "+" && index > 0));
    return [{ kind: "words", words: end < 0 ? rest : rest.slice(0, end) }];
  });
}

/** Finds `git bisect run program words`, `rebase --exec`, `submodule foreach` and aliases given with `-c`. */
function ofGit(words: readonly Word[]): readonly Inner[] {
  const values = words.map(({ value }) => value);
  const at = values.indexOf("bisect");
  if (at >= 0 && values[at + 1] === "run") return [{ kind: "words", words: words.slice(at + 2) }];
  const each = values.indexOf("foreach");
  if (each > 0) return [scriptOf(words.slice(each + 1))];
  return words.flatMap((word, index): readonly Inner[] => {
    const [, name, isShell, text] = /^alias\.([^=]+)=(!?)(.*)$/is.exec(word.value ?? "") ?? [];
    const used = gitSubcommandAt(["git", ...values]);
    if (name !== undefined && used !== undefined && values[used - 1]?.toLowerCase() === name.toLowerCase()) {
      const rest = words.slice(used).map((given) => given.text);
      return [scriptAt(word, [`${isShell ? "" : "git "}${text}`, ...rest].join(" "))];
    }
    const given = values[index - 1];
    return /^(?:-x|--exec)$/.test(given ?? "") && values.includes("rebase")
      ? [{ kind: "script", script: word }]
      : [];
  });
}

/** Joins words with blanks, as a program does before a shell runs them. */
function scriptOf(words: readonly Word[]): Extract<Inner, { kind: "script" }> {
  const [first] = words;
  const known = words.every(({ value }) => value !== undefined);
  const value = known ? words.map((word) => word.value).join(" ") : undefined;
  const span = { start: first?.span.start ?? 0, end: words.at(-1)?.span.end ?? 0 };
  const text = words.map((word) => word.text).join(" ");
  return { kind: "script", script: { text, span, value, start: value ?? "", isInHome: false } };
}

function scriptAt(word: Word, value: string): Extract<Inner, { kind: "script" }> {
  return { kind: "script", script: { ...word, value, start: value } };
}
