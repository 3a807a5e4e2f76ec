import type { ToolAccess } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { type PolicyMode, policyModes, type Question, type RuleOrigin, type RuleSource } from "../policy.ts";
import { type About, type Effect, loosens, type ParsedRule, type PathUse, type ToolPattern } from "./rule.ts";
import {
  checkClass,
  checkGlob,
  checkHost,
  endOf,
  oneOf,
  RuleSyntaxError,
  type RuleWord,
  readTools,
  readWords,
  unknownWord,
} from "./rule-words.ts";
import { mayLoosen, readSetting, type Setting, settingWords } from "./settings.ts";

export interface ParsedRules {
  readonly rules: readonly ParsedRule[];
  /** The variables and limits of commands. */
  readonly settings: readonly Setting[];
  /** Examples in the rule file, for `policy test`. */
  readonly examples: readonly Example[];
  /** Lines that are ignored because the file may only tighten. */
  readonly ignored: readonly RuleOrigin[];
  /** Lines that an earlier version wrote and that no longer count: rules that were bound to program text by `while`. */
  readonly outdated: readonly RuleOrigin[];
}

/** Parses a rule file. Throws `invalid-input` with file, line, column and hint. */
export function parseRules(source: RuleSource): ParsedRules {
  if (source.text.length > maxLength)
    throw new ToolError(
      "invalid-input",
      `The rules in ${source.name} are longer than ${maxLength / 1024} kB`,
      { hint: "Remove rules, or combine them with wildcards." },
    );
  const rules: ParsedRule[] = [];
  const settings: Setting[] = [];
  const examples: Example[] = [];
  const ignored: RuleOrigin[] = [];
  const outdated: RuleOrigin[] = [];
  for (const [index, line] of source.text.split(/\r?\n/).entries()) {
    const origin = { level: source.level, name: source.name, line: index + 1, text: line.trim() };
    try {
      if (/^\s*expect\s/.test(line)) {
        examples.push(readExample(line, origin));
        continue;
      }
      const setting = readSetting(line, origin);
      if (setting !== undefined) {
        const { onlyTightens } = source;
        if (onlyTightens && mayLoosen(setting)) ignored.push(origin);
        else settings.push({ ...setting, onlyTightens });
        continue;
      }
      if (boundToText.test(line)) {
        outdated.push(origin);
        continue;
      }
      const found = readRules(line, origin);
      if (source.onlyTightens && found.some(({ effect }) => loosens(effect))) ignored.push(origin);
      else rules.push(...found);
    } catch (error) {
      if (error instanceof RuleSyntaxError) throw explain(source, line, index + 1, error);
      throw error;
    }
  }
  return { rules, settings, examples, ignored, outdated };
}

