import { ToolError } from "../../contract/error.ts";

/** A value of a JSON text and its position; offsets count UTF-16 units. */
export type JsonNode = JsonObject | JsonArray | JsonScalar;

export interface JsonObject extends Span {
  readonly kind: "object";
  readonly members: readonly JsonMember[];
}

/** A key with its value. The span begins at the quote of the key and ends after the value. */
export interface JsonMember extends Span {
  readonly key: string;
  readonly keyEnd: number;
  readonly value: JsonNode;
}

export interface JsonArray extends Span {
  readonly kind: "array";
  readonly items: readonly JsonNode[];
}

interface JsonScalar extends Span {
  readonly kind: "string" | "number" | "literal";
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the position of every value in a JSON text. Throws `unsupported`, with line and column, for invalid JSON, and
 * `too-large` for more than `maxValues` values, because each takes far more memory here than in the text.
 */
export function scanJson(text: string, name: string, maxValues = Number.POSITIVE_INFINITY): JsonNode {
  return new Scan(text, name, maxValues).whole();
}

/** Returns the member with this key. The last duplicate counts, as in JSON.parse. */
export function memberOf(node: JsonNode | undefined, key: string): JsonMember | undefined {
  return node?.kind === "object" ? node.members.findLast((member) => member.key === key) : undefined;
}

const maxNesting = 500;

class Scan {
  readonly #text: string;
  readonly #name: string;
  readonly #maxValues: number;
  #at = 0;
  #nesting = 0;
  #values = 0;

  constructor(text: string, name: string, maxValues: number) {
    this.#text = text;
    this.#name = name;
    this.#maxValues = maxValues;
  }

  whole(): JsonNode {
    const node = this.#value();
    if (this.#next() !== "") throw this.#fault("the end of the file");
    return node;
  }

  #value(): JsonNode {
    this.#values += 1;
    if (this.#values > this.#maxValues) {
      const message = `${this.#name} has more than ${this.#maxValues} values, too many to edit`;
      const hint =
        "Clear its outputs first (jupyter nbconvert --clear-output --inplace FILE), or change its text with edit.replace.";
      throw new ToolError("too-large", message, { hint });
    }
    const first = this.#next();
    const start = this.#at;
    if (first === '"') {
      this.#skipString();
      return { kind: "string", start, end: this.#at };
    }
    if (first !== "{" && first !== "[") return this.#scalar();
    this.#nesting += 1;
    if (this.#nesting > maxNesting) throw this.#fault(`at most ${maxNesting} nested values`);
    const node = first === "{" ? this.#object(start) : this.#array(start);
    this.#nesting -= 1;
    return node;
  }

  #object(start: number): JsonObject {
    const members: JsonMember[] = [];
    this.#each("}", () => {
      if (this.#next() !== '"') throw this.#fault("a key in quotes");
      const from = this.#at;
      this.#skipString();
      const keyEnd = this.#at;
      const key = JSON.parse(this.#text.slice(from, keyEnd)) as string;
      if (this.#next() !== ":") throw this.#fault('":"');
      this.#at += 1;
      const value = this.#value();
      members.push({ key, start: from, keyEnd, end: value.end, value });
    });
    return { kind: "object", members, start, end: this.#at };
  }

  #array(start: number): JsonArray {
    const items: JsonNode[] = [];
    this.#each("]", () => items.push(this.#value()));
    return { kind: "array", items, start, end: this.#at };
  }

  #each(close: "}" | "]", read: () => void): void {
    this.#at += 1;
    if (this.#next() !== close) {
      read();
      while (this.#next() === ",") {
        this.#at += 1;
        read();
      }
    }
    if (this.#next() !== close) throw this.#fault(`"," or "${close}"`);
    this.#at += 1;
  }

  #skipString(): void {
    const start = this.#at;
    for (let at = start + 1; ; at += 1) {
      const quote = this.#text.indexOf('"', at);
      if (quote === -1) throw this.#fault("the end of this string");
      let slashes = 0;
      while (this.#text[quote - 1 - slashes] === "\\") slashes += 1;
      at = quote;
      if (slashes % 2 === 1) continue;
      this.#at = quote + 1;
      break;
    }
    const written = this.#text.slice(start, this.#at);
    // Checking for escapes is slow in the long strings of images, and most strings have none.
    const wrong = written.search(written.includes("\\") ? unfitInString : control);
    if (wrong === -1) return;
    this.#at = start + wrong;
    throw this.#fault("a valid character");
  }

  #scalar(): JsonScalar {
    const start = this.#at;
    scalarHere.lastIndex = start;
    const match = scalarHere.exec(this.#text);
    if (!match) throw this.#fault("a value");
    this.#at = scalarHere.lastIndex;
    return { kind: match[1] === undefined ? "number" : "literal", start, end: this.#at };
  }

  #next(): string {
    for (;;) {
      const character = this.#text[this.#at] ?? "";
      if (character !== " " && character !== "\n" && character !== "\r" && character !== "\t")
        return character;
      this.#at += 1;
    }
  }

  #fault(expected: string): ToolError {
    const before = this.#text.slice(0, this.#at);
    const line = before.split("\n").length;
    const column = this.#at - before.lastIndexOf("\n");
    const found = this.#text[this.#at];
    const what = found === undefined ? "the end of the file" : JSON.stringify(found);
    return new ToolError(
      "unsupported",
      `${this.#name} is not valid JSON: expected ${expected} at line ${line}, column ${column}, found ${what}`,
      { hint: "Fix it with edit.replace, then try again." },
    );
  }
}

const scalarHere = /(true|false|null)|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const control = /[\0-\x1f]/;

/** Matches a control character or an invalid escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const unfitInString = /[\0-\x1f]|(?<!\\)(?:\\\\)*\\(?!["\\/bfnrt]|u[\da-fA-F]{4})/;
