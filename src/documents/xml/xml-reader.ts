import type { Budget } from "../budget.ts";
import { damaged } from "../reader.ts";
import { expandEntities } from "./decode.ts";
import { Scope } from "./namespaces.ts";

/**
 * Reads XML in one pass. It is at one element at a time, and skips the elements that the caller does not read. Names
 * have the prefixes of namespaces.ts, whatever prefixes the file uses.
 *
 *     for (const name of reader.children()) if (name === "w:p") readParagraph(reader);
 *
 * Document types are skipped, and their entities are never expanded.
 */
export class XmlReader {
  /** The name of the current element: "w:p", "p" without a namespace, "?:p" in an unknown namespace. */
  name = "";
  /** The text at which `node` has stopped. */
  text = "";
  /** The number of open elements. */
  depth = 0;
  readonly #source: string;
  readonly #where: string;
  readonly #budget: Budget;
  /** The names of the open elements as written in the file. */
  readonly #open: string[] = [];
  #scope: Scope;
  #position = 0;
  /** Whether the current element ends in its own tag. */
  #isEmpty = false;
  #attributes = 0;
  #attributesEnd = 0;
  #nextDeclaration = -1;

  /** `where` is for error messages: "word/document.xml in report.docx". The parts of a file may share a scope. */
  constructor(source: string, where: string, budget: Budget, scope: Scope = new Scope()) {
    this.#scope = scope;
    this.#source = source;
    this.#where = where;
    this.#budget = budget;
  }

  /** Stops at each child and yields its name. With a path, stops at the children of those elements. */
  children(...path: readonly string[]): IterableIterator<string, void> {
    return path.length === 0 ? new Children(this) : this.#below(path);
  }

