import { programName } from "../rules/spellings.ts";
import type { SimpleCommand } from "./analysis.ts";

/** Whether a command runs code that the workspace may hold: a script, a test, a build, or an unknown program. */
export function runsCode({ program, effects }: SimpleCommand): boolean {
  return program === undefined || effects.some(({ risk }) => risk === "execute");
}

/**
 * Whether a command takes what it runs from its standard input: `python3 -`, `node`, `… | sh`, `bash <<EOF`. The words of
 * such a command say nothing about what runs.
 */
export function readsProgram({ program, words }: SimpleCommand): boolean {
  if (program === undefined) return false;
  const values = words.slice(1).map(({ value }) => value);
  const name = programName(program);
  if (/^(?:xargs|parallel)$/.test(name))
    return values.some((value) => value !== undefined && interpreters.has(programName(baseName(value))));
  if (/^(?:make|gmake)$/.test(name)) return namesInput(values, /^(?:-f|--file|--makefile)$/);
  if (/^(?:at|batch)$/.test(name)) return true;
  const known = interpreters.get(name);
  return known !== undefined && !hasScript(values, known);
}

interface Interpreter {
  /** Options whose value, or the rest of the words, is the code or names it. */
  readonly code?: RegExp;
  /** Options whose value is the next word. */
  readonly takesValue?: RegExp;
}

const shell: Interpreter = {
  code: /^-[a-zA-Z]*c/,
  takesValue: /^(?:[-+][a-zA-Z]*[oO]|--(?:rcfile|init-file))$/,
};
const sed: Interpreter = {
  code: /^(?:-e|--expression)/,
  takesValue: /^-l$/,
};

const interpreters: ReadonlyMap<string, Interpreter> = new Map(
  Object.entries({
    ...Object.fromEntries(
      "bash sh dash ash zsh ksh fish csh tcsh pwsh".split(" ").map((name) => [name, shell]),
    ),
    node: {
      code: /^(?:-[ep]|-pe|--eval|--print|--test|--run)(?:=|$)/,
      takesValue:
        /^(?:-[rC]|--(?:require|import|loader|experimental-loader|env-file|conditions|input-type|title))$/,
    },
    python: { code: /^-[A-Za-z]*[cm]/, takesValue: /^-[A-Za-z]*[WX]$/ },
    perl: { code: /^-[a-zA-Z]*[eE]/, takesValue: /^-[IMm]$/ },
    ruby: { code: /^-[a-zA-Z]*e/, takesValue: /^-[rIEC]$/ },
    php: { code: /^-[rRBES]/, takesValue: /^-[dcz]$/ },
    lua: { code: /^-e/, takesValue: /^-l$/ },
    Rscript: { code: /^-e$/ },
    R: { code: /^(?:-e|-f|--file)/ },
    julia: { code: /^-[eE]|^--(?:eval|print)/ },
    tsx: { code: /^-[ep]$/, takesValue: /^(?:-r|--require|--import)$/ },
    "ts-node": { code: /^-[ep]$/, takesValue: /^(?:-r|--require)$/ },
    deno: {},
    bun: {},
    ".": {},
    source: {},
    sed,
    awk: { takesValue: /^-[vFE]$/ },
    gawk: { takesValue: /^-[vFE]$/ },
    mawk: { takesValue: /^-[vFE]$/ },
  }),
);

/** Whether the words name the code to run: an operand that is a file, or an option with code. */
function hasScript(words: readonly (string | undefined)[], { code, takesValue }: Interpreter): boolean {
  // An unknown long option may take the next word as its value.
  let wanted = 1;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    // Only the shell knows the word, so it may be nothing.
    if (word === undefined) continue;
    if (isInput(word)) return false;
    if (code?.test(word)) return !isInput(words[at + 1] ?? "");
    if (takesValue?.test(word)) at += 1;
    else if (/^(?:-f|--file)$/.test(word)) return !isInput(words[at + 1] ?? "");
    else if (word === "run" && at === 0) continue;
    else if (/^--./.test(word)) wanted += word.includes("=") ? 0 : 1;
    else if (word.startsWith("-") || word.startsWith("+")) continue;
    else if (--wanted === 0) return true;
  }
  return false;
}

function namesInput(words: readonly (string | undefined)[], option: RegExp): boolean {
  return words.some((word, at) => word !== undefined && option.test(word) && isInput(words[at + 1] ?? ""));
}

function isInput(word: string): boolean {
  return word === "-" || /^\/(?:dev\/(?:stdin|fd\/)|proc\/(?:self|\d+)\/fd\/)/.test(word);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
