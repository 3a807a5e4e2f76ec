import type { Access, Risk } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import { expandBraces } from "../../text/glob-braces.ts";
import { GlobSyntaxError, parseSegments } from "../../text/glob-segment.ts";
import { hostOf } from "../hosts.ts";
import { type Mode, modes } from "../mode.ts";
import type { RulePlace, RuleSource } from "../policy.ts";
import { RuleSyntaxError, type RuleWord, readWords } from "./read-words.ts";
import type { About, Effect, ParsedRule, PathUse, ToolPattern } from "./rule.ts";

/** What one rule file says. */
export interface ParsedRules {
  readonly rules: readonly ParsedRule[];
  /** Examples kept beside the rules, for `policy test`. */
  readonly examples: readonly Example[];
  /** Lines that do not count because the file may only tighten. */
  readonly ignored: readonly RulePlace[];
}

/** What a call should come to: `expect deny run rm -rf /`. */
export interface Example {
  readonly verdict: "allow" | "ask" | "deny";
  readonly mode: Mode;
  readonly tool: { readonly name: string; readonly server?: string; readonly risk: Risk };
  readonly accesses: readonly Access[];
  readonly place: RulePlace;
}

/** Reads a rule file. Throws `invalid-input` that names file, line, column and the way out. */
export function parseRules(source: RuleSource): ParsedRules {
  if (source.text.length > maxLength) throw tooLong(source);
  const rules: ParsedRule[] = [];
  const examples: Example[] = [];
  const ignored: RulePlace[] = [];
  for (const [index, line] of source.text.split(/\r?\n/).entries()) {
    const place = { level: source.level, name: source.name, line: index + 1, text: line.trim() };
    try {
      if (/^\s*expect\s/.test(line)) {
        examples.push(readExample(line, place));
        continue;
      }
      const found = readRules(line, place);
      if (source.onlyTightens && found.some(({ effect }) => loosens(effect))) ignored.push(place);
      else rules.push(...found);
    } catch (error) {
      if (error instanceof RuleSyntaxError) throw explain(source, line, index + 1, error);
      throw error;
    }
  }
  return { rules, examples, ignored };
}

/** Thousands of rules; more would keep every start busy, and a project's file may be hostile. */
const maxLength = 256 * 1024;

function tooLong({ name }: RuleSource): ToolError {
  return new ToolError("invalid-input", `The rules in ${name} are longer than ${maxLength / 1024} kB`, {
    hint: "Use wildcards, or leave out what is not needed.",
  });
}

/** Whether a rule can only let more pass. */
export function loosens(effect: Effect): boolean {
  return effect === "allow" || effect === "open";
}

/** A line that names several things is as many rules. */
function readRules(line: string, place: RulePlace): ParsedRule[] {
  const [first, second] = readWords(line, { onlyStars: true });
  if (first === undefined) return [];
  const effect = effects.find((name) => first.bare && first.text === name);
  if (effect === undefined) throw unknownWord(first, `a rule begins with ${effects.join(", ")} or expect`);
  const isClass = effect === "secret" || effect === "protected" || effect === "open";
  const subject = isClass ? "touch" : subjects.find((name) => second?.bare && second.text === name);
  if (subject === undefined)
    throw unknownWord(second ?? endOf(line), `after ${effect} comes ${subjects.join(", ")}`);
  const head = isClass ? first : second!;
  const onlyStars = subject === "run" || subject === "connect";
  const words = readWords(line, { onlyStars, from: head.column + head.text.length });
  const last = words.at(-1) ?? head;
  const because = takeBecause(words);
  const by = takeBy(words);
  const [start] = words;
  const end = words.at(-1);
  if (start === undefined || end === undefined)
    throw unknownWord(endOf(line), isClass ? `say what is ${effect}` : `say what to ${subject}`);
  if (subject === "connect") words.forEach(checkHost);
  else if (subject !== "run") words.forEach(checkGlob);
  const before = line.slice(first.column, start.column);
  const after = line.slice(end.column + end.text.length, last.column + last.text.length);
  return readAbouts(subject, words).map(({ about, text }) => {
    return { effect, about, by, because, place: { ...place, text: before + text + after } };
  });
}

