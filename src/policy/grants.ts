import type { SimpleCommand } from "../engine/policy/commands/command.ts";
import { isKnownProgram } from "../engine/policy/commands/names.ts";
import { gitSubcommandAt, programName } from "../engine/policy/commands/spellings.ts";
import { passesInput } from "../engine/policy/what-still-asks.ts";
import { quoteForRule } from "../lib/text/rule-text.ts";
import type { Decision, PolicyPart, PolicyVerdict, Question } from "./policy.ts";
import { harm } from "./rules/command-risk.ts";

/** The rules that an answer adds, and what they allow the tool, in words: `run exactly: npm test`. */
export interface GrantWidth {
  readonly rules: readonly string[];
  readonly words: string;
}

interface Grant {
  readonly rule: string;
  /** Follows "may". */
  readonly words: string;
}

interface Asked {
  readonly tool: Pick<Question["tool"], "name" | "server">;
}

/** Returns the rules that would allow exactly this call, one per line; undefined if a part cannot be granted. */
export function grantsFor(decision: Decision, asked: Asked): readonly string[] | undefined {
  return grantWidths(decision, asked)[0]?.rules;
}

/**
 * Returns the rules that an answer may add, from exactly this call to wider ones: a command with any further
 * arguments, and every command that only reads. Empty if a part cannot be granted, or only once.
 */
export function grantWidths(decision: Decision, { tool }: Asked): readonly GrantWidth[] {
  const asked = decision.parts.filter(({ verdict }) => verdict === "ask");
  if (asked.some((part) => isOnlyOnce(part, decision) || isInputPassed(part))) return [];
  const by = ` by ${named(tool.name, tool.server)}`;
  const widthOf = (grantOf: (part: PolicyPart) => Grant | undefined): GrantWidth | undefined => {
    const grants = asked.map(({ part, firm }) => (firm ? undefined : grantOf(part)));
    const rules = grants.flatMap((grant, at) => {
      const rule = grant && `${grant.rule}${by}`;
      return asked[at]!.bare ? [rule, rule?.replace(/^allow/, "unconfined")] : [rule];
    });
    if (rules.length === 0 || !rules.every(isOneLine)) return undefined;
    const all = grants.map((grant, at) =>
      asked[at]!.bare ? grant!.words.replace(/^run/, "run without a sandbox,") : grant!.words,
    );
    const words = unique(all).join("; ");
    const isLong = words.length > maxWords;
    return {
      rules: unique(rules as string[]),
      words: isLong ? again : words,
    };
  };
  const exact = widthOf(grant);
  if (exact === undefined) return [];
  // Without a sandbox, further arguments are not limited by anything.
  if (asked.some(({ bare }) => bare)) return [exact];
  const wider = widthOf((part) => widerGrant(part) ?? grant(part))!;
  const readsOnly = asked.every(({ part }) => part.kind === "run" && part.command.risk === "read");
  const reading = readsOnly
    ? widthOf(() => ({ rule: "allow run @read", words: "run any command that only reads" }))
    : undefined;
  const widths = [exact, wider, ...(reading ? [reading] : [])];
  return widths.filter(
    ({ rules, words }, at) => at === 0 || (rules.join("\n") !== exact.rules.join("\n") && words !== again),
  );
}

/** In place of longer words, which are not read. */
const again = "do exactly this again";
const maxWords = 300;

/**
 * Whether a part can only be allowed once: a rule would allow any text that comes from standard input, and nothing would
 * limit code of the workspace that runs outside the sandbox.
 */
function isOnlyOnce({ part, bare }: PolicyVerdict, { unconfined }: Decision): boolean {
  if (part.kind !== "run") return false;
  const { command } = part;
  if (!command.isPlain || readsProgram(command)) return true;
  const { program, risk } = command;
  const runsCode =
    program === undefined ||
    risk === "execute" ||
    !isKnownProgram(program) ||
    /^(?:sed|[gm]?awk)$/.test(program);
  return (bare || unconfined) === true && runsCode;
}

function isInputPassed({ part }: PolicyVerdict): boolean {
  return part.kind === "run" && passesInput(part.command);
}

/** Whether an interpreter gets no file and no code, so that it may run any text: `python3 -`, `node`, `bash -e`. */
function readsProgram({ program, words }: SimpleCommand): boolean {
  const name = programName(program ?? "");
  if (/^(?:at|batch)$/.test(name)) return true;
  const values = words.slice(1).map(({ value }) => value ?? "");
  const isInput = values.some((value) => value === "-" || /^\/(?:dev\/(?:stdin|fd\/)|proc\/)/.test(value));
  if (/^(?:xargs|parallel)$/.test(name))
    return values.some((value) => interpreters.has(programName(value.slice(value.lastIndexOf("/") + 1))));
  if (/^(?:make|gmake|sed|awk|gawk|mawk)$/.test(name))
    return isInput && values.some((value) => /^-f|^--file/.test(value));
  const options = interpreters.get(name);
  if (options === undefined) return false;
  if (isInput) return true;
  const { code, takesValue } = options;
  const isFlag = (value: string) =>
    /^(?:[-+][a-zA-Z]+|--[\w-]+=.*)$/.test(value) && !code.test(value) && !takesValue.test(value);
  // A long option may take the next word, and then no file is named.
  const word = values.find((value) => value !== "run" && !isFlag(value)) ?? "";
  return word === "" || (/^[-+]/.test(word) && !code.test(word));
}

