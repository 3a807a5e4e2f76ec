import type * as bash from "unbash";
import { forEachChild } from "unbash";
import { isCount, isNumeric, makeWord, type UnknownPart, type Word } from "../analysis.ts";
import { doubt, noteVariable, type Scope, type Stretch } from "./scope.ts";

type Part = string | UnknownPart;

/** Reads a word, and every command that the shell runs to expand it. */
export function readWord(word: bash.Word, scope: Scope): Word {
  const parts = readParts(word, word.parts ?? [literal(word)], scope);
  return makeWord(word.text, scope.locate(word.pos, word.end), parts);
}

export function readHereDocument(redirect: bash.HereDoc, scope: Scope): Word {
  const { body } = redirect;
  const parts = body.parts === undefined ? [body.text] : readQuoted(body, body.parts, scope);
  return makeWord(body.text, scope.locate(body.pos, body.end), parts);
}

interface TextStretch extends Stretch {
  readonly text: string;
}

function literal(word: bash.Word): bash.LiteralPart {
  return { type: "Literal", pos: word.pos, end: word.end, text: word.text, value: word.value };
}

function readParts(word: bash.Word, parts: readonly bash.WordPart[], scope: Scope): Part[] {
  if (!tile(word, parts)) doubt(scope, "a word that was not parsed completely", word);
  return parts.flatMap((part) => readPart(part, word, scope));
}