const effects: readonly Effect[] = ["allow", "ask", "deny", "secret", "protected", "open"];
const subjects = ["run", "read", "write", "delete", "touch", "connect", "use"] as const;
type Subject = (typeof subjects)[number];

function readAbouts(subject: Subject, words: readonly RuleWord[]): { about: About; text: string }[] {
  switch (subject) {
    case "run":
      return [{ about: { kind: "run", words: checkClass(words) }, text: textOf(words) }];
    case "connect":
      return words.map((host) => ({ about: { kind: "connect", host }, text: host.text }));
    case "use":
      return readTools(words).map((tool) => {
        const server = tool.server === undefined ? "" : ` of ${tool.server.text}`;
        return { about: { kind: "use", tool }, text: `${tool.name.text}${server}` };
      });
    default: {
      const uses: readonly PathUse[] = subject === "touch" ? ["read", "write", "delete"] : [subject];
      return words.map((glob) => ({ about: { kind: "path", uses, glob }, text: glob.text }));
    }
  }
}

function textOf(words: readonly RuleWord[]): string {
  return words.map(({ text }) => text).join(" ");
}

/** `@read` and its like stand alone. */
function checkClass(words: readonly RuleWord[]): readonly RuleWord[] {
  const [first, ...more] = words;
  if (!first?.bare || !first.text.startsWith("@")) return words;
  if (!commandClasses.includes(first.text as `@${Risk}`))
    throw unknownWord(
      first,
      `the classes of commands are ${commandClasses.join(", ")}; quote a program of that name`,
    );
  if (more[0] !== undefined) throw unknownWord(more[0], `nothing follows ${first.text}`);
  return words;
}

const commandClasses = ["@read", "@write", "@execute", "@network", "@destructive"] as const;

function readTools(words: readonly RuleWord[]): readonly ToolPattern[] {
  const of = words.findIndex(({ bare, text }) => bare && text === "of");
  const names = of < 0 ? words : words.slice(0, of);
  const server = of < 0 ? undefined : words[of + 1];
  if (names.length === 0) throw unknownWord(words[0]!, "name a tool before `of`");
  if (of >= 0 && (server === undefined || of + 2 !== words.length))
    throw unknownWord(words[of + 2] ?? words[of]!, "after `of` comes the name of one MCP server");
  return names.map((name) => ({ name, server }));
}

