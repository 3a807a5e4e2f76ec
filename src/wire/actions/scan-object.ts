/** Where a JSON object ends, or where it becomes invalid. Offsets count UTF-16 units. */
export type Scan =
  | { readonly end: number }
  | { readonly at: number; readonly problem: string; readonly hint: string };

/** Reads the object at `start` strictly: a repaired object may mean something else. */
export function scanObject(text: string, start: number): Scan {
  const scanner = new Scanner(text, start);
  try {
    scanner.object(1);
    return { end: scanner.at };
  } catch (error) {
    if (error instanceof Fault) return error.scan;
    throw error;
  }
}

/** This is deeper than any arguments, and far from a stack overflow. */
const mostNesting = 100;

class Fault {
  readonly scan: Exclude<Scan, { end: number }>;

  constructor(at: number, problem: string, hint: string) {
    this.scan = { at, problem, hint };
  }
}

class Scanner {
  readonly #text: string;
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  object(depth: number): void {
    this.at += 1;
    const keys = new Set<string>();
    this.#blanks();
    if (this.#takes("}")) return;
    for (;;) {
      this.#key(keys);
      this.#blanks();
      if (!this.#takes(":"))
        throw this.#unexpected("a colon after the key", "Write a colon between key and value.");
      this.#value(depth);
      this.#blanks();
      if (this.#takes("}")) return;
      if (!this.#takes(",")) throw this.#unexpected("a comma or }", betweenValues);
      this.#blanks();
      if (this.#next === "}") throw this.#unexpected("another key", "Leave out the comma before the }.");
    }
  }

  #key(keys: Set<string>): void {
    if (this.#next !== '"') throw this.#unexpected("a key", 'Write keys in double quotes: "path".');
    const start = this.at;
    this.#string();
    const key: string = JSON.parse(this.#text.slice(start, this.at));
    if (keys.has(key))
      throw new Fault(start, `the key ${JSON.stringify(key)} is repeated`, "Write each key once.");
    keys.add(key);
  }

  #value(depth: number): void {
    this.#blanks();
    if (depth > mostNesting)
      throw new Fault(this.at, `more than ${mostNesting} nested levels`, "Nest fewer levels.");
    if (this.#next === '"') this.#string();
    else if (this.#next === "{") this.object(depth + 1);
    else if (this.#next === "[") this.#list(depth + 1);
    else this.#word();
  }

  /** Reads a number, `true`, `false` or `null`. */
  #word(): void {
    const word = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
    word.lastIndex = this.at;
    const [found] = word.exec(this.#text) ?? [];
    if (found === undefined) throw this.#unexpected("a value", valueHints[this.#next] ?? otherValue);
    this.at += found.length;
  }

  #list(depth: number): void {
    this.at += 1;
    this.#blanks();
    if (this.#takes("]")) return;
    for (;;) {
      this.#value(depth);
      this.#blanks();
      if (this.#takes("]")) return;
      if (!this.#takes(",")) throw this.#unexpected("a comma or ]", betweenValues);
      this.#blanks();
      if (this.#next === "]") throw this.#unexpected("another value", "Leave out the comma before the ].");
    }
  }

  #string(): void {
    const start = this.at;
    for (this.at += 1; this.#next !== '"'; this.at += 1) {
      const next = this.#next;
      if (next === "")
        throw new Fault(start, "this string never ends", 'End it with ", and write " inside it as \\".');
      if (next < " ") throw new Fault(this.at, `${nameOf(next)} in a string is not escaped`, escapeIt(next));
      if (next === "\\") this.#escape();
    }
    this.at += 1;
  }

  #escape(): void {
    const known = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
    known.lastIndex = this.at;
    const [found] = known.exec(this.#text) ?? [];
    if (found === undefined) {
      const wrong = this.#text.slice(this.at, this.at + 2);
      throw new Fault(this.at, `${wrong} is not a valid escape`, `Write a backslash as \\\\: \\${wrong}.`);
    }
    this.at += found.length - 1;
  }

  get #next(): string {
    return this.#text.charAt(this.at);
  }

  #blanks(): void {
    while (this.#next !== "" && " \t\n\r".includes(this.#next)) this.at += 1;
  }

  #takes(character: string): boolean {
    if (this.#next !== character) return false;
    this.at += 1;
    return true;
  }

  #unexpected(wanted: string, hint: string): Fault {
    const isEnd = this.#next === "";
    if (isEnd) return new Fault(this.at, `the reply ends where ${wanted} is expected`, wholeObject);
    const found = String.fromCodePoint(this.#text.codePointAt(this.at)!);
    return new Fault(this.at, `expected ${wanted}, found ${JSON.stringify(found)}`, hint);
  }
}

const wholeObject = "Write the whole object, up to its last }.";
const betweenValues = 'Write a comma between two values, and " inside a string as \\".';
const otherValue = "A value is a string in double quotes, a number, true, false, null, [ ] or { }.";

const valueHints: Readonly<Record<string, string>> = {
  "'": "Write strings in double quotes.",
  "`": "Write strings in double quotes.",
  T: "Write true.",
  F: "Write false.",
  N: "Write null.",
};

function nameOf(control: string): string {
  if (control === "\n" || control === "\r") return "a line break";
  return control === "\t" ? "a tab" : "a control character";
}

function escapeIt(control: string): string {
  return `Write ${JSON.stringify(control).slice(1, -1)} instead, on one line.`;
}