/** `allow run npm test while package.json:test=HASH by shell.run` */
const boundToText =
  /^\s*(?:allow|unconfined)\s+run\s.*\swhile(?:\s+(?:'[^']*=(?:[0-9a-f]{32}|none|unreadable)'|\S+=(?:[0-9a-f]{32}|none|unreadable)))+(?:\s+(?:by|because)\s.*)?$/;

/**
 * The maximum length, enough for thousands of rules. More would slow every start, and a project's file may be hostile.
 */
const maxLength = 256 * 1024;

/** Parses a line. A line with several subjects becomes several rules. */
function readRules(line: string, origin: RuleOrigin): ParsedRule[] {
  const [first, second] = readWords(line, { onlyStars: true, most: 2 });
  if (first === undefined) return [];
  const effect = effects.find((name) => first.bare && first.text === name);
  if (effect === undefined)
    throw unknownWord(first, `begin the rule with ${[...effects, ...settingWords].join(", ")} or expect`);
  const isClass = effect === "secret" || effect === "protected" || effect === "open";
  const known = effect === "unconfined" ? (["run"] as const) : subjects;
  const subject = isClass ? "touch" : known.find((name) => second?.bare && second.text === name);
  if (subject === undefined) throw unknownWord(second ?? endOf(line), oneOf(effect, known));
  const head = isClass ? first : second!;
  const onlyStars = subject === "run" || subject === "connect";
  const words = readWords(line, { onlyStars, from: head.column + head.text.length });
  const last = words.at(-1) ?? head;
  const because = takeBecause(words);
  const by = takeBy(words);
  const [start] = words;
  const end = words.at(-1);
  if (start === undefined || end === undefined)
    throw unknownWord(endOf(line), `add ${objects[subject]} after ${isClass ? effect : subject}`);
  if (subject === "connect") words.forEach(checkHost);
  else if (subject !== "run") words.forEach(checkGlob);
  const before = line.slice(first.column, start.column);
  const after = line.slice(end.column + end.text.length, last.column + last.text.length);
  return readAbouts(subject, words).map(({ about, text }) => {
    return { effect, about, by, because, origin: { ...origin, text: before + text + after } };
  });
}

const effects: readonly Effect[] = ["allow", "ask", "deny", "secret", "protected", "open", "unconfined"];
const subjects = ["run", "read", "write", "delete", "touch", "connect", "use"] as const;
type Subject = (typeof subjects)[number];

const objects: Readonly<Record<Subject, string>> = {
  run: "a command",
  read: "a path",
  write: "a path",
  delete: "a path",
  touch: "a path",
  connect: "a host",
  use: "a tool",
};

function readAbouts(subject: Subject, words: readonly RuleWord[]): { about: About; text: string }[] {
  switch (subject) {
    case "run":
      return [
        { about: { kind: "run", words: checkClass(words) }, text: words.map(({ text }) => text).join(" ") },
      ];
    case "connect":
      return words.map((host) => ({ about: { kind: "connect", host }, text: host.text }));
    case "use":
      return readTools(words).map(({ definition, ...tool }) => {
        const server = tool.server === undefined ? "" : ` of ${tool.server.text}`;
        const as = definition === undefined ? "" : ` as ${definition}`;
        return { about: { kind: "use", tool, definition }, text: `${tool.name.text}${server}${as}` };
      });
    default: {
      const uses: readonly PathUse[] = subject === "touch" ? ["read", "write", "delete"] : [subject];
      return words.map((glob) => ({ about: { kind: "path", uses, glob }, text: glob.text }));
    }
  }
}

function takeBecause(words: RuleWord[]): string | undefined {
  const [keyword, reason] = words.slice(-2);
  const isKeyword = keyword?.bare && keyword.text === "because";
  if (!isKeyword || reason === undefined || !/^["'].*["']$/.test(reason.text)) return undefined;
  words.splice(-2);
  return reason.literal;
}

function takeBy(words: RuleWord[]): ToolPattern | undefined {
  const isWord = (index: number, text: string) => words.at(index)?.bare && words.at(index)?.text === text;
  if (isWord(-4, "by") && isWord(-2, "of")) {
    const [, name, , server] = words.splice(-4);
    return { name: name!, server };
  }
  if (!isWord(-2, "by")) return undefined;
  const [, name] = words.splice(-2);
  return { name: name!, server: undefined };
}

function explain(source: RuleSource, text: string, line: number, error: RuleSyntaxError): ToolError {
  // A rule file can come with a repository, and its text must not control a terminal.
  const where = `${printableLine(source.name)}:${line}:${error.column + 1}`;
  const before = printableLine(text.slice(0, error.column)).length;
  const marked = text.length > 200 ? "" : `\n  ${printableLine(text)}\n  ${" ".repeat(before)}^`;
  const problem = `Bad rule at ${where}: ${printableLine(error.message)}${marked}`;
  return new ToolError("invalid-input", problem, { hint: error.hint && printableLine(error.hint) });
}

/** An expected verdict: `expect deny run rm -rf /`. */
export interface Example {
  readonly verdict: "allow" | "ask" | "deny";
  readonly mode: PolicyMode;
  readonly tool: Question["tool"];
  readonly accesses: readonly ToolAccess[];
  readonly origin: RuleOrigin;
}

/** Parses `expect VERDICT [in MODE] CALL`. After `run` the rest of the line is a command, whatever it contains. */
function readExample(line: string, origin: RuleOrigin): Example {
  const [, head = "", verdict, writtenMode = "cautious", subject, rest = ""] =
    /^(\s*expect\s+)(?:(allow|ask|deny)\s+)?(?:in\s+(\w+)\s+)?(?:(run|read|write|delete|connect|use)\s+)?(.*)$/.exec(
      line,
    ) ?? [];
  const at = { column: line.length - rest.length };
  if (verdict === undefined || subject === undefined)
    throw new RuleSyntaxError(
      "an expectation needs a verdict and a call",
      verdict === undefined ? head.length : at.column,
      "Write: expect allow|ask|deny [in MODE] run|read|write|delete|connect|use …",
    );
  const mode = policyModes.find((each) => each === writtenMode.toLowerCase());
  if (mode === undefined)
    throw new RuleSyntaxError(
      `unknown mode "${writtenMode}"`,
      line.indexOf(writtenMode),
      `Use one of: ${policyModes.join(", ")}.`,
    );
  const known = { verdict: verdict as Example["verdict"], mode, origin };
  if (subject === "run")
    return { ...known, tool: exampleTools.run, accesses: [{ kind: "execute", command: rest }] };
  const words = readWords(line, { onlyStars: false, from: at.column });
  if (subject === "use") {
    const [pattern] = readTools(words.length === 0 ? [endOf(line)] : words);
    const server = pattern!.server?.literal;
    const name = pattern!.name.literal ?? pattern!.name.text;
    return { ...known, tool: { name, server, risk: "execute" }, accesses: [] };
  }
  const target = words[0]?.literal;
  if (target === undefined || words.length > 1)
    throw new RuleSyntaxError(
      `an expectation needs exactly one ${subject === "connect" ? "host" : "path"}`,
      at.column,
      "Quote a name that contains blanks or wildcards.",
    );
  const access: ToolAccess =
    subject === "connect" ? { kind: "network", host: target } : { kind: subject as PathUse, path: target };
  return { ...known, tool: exampleTools[subject as keyof typeof exampleTools], accesses: [access] };
}

const exampleTools = {
  run: { name: "shell.run", risk: "execute" },
  read: { name: "file.read", risk: "read" },
  write: { name: "file.write", risk: "write" },
  delete: { name: "file.delete", risk: "destructive" },
  connect: { name: "web.fetch", risk: "network" },
} as const satisfies Record<string, Example["tool"]>;
