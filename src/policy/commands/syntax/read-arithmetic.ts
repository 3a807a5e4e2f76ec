import { type ArithmeticExpression, forEachChild, type SyntaxNode, type Word, type WordPart } from "unbash";
import type { Word as ReadWord } from "../analysis.ts";
import { readSubstitution } from "./read-substitution.ts";
import { readWord } from "./read-word.ts";
import { doubt, noteVariable, type Scope } from "./scope.ts";

/**
 * The shell evaluates the *text* of every variable in an arithmetic expression, and a subscript in that text may hold a
 * command: `x='a[$(id)]'; echo $((x))` runs `id`. So each name used is noted, and must turn out to hold a number.
 */
export function readArithmetic(
  expression: ArithmeticExpression | undefined,
  whole: { readonly pos: number; readonly end: number },
  scope: Scope,
): void {
  if (expression === undefined) {
    if (!/^(?:\$?\(\(\s*\)\)|\$\[\s*\]|\s*)$/.test(scope.source.slice(whole.pos, whole.end)))
      doubt(scope, "arithmetic that could not be parsed", whole);
    return;
  }
  readExpression(expression, scope);
}

/** An index, offset or other word that the shell evaluates as arithmetic. */
export function readSubscript(word: Word, scope: Scope): void {
  readWord(word, scope);
  readOperand(word.parts, word.text, word, scope);
}

/** Whether a word can only be a number. */
export function isNumeric(word: ReadWord | undefined): boolean {
  if (word === undefined || word.parts.length === 0) return false;
  return word.parts.every((part) =>
    typeof part === "string"
      ? /^-?\d+$/.test(part)
      : part.unknown === "arithmetic" || isCount(part) || isRange(part),
  );
}

function readExpression(expression: ArithmeticExpression, scope: Scope): void {
  switch (expression.type) {
    case "ArithmeticWord": {
      const { pos, end, value, parts } = expression;
      readWord({ type: "Word", pos, end, value, text: scope.source.slice(pos, end), parts }, scope);
      readOperand(parts, value, expression, scope);
      return;
    }
    case "ArithmeticCommandExpansion":
      readSubstitution(expression, scope);
      doubt(scope, "arithmetic on the output of a command, which may hold another command", expression);
      return;
    default:
      if (expression.type === "ArithmeticBinary" && /^[-+*/%&|^<>]*=$/.test(expression.operator))
        noteResult(expression.left, scope);
      if (expression.type === "ArithmeticUnary" && /^(?:\+\+|--)$/.test(expression.operator))
        noteResult(expression.operand, scope);
      forEachChild(expression, (child: SyntaxNode) => readExpression(child as ArithmeticExpression, scope));
  }
}

/** `i = 1` and `i++` leave a number in `i`. */
function noteResult(target: ArithmeticExpression, scope: Scope): void {
  if (target.type !== "ArithmeticWord") return;
  const name = /^\w+/.exec(target.value)?.[0] ?? target.value;
  noteVariable(scope, name, "number", target);
}

function readOperand(
  parts: readonly WordPart[] | undefined,
  text: string,
  at: { readonly pos: number; readonly end: number },
  scope: Scope,
): void {
  if (parts === undefined || parts.length === 0) noteNames(text, at, scope);
  for (const part of parts ?? []) {
    if (part.type === "Literal") noteNames(part.text, part, scope);
    else if (part.type === "SimpleExpansion" && /^\$[A-Za-z_]/.test(part.text))
      noteUse(part.text.slice(1), part, scope);
    else if (part.type === "ParameterExpansion" && /^\$\{\w+\}$/.test(part.text))
      noteUse(part.parameter, part, scope);
    else if (part.type === "DoubleQuoted") readOperand(part.parts, part.text, part, scope);
    else if (part.type === "Glob") noteNames(part.text, part, scope);
    else if (part.type !== "ArithmeticExpansion" && !isCount(part))
      doubt(scope, "arithmetic on text that may hold a command", part);
  }
}

function noteNames(text: string, at: { readonly pos: number; readonly end: number }, scope: Scope): void {
  if (/[$`"'\\]/.test(text)) doubt(scope, "arithmetic on text that may hold a command", at);
  for (const [name] of text.matchAll(/(?<![\w#])[A-Za-z_]\w*/g)) noteUse(name, at, scope);
}

function noteUse(name: string, at: { readonly pos: number; readonly end: number }, scope: Scope): void {
  scope.reading.evaluated.push({ name, by: "arithmetic", span: scope.locate(at.pos, at.end) });
}

/** `$#`, `$?`, `${#name}` and the like. */
function isCount(part: { readonly text: string }): boolean {
  return /^\$[#?$!]$|^\$\{#\w*(?:\[[@*]\])?\}$/.test(part.text);
}

/** `{1..5}` */
function isRange(part: { readonly text: string }): boolean {
  return /^\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}$/.test(part.text);
}