  *#below([name, ...path]: readonly string[]): Generator<string, void, undefined> {
    for (const child of this.children()) if (child === name) yield* this.children(...path);
  }

  /** Stops at the next child of the element whose `depth` was `of` (0: the document). Returns false at its end. */
  child(of: number): boolean {
    if (this.depth > of) this.#leave(of);
    for (;;) {
      const kind = this.#advance(false);
      if (kind !== text) return kind === begin;
    }
  }

  /** Like `child`, but also stops at text. */
  node(of: number): "element" | "text" | undefined {
    if (this.depth > of) this.#leave(of);
    const kind = this.#advance(true);
    if (kind === text) return "text";
    return kind === begin ? "element" : undefined;
  }

  /** Reads the current element to its end and returns its text. */
  content(): string {
    const of = this.depth;
    let all = "";
    for (;;) {
      const kind = this.#advance(true);
      if (kind === text) all += this.text;
      else if (kind === end && this.depth < of) return all;
    }
  }

  /** Skips the current element and returns whether its markup or text contains a word. */
  mentions(word: string): boolean {
    const from = this.#position;
    this.#leave(this.depth - 1);
    return this.#source.slice(from, this.#position).includes(word);
  }

  /** Returns an attribute of the current element: "w:val", "name". */
  attribute(name: string): string | undefined {
    attributePattern.lastIndex = this.#attributes;
    while (attributePattern.lastIndex < this.#attributesEnd) {
      const at = attributePattern.lastIndex;
      const match = attributePattern.exec(this.#source);
      if (match === null) throw this.#damaged("an attribute has no value", at);
      const [, written, double, single] = match;
      if (written !== undefined && this.#scope.attribute(written) === name)
        return expandEntities(double ?? single!);
    }
    return undefined;
  }

  /** Moves to the next child or the end of the current element. No descendants may be open. */
  #advance(wantsText: boolean): Kind {
    if (this.#isEmpty) {
      this.#close();
      return end;
    }
    const source = this.#source;
    for (;;) {
      const from = this.#position;
      const at = source.charCodeAt(from) === less ? from : source.indexOf("<", from);
      if (at === -1) {
        if (this.depth > 0) throw this.#damaged("it is incomplete", source.length);
        return over;
      }
      if (wantsText && at > from) {
        this.#position = at;
        this.text = expandEntities(source.slice(from, at));
        return text;
      }
      const next = source.charCodeAt(at + 1);
      if (next === slash) {
        this.#end(at);
        return end;
      }
      if (next === exclamation || next === question) {
        if (this.#skipSpecial(at) && wantsText) return text;
        continue;
      }
      this.#begin(at);
      return begin;
    }
  }

  #begin(at: number): void {
    const source = this.#source;
    let nameEnd = at + 1;
    while (!endsName(source.charCodeAt(nameEnd))) nameEnd += 1;
    if (nameEnd === at + 1) throw this.#damaged("a < does not begin an element", at);
    const close = this.#tagEnd(nameEnd);
    this.#isEmpty = source.charCodeAt(close - 1) === slash;
    this.#attributes = nameEnd;
    this.#attributesEnd = this.#isEmpty ? close - 1 : close;
    this.#position = close + 1;
    this.depth += 1;
    this.#budget.descend(this.depth);
    if (this.#nextDeclaration < nameEnd) {
      const next = source.indexOf("xmlns", nameEnd);
      this.#nextDeclaration = next === -1 ? source.length : next;
    }
    if (this.#nextDeclaration < close)
      this.#scope = this.#scope.inside(this.depth, source.slice(nameEnd, this.#attributesEnd));
    const { written, name } = this.#scope.element(source, at + 1, nameEnd);
    this.#open.push(written);
    this.name = name;
  }

  #end(at: number): void {
    const source = this.#source;
    const written = this.#open.at(-1);
    if (written === undefined) throw this.#damaged("an end tag has no start tag", at);
    let close = at + 2 + written.length;
    while (isSpace(source.charCodeAt(close))) close += 1;
    if (!source.startsWith(written, at + 2) || source.charCodeAt(close) !== greater)
      throw this.#damaged(`<${written}> is not ended`, at);
    this.#position = close + 1;
    this.#close();
  }

  #close(): void {
    this.#isEmpty = false;
    if (this.#scope.depth === this.depth) this.#scope = this.#scope.outer!;
    this.#open.pop();
    this.depth -= 1;
  }

  /** Skips to the end of the element at depth `of` + 1 by counting tags. */
  #leave(of: number): void {
    if (this.#isEmpty) this.#close();
    const source = this.#source;
    for (let open = this.depth - of; open > 0; ) {
      const at = source.indexOf("<", this.#position);
      if (at === -1) throw this.#damaged("it is incomplete", source.length);
      const next = source.charCodeAt(at + 1);
      if (next === exclamation || next === question) {
        this.#skipSpecial(at);
        continue;
      }
      const close = this.#tagEnd(at + 1);
      if (next === slash) open -= 1;
      else if (source.charCodeAt(close - 1) !== slash) {
        open += 1;
        this.#budget.descend(of + open);
      }
      this.#position = close + 1;
    }
    while (this.depth > of) this.#close();
  }

  /** Skips a comment, an instruction or a document type. Returns true for literal text, and stores it in `text`. */
  #skipSpecial(at: number): boolean {
    const source = this.#source;
    if (source.startsWith("<![CDATA[", at)) {
      const end = this.#find("]]>", at + 9);
      this.text = source.slice(at + 9, end);
      this.#position = end + 3;
      return true;
    }
    if (source.startsWith("<!--", at)) this.#position = this.#find("-->", at + 4) + 3;
    else if (source.startsWith("<?", at)) this.#position = this.#find("?>", at + 2) + 2;
    else this.#skipDocumentType(at + 2);
    return false;
  }

  #skipDocumentType(from: number): void {
    const source = this.#source;
    let brackets = 0;
    for (let at = from; at < source.length; at += 1) {
      const character = source[at];
      if (character === '"' || character === "'") at = this.#find(character, at + 1);
      else if (character === "[") brackets += 1;
      else if (character === "]") brackets -= 1;
      else if (source.startsWith("<!--", at)) at = this.#find("-->", at + 4) + 2;
      else if (source.startsWith("<?", at)) at = this.#find("?>", at + 2) + 1;
      else if (character === ">" && brackets <= 0) {
        this.#position = at + 1;
        return;
      }
    }
    throw this.#damaged("its document type has no end", from);
  }

  /** Returns the end of the tag whose attributes begin at `from`. A ">" in a quoted value does not end it. */
  #tagEnd(from: number): number {
    const source = this.#source;
    let quote = 0;
    for (let at = from; ; at += 1) {
      const character = source.charCodeAt(at);
      if (quote !== 0) {
        if (character === quote) quote = 0;
        else if (Number.isNaN(character)) throw this.#damaged("it is incomplete", from);
      } else if (character === greater) return at;
      else if (character === doubleQuote || character === singleQuote) quote = character;
      else if (character === less || Number.isNaN(character)) throw this.#damaged("a tag has no end", from);
    }
  }

  #find(word: string, from: number): number {
    const at = this.#source.indexOf(word, from);
    if (at === -1) throw this.#damaged("it is incomplete", from);
    return at;
  }

  #damaged(why: string, at: number): Error {
    return damaged(this.#where, `${why} (at character ${at})`);
  }
}

/** Iterates over children. It is faster than a generator, which matters for millions of elements. */
class Children implements IterableIterator<string, void> {
  readonly #reader: XmlReader;
  readonly #depth: number;

  constructor(reader: XmlReader) {
    this.#reader = reader;
    this.#depth = reader.depth;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<string, void> {
    const isThere = this.#reader.child(this.#depth);
    return isThere ? { done: false, value: this.#reader.name } : { done: true, value: undefined };
  }
}

type Kind = typeof begin | typeof end | typeof text | typeof over;
const begin = 0;
const end = 1;
const text = 2;
const over = 3;

const attributePattern = /\s*(?:([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')|(?=\/?>))/y;

const less = 0x3c;
const greater = 0x3e;
const slash = 0x2f;
const exclamation = 0x21;
const question = 0x3f;
const doubleQuote = 0x22;
const singleQuote = 0x27;

function isSpace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}

/** Whether a character ends a name. The end of the text does too. */
function endsName(character: number): boolean {
  return !(character > 0x20) || character === greater || character === slash;
}