/** Interpreters, with the options that hold code or name it, and the short ones whose value is the next word. */
const interpreters: ReadonlyMap<string, { readonly code: RegExp; readonly takesValue: RegExp }> = new Map(
  (
    [
      ["bash sh dash ash zsh ksh fish csh tcsh pwsh", /^-[a-zA-Z]*c$/, /^[-+]\w*[oO]$|^-\w*s/],
      ["node tsx ts-node", /^(?:-[ep]|-pe|--(?:eval|print|test|run))$/, /^-[rC]$/],
      ["python", /^-[a-zA-Z]*[cm]$/, /^-\w*[WX]$/],
      ["perl ruby lua julia Rscript R", /^-[a-zA-Z]*[eE]/, /^-\w*[IMmrClLHJpt]$/],
      ["php", /^-[frRBE]$/, /^-[dcz]$/],
      ["deno bun . source", /^$/, /^-/],
    ] as const
  ).flatMap(([names, code, takesValue]) =>
    names.split(" ").map((name) => [name, { code, takesValue }] as const),
  ),
);

function grant(part: PolicyPart): Grant | undefined {
  switch (part.kind) {
    case "use": {
      const as = part.definition === undefined ? "" : ` as ${part.definition}`;
      const rule = `allow use ${named(part.tool, part.server)}${as}`;
      return { rule, words: `be used with any arguments${as && ", as it is defined now"}` };
    }
    case "connect":
      if (part.host === undefined) return undefined;
      return {
        rule: `allow connect ${quoteForRule(part.host)}`,
        words: `connect to ${quoteForRule(part.host)}`,
      };
    case "run": {
      const words = commandWords(part.command);
      return words === undefined ? undefined : { rule: `allow run ${words}`, words: `run exactly: ${words}` };
    }
    case "unclear":
      return undefined;
    default: {
      if (part.target.kind !== "known") return undefined;
      const words = `${part.kind} ${quoteForRule(part.target.real ?? part.target.path)}`;
      return { rule: `allow ${words}`, words };
    }
  }
}

/** Grants a command with any further arguments; undefined where that would allow much more. */
function widerGrant(part: PolicyPart): Grant | undefined {
  const kept = part.kind === "run" ? wordsKept(part.command) : undefined;
  if (part.kind !== "run" || kept === undefined) return undefined;
  const words = commandWords({ ...part.command, words: part.command.words.slice(0, kept) });
  if (words === undefined) return undefined;
  return { rule: `allow run ${words} **`, words: `run ${words} with any further arguments` };
}

/** How many words of a command say what it does, so that any others may follow them. Rules never let `**` stand for a harmful option. */
function wordsKept(command: SimpleCommand): number | undefined {
  const words = command.words.map(({ value }) => value ?? "-");
  const [, first = "", second] = words;
  const { risk } = command;
  if (harm(risk) > harm("execute")) return undefined;
  if (command.program === "git") return gitSubcommandAt(words) === 1 ? 2 : undefined;
  if (harm(risk) < harm("execute") || command.program === undefined) return 1;
  if (/^(?:npm|pnpm|yarn|bun)$/.test(command.program) && /^[a-z]/.test(first))
    return /^run(?:-script)?$/.test(first) && second !== undefined ? 3 : 2;
  const option = words.findIndex((word) => word.startsWith("-"));
  const leading = option < 0 ? words.length : option;
  // A program that runs code and has no operand before its options could run anything.
  return leading > 1 ? leading : words.length > 1 ? words.length : undefined;
}

/** Returns the words of a command as a rule has them; undefined when one is not known. */
function commandWords({ words, assignments }: SimpleCommand): string | undefined {
  const values = [...words, ...assignments.map(({ value }) => value)].map((word) => word?.value);
  if (values.includes(undefined)) return undefined;
  const sets = assignments.map(({ name, value }) => `${name}=${quoteForRule(value!.value!)}`);
  const [program, ...rest] = words.map(({ value }) => quoteForRule(value!));
  // The quotes keep a program of that name from being read as a variable.
  const isName = /^[A-Za-z_]\w*=/.test(program ?? "");
  return [...sets, isName ? `'${program}'` : program, ...rest].join(" ");
}

function unique(lines: readonly string[]): readonly string[] {
  return [...new Set(lines)];
}

/** Returns a tool as rules name it. Without a server it is a built-in tool. */
function named(tool: string, server: string | undefined): string {
  return server === undefined ? quoteForRule(tool) : `${quoteForRule(tool)} of ${quoteForRule(server)}`;
}

/** Returns whether a rule is on one line. A word with a line end would split it into two rules. */
function isOneLine(line: string | undefined): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  return line !== undefined && !/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(line);
}
