import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { type BlockWanted, findBlocks, holdersOf, noSuchBlock } from "../blocks/find-block.ts";
import { isKindWord } from "../blocks/kind-words.ts";
import { misspelledSymbol } from "./similar-spans.ts";

export interface NamedSymbols {
  readonly symbols: readonly CodeSymbol[];
  readonly form: Form;
}

/** "phrase" is "fn run", "path" is "Agent.run", "call" is "fn run()". The last two may also be code. */
type Form = "phrase" | "path" | "call";

/** Parses "fn run", "class Foo.bar", "method run in class Foo", "the run function", "Foo::bar". */
export function namedSymbols(path: string, outline: Outline, location: string): NamedSymbols | undefined {
  const bare = location.trim().replace(/\(\)$/, "");
  for (const { form, ...wanted } of phrasesIn(bare)) {
    const symbols = present(path, outline, wanted);
    if (symbols.length === 0) continue;
    return { symbols: outermost(outline, symbols), form: bare === location.trim() ? form : "call" };
  }
  return undefined;
}

/** Returns the symbol that a misspelled name means. Refuses a location that can only be an unknown name. */
export function unknownName(
  path: string,
  text: string,
  outline: Outline,
  location: string,
): CodeSymbol | undefined {
  const words = wordsOf(location);
  const [kinds, name] = [words.slice(0, -1), words.at(-1)!];
  const isKind = kinds.some(isKindWord) && kinds.every((word) => isKindWord(word) || modifier.test(word));
  if (!isKind || !isName.test(name)) return undefined;
  const kind = kinds.join(" ");
  const misspelled = misspelledSymbol(text, outline, kind, name);
  if (misspelled) return misspelled;
  throw noSuchBlock(path, outline, { name, kind });
}

const modifier =
  /^(?:pub|public|private|protected|internal|export|default|async|static|abstract|final|unsafe|override|inline)$/;

type Phrase = BlockWanted & { readonly form: Form };

/** Yields the possible meanings, shortest kind first, because the name of an implementation can have several words. */
function* phrasesIn(location: string): Generator<Phrase> {
  if (/[\r\n]/.test(location) || location.length > maxChars) return;
  const words = wordsOf(location);
  const name = words.join(" ");
  if (words.length === 1 && isPath.test(name)) yield { name, form: "path" };
  for (let kinds = 1; kinds < Math.min(words.length, maxKindWords + 1); kinds += 1) {
    const kind = words.slice(0, kinds).join(" ");
    if (!isKind.test(kind)) continue;
    // Ruby's class methods are written as `self.name`.
    const named = words
      .slice(kinds)
      .join(" ")
      .replace(/^self\./, "");
    yield { kind, name: named, form: "phrase" };
    // In "class Foo.bar", the kind is that of Foo.
    const split = /^(.+)(?:::|\.|#)([^:.#\s]+)$/.exec(named);
    if (split) yield { name: split[2]!, modulePath: `${kind} ${split[1]}`, form: "phrase" };
  }
  if (words.length === 2 && isKind.test(words[1]!)) yield { kind: words[1], name: words[0]!, form: "phrase" };
  const holder = /^(.+?)\s+(?:in|of|inside)\s+(?:the\s+)?(.+)$/i.exec(name);
  if (!holder) return;
  for (const inner of phrasesIn(holder[1]!))
    if (inner.form === "phrase") yield { ...inner, modulePath: holder[2] };
}

function wordsOf(location: string): string[] {
  return location
    .trim()
    .replace(/^the\s+/i, "")
    .replaceAll("`", "")
    .split(/\s+/);
}

const maxChars = 300;
const maxKindWords = 4;

const isKind = /^[\p{L}_][\p{L}_!]*(?: [\p{L}_][\p{L}_!]*)*$/u;
const isName = /^[\p{L}_$~][\p{L}\p{N}_$<>~?!:.#]*$/u;

const isPath = /^[\p{L}_$~][\p{L}\p{N}_$<>~?!]*(?:(?:::|\.|#)[\p{L}_$~][\p{L}\p{N}_$<>~?!]*)+$/u;

function present(path: string, outline: Outline, wanted: BlockWanted): readonly CodeSymbol[] {
  try {
    return findBlocks(path, outline, wanted);
  } catch (error) {
    if (error instanceof ToolError && error.code === "no-match") return [];
    throw error;
  }
}

/** Omits a constructor that a grammar shows in its class under the same name. */
function outermost(outline: Outline, symbols: readonly CodeSymbol[]): readonly CodeSymbol[] {
  return symbols.filter((symbol) => !holdersOf(outline, symbol).some((holder) => symbols.includes(holder)));
}
