import type { Budget } from "../budget.ts";
import { damaged } from "../reader.ts";
import { expandEntities } from "./decode.ts";
import { isAt, type Known, Names, outerScope, type Scope } from "./names.ts";

/**
 * Walks over XML once, forwards. Names are told by namespaces.ts, whatever prefixes the text uses. A caller descends by
 * taking the `depth` of the element that has just begun and asking for its children: what it does not look into is
 * passed over without being looked at.
 *
 *     const depth = reader.depth;
 *     while (reader.child(depth)) if (reader.name === "w:p") readParagraph(reader);
 *
 * No document type is read and no entity of one expanded.
 */
export class XmlReader {
  /** Of the element that began last: "w:p", "text:h"; without a namespace "p", in an unknown one "?:p". */
  name = "";
  /** Of the last text between elements. */
  text = "";
  /** How many elements are open. */
  depth = 0;
  readonly #source: string;
  readonly #where: string;
  readonly #budget: Budget;
  readonly #names: Names;
  readonly #open: Known[] = [];
  #position = 0;
  /** The element that began last has ended in the same tag. */
  #isEmpty = false;
  /** Where the attributes of the element that began last are. */
  #attributes = 0;
  #attributesEnd = 0;
  /** Where the next namespace is declared, and where the next comment and the next single quote are: known ahead. */
  #nextDeclaration = -1;
  #nextBang = -1;
  #nextApostrophe = -1;
  /** How many characters were looked through for ends. */
  #searched = 0;

  /** `where` is for messages: "word/document.xml in report.docx". Parts of one file may share a `scope`. */
  constructor(source: string, where: string, budget: Budget, scope: Scope = outerScope()) {
    this.#names = new Names(scope);
    this.#source = source;
    this.#where = where;
    this.#budget = budget;
  }

  /** Goes on to the next element in the one whose `depth` was `of` (0: the document); false when that one has ended. */
  child(of: number): boolean {
    if (this.depth > of) this.#leave(of);
    for (;;) {
      const kind = this.#advance(false);
      if (kind !== text) return kind === begin;
    }
  }

  /** As `child`, and stops at text as well. */
  node(of: number): "element" | "text" | undefined {
    if (this.depth > of) this.#leave(of);
    const kind = this.#advance(true);
    if (kind === text) return "text";
    return kind === begin ? "element" : undefined;
  }

  is(name: string): boolean {
    return this.name === name;
  }

  /** All text in the element that began last, which is then left. */
  content(): string {
    const of = this.depth;
    let all = "";
    for (;;) {
      const kind = this.#advance(true);
      if (kind === text) all += this.text;
      else if (kind === end && this.depth < of) return all;
    }
  }

  /** Whether the element that began last has this word in its markup or text; it is then left. */
  mentions(word: string): boolean {
    const from = this.#position;
    this.#leave(this.depth - 1);
    return this.#position - from > word.length && this.#source.slice(from, this.#position).includes(word);
  }

  /** An attribute of the element that began last: "w:val", "name". */
  attribute(name: string): string | undefined {
    const source = this.#source;
    const last = this.#attributesEnd;
    let at = this.#attributes;
    for (;;) {
      while (at < last && isSpace(source.charCodeAt(at))) at += 1;
      if (at >= last) return undefined;
      let nameEnd = at;
      while (nameEnd < last && endsAttribute(source.charCodeAt(nameEnd)) === false) nameEnd += 1;
      let open = nameEnd;
      while (open < last && isSpace(source.charCodeAt(open))) open += 1;
      const hasValue = source.charCodeAt(open) === equals;
      open += 1;
      while (open < last && isSpace(source.charCodeAt(open))) open += 1;
      const quote = source.charCodeAt(open);
      if (!hasValue || open >= last || (quote !== doubleQuote && quote !== singleQuote))
        throw this.#damaged("an attribute has no value", at);
      let close = open + 1;
      while (source.charCodeAt(close) !== quote) close += 1;
      if (this.#names.attribute(source, at, nameEnd) === name)
        return expandEntities(source.slice(open + 1, close));
      at = close + 1;
    }
  }

  /** `child` and `node` come here with nothing open below the element they are asked about. */
  #advance(wantsText: boolean): Kind {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.#close();
      return end;
    }
    const source = this.#source;
    for (;;) {
      const from = this.#position;
      // Most tags follow each other without anything between them.
      const at = source.charCodeAt(from) === less ? from : source.indexOf("<", from);
      if (at === -1) {
        if (this.depth > 0) throw this.#damaged("it breaks off", source.length);
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
        if (this.#passOver(at) && wantsText) return text;
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
    if (nameEnd === at + 1) throw this.#damaged("a < begins no element", at);
    const close = this.#tagEnd(nameEnd);
    this.#isEmpty = source.charCodeAt(close - 1) === slash;
    this.#attributes = nameEnd;
    this.#attributesEnd = this.#isEmpty ? close - 1 : close;
    this.#position = close + 1;
    this.depth += 1;
    this.#budget.descend(this.depth);
    if (this.#nextDeclaration < nameEnd) this.#nextDeclaration = indexOrEnd(source, "xmlns", nameEnd);
    if (this.#nextDeclaration < close)
      this.#names.declare(this.depth, source.slice(nameEnd, this.#attributesEnd));
    const known = this.#names.element(source, at + 1, nameEnd);
    this.#open.push(known);
    this.name = known.name;
  }

  #end(at: number): void {
    const source = this.#source;
    const written = this.#open.at(-1)?.written;
    if (written === undefined) throw this.#damaged("something ends there that has not begun", at);
    let close = at + 2 + written.length;
    if (!isAt(source, written, at + 2)) throw this.#damaged(`<${written}> is not ended`, at);
    while (isSpace(source.charCodeAt(close))) close += 1;
    if (source.charCodeAt(close) !== greater) throw this.#damaged(`<${written}> is not ended`, at);
    this.#position = close + 1;
    this.#close();
  }

  #close(): void {
    this.#names.leave(this.depth);
    this.#open.pop();
    this.depth -= 1;
  }

  /** To behind the end of the element at `of` + 1. */
  #leave(of: number): void {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.#close();
    }
    while (this.depth > of) {
      this.#passInside(this.#open.at(-1)!);
      this.#close();
    }
  }

