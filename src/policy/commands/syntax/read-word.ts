import type * as bash from "unbash";
import type { UnknownPart, Word } from "../analysis.ts";
import { makeWord } from "../word.ts";
import { readArithmetic } from "./read-arithmetic.ts";
import { readParameter } from "./read-parameter.ts";
import { readSubstitution } from "./read-substitution.ts";
import { doubt, type Scope } from "./scope.ts";

type Part = string | UnknownPart;

/** A word as it will be, and on the way every command that the shell runs to find that out. */
export function readWord(word: bash.Word, scope: Scope): Word {
  const parts = readParts(word, word.parts ?? [literal(word)], scope);
  return makeWord(word.text, scope.locate(word.pos, word.end), parts);
}

/** The text of a here-document. */
export function readHereDocument(redirect: bash.HereDoc, scope: Scope): Word {
  const { body } = redirect;
  const parts = body.parts === undefined ? [body.text] : readQuoted(body, body.parts, scope);
  return makeWord(body.text, scope.locate(body.pos, body.end), parts);
}

interface Stretch {
  readonly pos: number;
  readonly end: number;
  readonly text: string;
}

function literal(word: bash.Word): bash.LiteralPart {
  return { type: "Literal", pos: word.pos, end: word.end, text: word.text, value: word.value };
}

function readParts(word: bash.Word, parts: readonly bash.WordPart[], scope: Scope): Part[] {
  if (!tile(word, parts)) doubt(scope, "a word whose parts do not add up", word);
  return parts.flatMap((part) => readPart(part, word, scope));
}

/** A second look at what the grammar takes for text: an expansion in it would run unseen. */
function holdsExpansion(text: string): boolean {
  return /`|\$[\w@*#?!$({['"-]/.test(text.replace(/\\\n/g, "").replace(/\\./g, "_"));
}

/** The same for unquoted text, where quotes and signs between commands would count, too. */
function holdsSeparator(text: string): boolean {
  return /[\s;&|<>()'"]/.test(text.replace(/\\[\s\S]/g, "_"));
}

/** Inside double quotes nothing is split, except what stands for a list. */
function readQuoted(whole: Stretch, parts: readonly bash.WordPart[], scope: Scope): Part[] {
  return parts.flatMap((part) => {
    if (part.type === "Literal") {
      if (holdsExpansion(part.text)) doubt(scope, "text that may be more than text", part);
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

function readPart(part: bash.WordPart, word: Stretch, scope: Scope): Part[] {
  const unknown = (kind: UnknownPart["unknown"], splits: boolean): Part[] => [
    { unknown: kind, text: part.text, splits },
  ];
  switch (part.type) {
    case "Literal":
      if (holdsExpansion(part.text) || holdsSeparator(part.text))
        doubt(scope, "text that may be more than text", part);
      return readLiteral(part, word);
    case "SingleQuoted":
      if (part.text !== `'${part.value}'`) doubt(scope, "a quotation that does not add up", part);
      return [part.value];
    case "AnsiCQuoted":
      if (!plainEscapes.test(part.text)) doubt(scope, "an escape that shells read differently", part);
      return [part.value];
    case "DoubleQuoted":
      if (!tile({ ...part, pos: part.pos + 1, end: part.end - 1 }, part.parts))
        doubt(scope, "a quotation whose parts do not add up", part);
      return readQuoted(part, part.parts, scope);
    case "LocaleString":
      // A translation file decides what it says, and may put substitutions into it.
      doubt(scope, "a translated string", part);
      readQuoted(part, part.parts, scope);
      return unknown("translation", false);
    case "SimpleExpansion":
      // The name goes on behind it.
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
      // An empty one is no word at all.
      return unknown("file descriptor", /^.\(\s*\)$/.test(part.text));
    case "ArithmeticExpansion":
      readArithmetic(part.expression, part, scope);
      return unknown("arithmetic", true);
    case "ExtendedGlob":
      doubt(scope, "a glob that bash reads only when told to", part);
      for (const inner of part.parts ?? []) readPart(inner, part, scope);
      return unknown("glob", true);
    case "Glob":
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

/** Unquoted text: known, unless a tilde or braces that our grammar left alone may still mean something to the shell. */
function readLiteral(part: bash.LiteralPart, word: Stretch): Part[] {
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

/** `$'…'` with the escapes everybody reads alike; no NUL, which would end the text, and nothing beyond ASCII by number. */
const plainEscapes =
  /^\$'(?:[^\\]|\\(?:[abeEfnrtv\\'"?]|(?!x00|000|u0000)(?:x[0-7][0-9a-fA-F]|[01][0-7]{2}|u00[0-7][0-9a-fA-F])))*'$/;

/** Whether the parts stand side by side and fill the whole. */
function tile(whole: Omit<Stretch, "text">, parts: readonly bash.WordPart[]): boolean {
  let at = whole.pos;
  for (const part of parts) {
    if (part.pos !== at) return false;
    at = part.end;
  }
  return at === whole.end;
}
