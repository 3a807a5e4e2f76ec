import type { Budget } from "../budget.ts";
import { damaged } from "../damaged.ts";
import { expandEntities } from "./entities.ts";
import { Names } from "./names.ts";

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
  readonly #names = new Names();
  /** The names of open elements as they are written. */
  readonly #open: string[] = [];
  #position = 0;
  /** The element that began last has ended in the same tag. */
  #isEmpty = false;
  /** Where the attributes of the element that began last are. */
  #attributes = 0;
  #attributesEnd = 0;

  /** `where` is for messages: "word/document.xml in report.docx". */
  constructor(source: string, where: string, budget: Budget) {
    this.#source = source;
    this.#where = where;
    this.#budget = budget;
  }

  /** Goes on to the next element in the one whose `depth` was `of` (0: the document); false when that one has ended. */
  child(of: number): boolean {
    if (this.depth > of) this.#leave(of);
    for (;;) {
      const kind = this.#advance(false);
      if (kind === "text") continue;
      return kind === "begin";
    }
  }

  /** As `child`, and stops at text as well. */
  node(of: number): "element" | "text" | undefined {
    if (this.depth > of) this.#leave(of);
    const kind = this.#advance(true);
    if (kind === "text") return "text";
    return kind === "begin" ? "element" : undefined;
  }

  /** Whether the element that began last has this name. */
  is(name: string): boolean {
    return this.name === name;
  }

  /** All text in the element that began last, which is then left. */
  content(): string {
    const of = this.depth;
    let text = "";
    for (;;) {
      const kind = this.#advance(true);
      if (kind === "text") text += this.text;
      else if (kind === "end" && this.depth < of) return text;
    }
  }

  /** Whether the element that began last has an element of this name anywhere, by the letters; it is then left. */
  mentions(word: string): boolean {
    const from = this.#position;
    this.#leave(this.depth - 1);
    return this.#source.slice(from, this.#position).includes(word);
  }

  /** An attribute of the element that began last: "w:val", "name". */
  attribute(name: string): string | undefined {
    const source = this.#source;
    const end = this.#attributesEnd;
    let at = this.#attributes;
    for (;;) {
      while (at < end && isSpace(source.charCodeAt(at))) at += 1;
      if (at >= end) return undefined;
      let nameEnd = at;
      while (nameEnd < end && source.charCodeAt(nameEnd) !== equals) nameEnd += 1;
      let open = nameEnd + 1;
      while (open < end && isSpace(source.charCodeAt(open))) open += 1;
      const quote = source[open]!;
      if (open >= end || (quote !== '"' && quote !== "'"))
        throw this.#damaged("an attribute has no value", at);
      const close = this.#find(quote, open + 1);
      if (this.#names.attribute(source.slice(at, nameEnd).trimEnd()) === name)
        return expandEntities(source.slice(open + 1, close));
      at = close + 1;
    }
  }

  /** `child` and `node` come here with nothing open below the element they are asked about. */
  #advance(wantsText: boolean): "begin" | "end" | "text" | "over" {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.#close();
      return "end";
    }
    const source = this.#source;
    for (;;) {
      const from = this.#position;
      const at = source.indexOf("<", from);
      if (at === -1) {
        if (this.depth > 0) throw this.#damaged("it breaks off", source.length);
        return "over";
      }
      if (wantsText && at > from) {
        this.#position = at;
        this.text = expandEntities(source.slice(from, at));
        return "text";
      }
      const next = source.charCodeAt(at + 1);
      if (next === slash) {
        this.#end(at);
        return "end";
      }
      if (next === exclamation || next === question) {
        if (this.#passOver(at) && wantsText) return "text";
        continue;
      }
      this.#begin(at);
      return "begin";
    }
  }

  #begin(at: number): void {
    const source = this.#source;
    let nameEnd = at + 1;
    while (!endsName(source.charCodeAt(nameEnd))) nameEnd += 1;
    const written = source.slice(at + 1, nameEnd);
    if (written === "") throw this.#damaged("a < begins no element", at);
    const end = this.#tagEnd(nameEnd);
    this.#isEmpty = source.charCodeAt(end - 1) === slash;
    this.#attributes = nameEnd;
    this.#attributesEnd = this.#isEmpty ? end - 1 : end;
    this.#position = end + 1;
    this.depth += 1;
    this.#budget.descend(this.depth);
    this.#open.push(written);
    if (end - nameEnd > 8 && source.slice(nameEnd, end).includes("xmlns"))
      this.#names.declare(this.depth, source.slice(nameEnd, this.#attributesEnd));
    this.name = this.#names.element(written);
  }

  #end(at: number): void {
    const written = this.#open.at(-1);
    if (written === undefined) throw this.#damaged("something ends there that has not begun", at);
    if (!this.#source.startsWith(written, at + 2)) throw this.#damaged(`<${written}> is not ended`, at);
    let close = at + 2 + written.length;
    while (isSpace(this.#source.charCodeAt(close))) close += 1;
    if (this.#source.charCodeAt(close) !== greater) throw this.#damaged(`<${written}> is not ended`, at);
    this.#position = close + 1;
    this.#close();
  }

  #close(): void {
    this.#names.leave(this.depth);
    this.#open.pop();
    this.depth -= 1;
  }

  /** To behind the end of the element at `of` + 1, counting tags and nothing else. */
  #leave(of: number): void {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.#close();
    }
    const source = this.#source;
    while (this.depth > of) {
      let inside = 0;
      for (;;) {
        const at = source.indexOf("<", this.#position);
        if (at === -1) throw this.#damaged("it breaks off", source.length);
        const next = source.charCodeAt(at + 1);
        if (next === slash) {
          if (inside === 0) {
            this.#end(at);
            break;
          }
          inside -= 1;
          this.#position = this.#tagEnd(at + 2) + 1;
        } else if (next === exclamation || next === question) this.#passOver(at);
        else {
          const end = this.#tagEnd(at + 1);
          if (source.charCodeAt(end - 1) !== slash) this.#budget.descend(this.depth + ++inside);
          this.#position = end + 1;
        }
      }
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

  /** Where the tag ends whose inside begins at `from`: a ">" in a quoted value does not end it. */
  #tagEnd(from: number): number {
    const source = this.#source;
    for (let at = from; ; at += 1) {
      const character = source.charCodeAt(at);
      if (character === greater) return at;
      if (character === doubleQuote) at = this.#find('"', at + 1);
      else if (character === singleQuote) at = this.#find("'", at + 1);
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

const less = 0x3c;
const greater = 0x3e;
const equals = 0x3d;
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
  return isSpace(character) || character === greater || character === slash || !(character > 0x20);
}