  /** To behind the end of an element: that is looked for, and what stands before it only if it must be counted. */
  #passInside(element: Known): void {
    const source = this.#source;
    const { written, endTag } = element;
    const from = this.#position;
    if (isAt(source, endTag, from)) {
      this.#position = from + endTag.length;
      return;
    }
    if (element.nextEnd?.reader !== this || element.nextEnd.at < from)
      element.nextEnd = { reader: this, at: this.#search(endTag, from) };
    const { at } = element.nextEnd;
    if (this.#nextBang < from) this.#nextBang = indexOrEnd(source, "<!", from);
    // A comment may look like its end, and so may the end of another of its name in it.
    if (at === source.length || this.#nextBang < at || this.#hasAnother(written, from, at))
      this.#countInside();
    else this.#position = at + endTag.length;
  }

  /** Gives up after more text than a real file needs: returns the end of the text, as if there were no end tag. */
  #search(endTag: string, from: number): number {
    const { length } = this.#source;
    if (this.#searched > length * 16) return length;
    const at = indexOrEnd(this.#source, endTag, from);
    this.#searched += at - from;
    return at;
  }

  #hasAnother(written: string, from: number, to: number): boolean {
    const inside = this.#source.slice(from, to);
    const mark = `<${written}`;
    for (let at = inside.indexOf(mark); at !== -1; at = inside.indexOf(mark, at + 1))
      if (endsName(inside.charCodeAt(at + mark.length))) return true;
    return false;
  }

  #countInside(): void {
    const source = this.#source;
    for (let inside = 1; inside > 0; ) {
      const at = source.indexOf("<", this.#position);
      if (at === -1) throw this.#damaged("it breaks off", source.length);
      const next = source.charCodeAt(at + 1);
      if (next === exclamation || next === question) {
        this.#passOver(at);
        continue;
      }
      const close = this.#tagEnd(at + 1);
      if (next === slash) inside -= 1;
      else if (source.charCodeAt(close - 1) !== slash) inside += 1;
      this.#budget.descend(this.depth + inside);
      this.#position = close + 1;
    }
  }

  /** Past a comment, an instruction, a document type; or through literal text, which is told by true. */
  #passOver(at: number): boolean {
    const source = this.#source;
    if (source.startsWith("<![CDATA[", at)) {
      const end = this.#find("]]>", at + 9);
      this.text = source.slice(at + 9, end);
      this.#position = end + 3;
      return true;
    }
    if (source.startsWith("<!--", at)) this.#position = this.#find("-->", at + 4) + 3;
    else if (source.startsWith("<?", at)) this.#position = this.#find("?>", at + 2) + 2;
    else this.#passDocumentType(at + 2);
    return false;
  }

  #passDocumentType(from: number): void {
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

  /** Where the tag ends whose attributes begin at `from`: a ">" in a quoted value does not end it. */
  #tagEnd(from: number): number {
    const source = this.#source;
    if (source.charCodeAt(from) === greater) return from;
    const at = source.indexOf(">", from);
    if (at === -1) return this.#countToTagEnd(from);
    if (this.#nextApostrophe < from) this.#nextApostrophe = indexOrEnd(source, "'", from);
    const last = source.charCodeAt(at - 1) === slash ? at - 2 : at - 1;
    if (last < from) return at;
    // Where nothing is quoted otherwise, what stands before the end closes a value, unless it opens one.
    const before = source.charCodeAt(last - 1);
    const closes = source.charCodeAt(last) === doubleQuote && before !== equals && !isSpace(before);
    return closes && this.#nextApostrophe > at ? at : this.#countToTagEnd(from);
  }

  #countToTagEnd(from: number): number {
    const source = this.#source;
    let quote = 0;
    for (let at = from; ; at += 1) {
      const character = source.charCodeAt(at);
      if (quote !== 0) {
        if (character === quote) quote = 0;
        else if (Number.isNaN(character)) throw this.#damaged("it breaks off", from);
      } else if (character === greater) return at;
      else if (character === doubleQuote || character === singleQuote) quote = character;
      else if (character === less || Number.isNaN(character)) throw this.#damaged("a tag has no end", from);
    }
  }

  #find(word: string, from: number): number {
    const at = this.#source.indexOf(word, from);
    if (at === -1) throw this.#damaged("it breaks off", from);
    return at;
  }

  #damaged(why: string, at: number): Error {
    return damaged(this.#where, `${why} (at character ${at})`);
  }
}

type Kind = typeof begin | typeof end | typeof text | typeof over;
const begin = 0;
const end = 1;
const text = 2;
const over = 3;

const less = 0x3c;
const equals = 0x3d;
const greater = 0x3e;
const slash = 0x2f;
const exclamation = 0x21;
const question = 0x3f;
const doubleQuote = 0x22;
const singleQuote = 0x27;

function isSpace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}

/** Also true behind the end of the text. */
function endsName(character: number): boolean {
  return !(character > 0x20) || character === greater || character === slash;
}

function endsAttribute(character: number): boolean {
  return character === equals || isSpace(character);
}

function indexOrEnd(source: string, word: string, from: number): number {
  const at = source.indexOf(word, from);
  return at === -1 ? source.length : at;
}