/** Takes `because "…"` off the end. */
function takeBecause(words: RuleWord[]): string | undefined {
  const [keyword, reason] = words.slice(-2);
  if (
    !keyword?.bare ||
    keyword.text !== "because" ||
    reason === undefined ||
    !/^["'].*["']$/.test(reason.text)
  )
    return undefined;
  words.splice(-2);
  return reason.literal;
}

/** Takes `by TOOL` or `by TOOL of SERVER` off the end. */
function takeBy(words: RuleWord[]): ToolPattern | undefined {
  const isWord = (place: number, text: string) => words.at(place)?.bare && words.at(place)?.text === text;
  if (isWord(-4, "by") && isWord(-2, "of")) {
    const [, name, , server] = words.splice(-4);
    return { name: name!, server };
  }
  if (!isWord(-2, "by")) return undefined;
  const [, name] = words.splice(-2);
  return { name: name!, server: undefined };
}

/** `expect VERDICT [in MODE] CALL`; after `run` the rest of the line is a command, whatever it holds. */
function readExample(line: string, place: RulePlace): Example {
  const [, head = "", verdict, mode = "cautious", subject, rest = ""] =
    /^(\s*expect\s+)(?:(allow|ask|deny)\s+)?(?:in\s+(\w+)\s+)?(?:(run|read|write|delete|connect|use)\s+)?(.*)$/.exec(
      line,
    ) ?? [];
  const at = { column: line.length - rest.length };
  if (verdict === undefined || subject === undefined)
    throw new RuleSyntaxError(
      "this is no example",
      verdict === undefined ? head.length : at.column,
      "Write: expect allow|ask|deny [in MODE] run|read|write|delete|connect|use …",
    );
  if (!modes.includes(mode as Mode))
    throw new RuleSyntaxError(`there is no mode ${mode}`, line.indexOf(mode), `Modes: ${modes.join(", ")}.`);
  const known = { verdict: verdict as Example["verdict"], mode: mode as Mode, place };
  if (subject === "run")
    return { ...known, tool: exampleTools.run, accesses: [{ kind: "execute", command: rest }] };
  const words = readWords(line, { onlyStars: false, from: at.column });
  if (subject === "use") {
    const [pattern] = readTools(words.length === 0 ? [endOf(line)] : words);
    const server = pattern!.server?.literal;
    const name = pattern!.name.literal ?? pattern!.name.text;
    return { ...known, tool: { name, ...(server && { server }), risk: "execute" }, accesses: [] };
  }
  const target = words[0]?.literal;
  if (target === undefined || words.length > 1)
    throw new RuleSyntaxError(
      "an example names one thing",
      at.column,
      "Quote it if it holds blanks or wildcards.",
    );
  const access: Access =
    subject === "connect" ? { kind: "network", host: target } : { kind: subject as PathUse, path: target };
  return { ...known, tool: exampleTools[subject as keyof typeof exampleTools], accesses: [access] };
}

/** The tools that examples are about. */
const exampleTools = {
  run: { name: "shell.run", risk: "execute" },
  read: { name: "file.read", risk: "read" },
  write: { name: "file.write", risk: "write" },
  delete: { name: "file.delete", risk: "destructive" },
  connect: { name: "web.fetch", risk: "network" },
} as const satisfies Record<string, Example["tool"]>;

/** A rule is about hosts, so that one with a port or a path would say more than it means. */
function checkHost({ text, column }: RuleWord): void {
  if (hostOf(text) !== undefined && !/[/@?#]|^[^:[]*:[^:]*$|\]:/.test(text)) return;
  throw new RuleSyntaxError(
    `"${text}" is no host`,
    column,
    "Name a host without port and path; * stands for any part.",
  );
}

function checkGlob({ pattern, column }: RuleWord): void {
  // Nothing else can be wrong.
  if (!/[[{}\\]/.test(pattern)) return;
  try {
    for (const text of expandBraces(pattern)) parseSegments(text);
  } catch (error) {
    if (error instanceof GlobSyntaxError)
      throw new RuleSyntaxError(error.message, column + error.index, error.hint);
    if (error instanceof ToolError) throw new RuleSyntaxError(error.message, column, "Write several rules.");
    if (error instanceof RangeError)
      throw new RuleSyntaxError("these braces are nested too deep", column, "Write several rules.");
    throw error;
  }
}

function unknownWord({ text, column }: Pick<RuleWord, "text" | "column">, expected: string): RuleSyntaxError {
  const found = text === "" ? "the line ends too early" : `"${text}" is not understood`;
  return new RuleSyntaxError(found, column, `${expected[0]!.toUpperCase()}${expected.slice(1)}.`);
}

function endOf(line: string): RuleWord {
  return { text: "", pattern: "", literal: "", bare: true, column: line.length };
}

function explain(source: RuleSource, text: string, line: number, error: RuleSyntaxError): ToolError {
  const place = `${source.name}:${line}:${error.column + 1}`;
  const marked = text.length > 200 ? "" : `\n  ${text}\n  ${" ".repeat(error.column)}^`;
  return new ToolError("invalid-input", `Bad rule at ${place}: ${error.message}${marked}`, {
    hint: error.hint,
  });
}