/** Checks text again after the grammar, because an overlooked expansion would run unnoticed. */
function holdsExpansion(text: string): boolean {
  return /`|\$[\w@*#?!$({['"-]/.test(text.replace(/\\\n/g, "").replace(/\\./g, "_"));
}

/** Checks unquoted text, where quotes and separators count as well. */
function holdsSeparator(text: string): boolean {
  return /[\s;&|<>()'"]/.test(text.replace(/\\[\s\S]/g, "_"));
}

/** Reads the parts inside double quotes, where only lists such as `$@` are split. */
function readQuoted(whole: TextStretch, parts: readonly bash.WordPart[], scope: Scope): Part[] {
  return parts.flatMap((part) => {
    if (part.type === "Literal") {
      if (holdsExpansion(part.text)) doubt(scope, "text that may contain an expansion", part);
      return [part.value];
    }
    return readPart(part, whole, scope).map((read) =>
      typeof read === "string" ? read : { ...read, splits: read.splits && standsForList(part) },
    );
  });
}

function standsForList(part: bash.WordPart): boolean {
  return /^\$@|^\$\{(?:@|!?\w+\[@\]|!\w+@)/.test(part.text);
}

function readPart(part: bash.WordPart, word: TextStretch, scope: Scope): Part[] {
  const unknown = (kind: UnknownPart["unknown"], splits: boolean): Part[] => [
    { unknown: kind, text: part.text, splits },
  ];
  switch (part.type) {
    case "Literal":
      if (holdsExpansion(part.text) || holdsSeparator(part.text))
        doubt(scope, "text that may contain an expansion", part);
      return readLiteral(part, word);
    case "SingleQuoted":
      if (part.text !== `'${part.value}'`) doubt(scope, "a quotation that was not parsed completely", part);
      return [part.value];
    case "AnsiCQuoted":
      if (!plainEscapes.test(part.text)) doubt(scope, "an escape that shells read differently", part);
      return [part.value];
    case "DoubleQuoted":
      if (!tile({ ...part, pos: part.pos + 1, end: part.end - 1 }, part.parts))
        doubt(scope, "a quotation that was not parsed completely", part);
      return readQuoted(part, part.parts, scope);
    case "LocaleString":
      // A translation file decides the text, and may add substitutions.
      doubt(scope, "a translated string", part);
      readQuoted(part, part.parts, scope);
      return unknown("translation", false);
    case "SimpleExpansion":
      // The name continues on the next line.
      if (scope.source.startsWith("\\\n", part.end)) doubt(scope, "a name on two lines", part);
      return unknown(isHome(part.text) ? "home" : "variable", true);
    case "ParameterExpansion":
      readParameter(part, scope);
      return unknown(isHome(part.text) ? "home" : "variable", true);
    case "CommandExpansion":
      readSubstitution(part, scope);
      return unknown("output", true);
    case "ProcessSubstitution":
      readSubstitution(part, scope);
      // An empty substitution expands to no word.
      return unknown("file descriptor", /^.\(\s*\)$/.test(part.text));
    case "ArithmeticExpansion":
      readArithmetic(part.expression, part, scope);
      return unknown("arithmetic", true);
    case "ExtendedGlob":
    case "Glob":
      if (part.type === "ExtendedGlob") doubt(scope, "a glob that bash reads only with extglob", part);
      for (const inner of part.parts ?? []) readPart(inner, part, scope);
      return unknown("glob", true);
    case "BraceExpansion":
      for (const inner of part.parts ?? []) readPart(inner, part, scope);
      return unknown("braces", true);
    default:
      doubt(scope, "an unknown kind of expansion", part satisfies never);
      return unknown("variable", true);
  }
}

function isHome(text: string): boolean {
  return /^\$(?:HOME|\{HOME\})$/.test(text);
}

/** Reads unquoted text, which is known unless it contains a tilde or braces that the shell may expand. */
function readLiteral(part: bash.LiteralPart, word: TextStretch): Part[] {
  if (/\{/.test(part.text) && /,|\.\./.test(word.text))
    return [{ unknown: "braces", text: part.text, splits: true }];
  if (part.pos === word.pos && /^~/.test(part.text)) {
    const end = part.text.search(/\/|$/);
    if (/^~\w*$/.test(part.text.slice(0, end)) && part.value.startsWith(part.text.slice(0, end)))
      return [{ unknown: "home", text: part.text.slice(0, end), splits: false }, part.value.slice(end)];
  }
  if (/(?:^|[=:])~/.test(part.text)) return [{ unknown: "home", text: part.text, splits: false }];
  return [part.value];
}

/** Matches `$'…'` with escapes that all shells read alike: no NUL, which ends the text, and no number beyond ASCII. */
const plainEscapes =
  /^\$'(?:[^\\]|\\(?:[abeEfnrtv\\'"?]|(?!x00|000|u0000)(?:x[0-7][0-9a-fA-F]|[01][0-7]{2}|u00[0-7][0-9a-fA-F])))*'$/;

function tile(whole: Stretch, parts: readonly bash.WordPart[]): boolean {
  let at = whole.pos;
  for (const part of parts) {
    if (part.pos !== at) return false;
    at = part.end;
  }
  return at === whole.end;
}

/** Reads `${…}`: the commands that its operands run, and the places where it evaluates text. */
function readParameter(part: bash.ParameterExpansionPart, scope: Scope): void {
  const { index, operation } = part;
  const keys = index !== undefined && /^[@*]$/.test(index.text);
  if (index !== undefined && !keys) readSubscript(index, scope);
  if (part.prefix === "!" && !keys && operation?.type !== "Names")
    doubt(scope, "the name in a variable is expanded, which may run a command", part);
  if (operation === undefined) return;
  switch (operation.type) {
    case "Default": {
      const value = isNumeric(readWord(operation.operand, scope)) ? "number" : "text";
      if (operation.operator.endsWith("=")) noteVariable(scope, part.parameter, value, part);
      return;
    }
    case "Remove":
      return void readWord(operation.operand, scope);
    case "Replace":
      readWord(operation.pattern, scope);
      return void readWord(operation.replacement, scope);
    case "Slice":
      readSubscript(operation.offset, scope);
      if (operation.length !== undefined) readSubscript(operation.length, scope);
      return;
    case "CaseModification":
      if (operation.operand !== undefined) readWord(operation.operand, scope);
      return;
    case "Transform":
      if (!/^[QEAKaUuLk]$/.test(operation.operand.text))
        doubt(scope, "the text of a variable is expanded like a prompt, which may run a command", part);
      return;
    case "Names":
      return;
    default:
      doubt(scope, "an unknown operation on a variable", part);
  }
}

/** Reads `$(…)`, backticks and `<(…)`. Their subshell inherits the directory, but its changes do not last. */
function readSubstitution(
  part: bash.CommandExpansionPart | bash.ProcessSubstitutionPart | bash.ArithmeticCommandExpansion,
  scope: Scope,
): void {
  scope.reading.budget -= part.end - part.pos;
  if (scope.reading.budget < 0 || part.script === undefined)
    return void doubt(scope, "a substitution that could not be parsed", part);
  if (scope.source.startsWith("$((", part.pos)) doubt(scope, "parentheses that may be arithmetic", part);
  if (!keepsDocuments(part.script, part.text))
    doubt(scope, "a here-document in a substitution, which bash may misplace", part);
  const { source } = part.script;
  const span = scope.locate(part.pos, part.end);
  scope.reading.interpreter.readScript(part.script, {
    ...scope,
    rewritten: true,
    shell: { ...scope.shell },
    source: source ?? scope.source,
    locate: source === undefined ? scope.locate : () => span,
  });
}

/**
 * Returns whether bash keeps the here-documents of a substitution in place. bash 5.2 prints the commands again before
 * it runs them, and misprints here-documents that are followed by anything: `$(a <<E; b c; d` can run `b c d`. Only a
 * single command with its document is safe.
 */
function keepsDocuments(script: bash.ParsedScript, text: string): boolean {
  if (!/<<(?!<)/.test(text.replaceAll("<<<", ""))) return true;
  const [only, ...more] = script.commands;
  const redirects = only?.command.type === "Command" ? only.command.redirects : [];
  const documents = redirects.filter((redirect) => redirect.type === "HereDoc");
  const end = documents[0]?.closing?.end ?? script.end;
  return more.length === 0 && documents.length === 1 && end >= script.end - 1 && only?.background !== true;
}

/**
 * Records each name that an arithmetic expression uses, because its variable must contain a number. The shell evaluates
 * the *text* of the variable, and a subscript in that text may contain a command: `x='a[$(id)]'; echo $((x))` runs
 * `id`.
 */
export function readArithmetic(
  expression: bash.ArithmeticExpression | undefined,
  whole: Stretch,
  scope: Scope,
): void {
  if (expression !== undefined) readExpression(expression, scope);
  else if (!/^(?:\$?\(\(\s*\)\)|\$\[\s*\]|\s*)$/.test(scope.source.slice(whole.pos, whole.end)))
    doubt(scope, "arithmetic that could not be parsed", whole);
}

/** Reads an index, offset or other word that the shell evaluates as arithmetic. */
export function readSubscript(word: bash.Word, scope: Scope): void {
  readWord(word, scope);
  readOperand(word.parts, word.text, word, scope);
}

function readExpression(expression: bash.ArithmeticExpression, scope: Scope): void {
  switch (expression.type) {
    case "ArithmeticWord": {
      const { pos, end, value, parts } = expression;
      readWord({ type: "Word", pos, end, value, text: scope.source.slice(pos, end), parts }, scope);
      return void readOperand(parts, value, expression, scope);
    }
    case "ArithmeticCommandExpansion":
      readSubstitution(expression, scope);
      return void doubt(
        scope,
        "arithmetic on the output of a command, which may contain another command",
        expression,
      );
    default:
      if (expression.type === "ArithmeticBinary" && /^[-+*/%&|^<>]*=$/.test(expression.operator))
        noteResult(expression.left, scope);
      if (expression.type === "ArithmeticUnary" && /^(?:\+\+|--)$/.test(expression.operator))
        noteResult(expression.operand, scope);
      forEachChild(expression, (child: bash.SyntaxNode) =>
        readExpression(child as bash.ArithmeticExpression, scope),
      );
  }
}

/** Records that `i = 1` and `i++` leave a number in `i`. */
function noteResult(target: bash.ArithmeticExpression, scope: Scope): void {
  if (target.type !== "ArithmeticWord") return;
  const name = /^\w+/.exec(target.value)?.[0] ?? target.value;
  noteVariable(scope, name, "number", target);
}

function readOperand(
  parts: readonly bash.WordPart[] | undefined,
  text: string,
  at: Stretch,
  scope: Scope,
): void {
  if (parts === undefined || parts.length === 0) noteNames(text, at, scope);
  for (const part of parts ?? []) {
    if (part.type === "Literal" || part.type === "Glob") noteNames(part.text, part, scope);
    else if (part.type === "SimpleExpansion" && /^\$[A-Za-z_]/.test(part.text))
      noteUse(part.text.slice(1), part, scope);
    else if (part.type === "ParameterExpansion" && /^\$\{\w+\}$/.test(part.text))
      noteUse(part.parameter, part, scope);
    else if (part.type === "DoubleQuoted") readOperand(part.parts, part.text, part, scope);
    else if (part.type !== "ArithmeticExpansion" && !isCount(part))
      doubt(scope, "arithmetic on text that may contain a command", part);
  }
}

function noteNames(text: string, at: Stretch, scope: Scope): void {
  if (/[$`"'\\]/.test(text)) doubt(scope, "arithmetic on text that may contain a command", at);
  for (const [name] of text.matchAll(/(?<![\w#])[A-Za-z_]\w*/g)) noteUse(name, at, scope);
}

function noteUse(name: string, at: Stretch, scope: Scope): void {
  scope.reading.evaluated.push({ name, by: "arithmetic", span: scope.locate(at.pos, at.end) });
}
