import { ToolError } from "../../../contract/error.ts";

/** A place in an expression, never before a space. */
export class Cursor {
  readonly text: string;
  at = 0;
  /** The operator or the character that comes next, spelled as programs spell it; "" at the end. */
  next = "";

  constructor(text: string) {
    this.text = text;
    this.goTo(0);
  }

  /** To the first place from here on that is no space. */
  goTo(at: number): void {
    const { text } = this;
    let place = at;
    let code = text.charCodeAt(place);
    while (code <= space || code === hardSpace) {
      place += 1;
      code = text.charCodeAt(place);
    }
    this.at = place;
    const character = text[place] ?? "";
    if (code > lastAscii) this.next = spellings[character] ?? character;
    else this.next = character === "*" && text[place + 1] === "*" ? "**" : character;
  }

  /** Past what comes next, if it is this. */
  take(operator: string): boolean {
    if (this.next !== operator) return false;
    this.goTo(this.at + operator.length);
    return true;
  }

  /** The name that comes next, without going past it; "" where none does. */
  word(): string {
    const code = this.text.charCodeAt(this.at) | 0x20;
    const isLetter = (code >= letterA && code <= letterZ) || code > lastAscii || this.next === "_";
    if (!isLetter) return "";
    wordHere.lastIndex = this.at;
    return wordHere.exec(this.text)?.[0] ?? "";
  }

  /** Where something else should have stood. */
  expected(what: string): ToolError {
    const found = this.next;
    const place = found === "" ? "at the end" : `at character ${this.at + 1}, found ${this.#shown()}`;
    return new ToolError("invalid-input", `Expected ${what} ${place}`, { hint: hintFor(found, this.text) });
  }

  refused(message: string, hint: string): ToolError {
    return new ToolError("invalid-input", `${message}, at character ${this.at + 1}`, { hint });
  }

  #shown(): string {
    const word = this.word() || String.fromCodePoint(this.text.codePointAt(this.at)!);
    return JSON.stringify(word.length > 40 ? `${word.slice(0, 40)}…` : word);
  }
}

const space = 0x20;
const hardSpace = 0xa0;
const lastAscii = 0x7f;
const letterA = 0x61;
const letterZ = 0x7a;

/** Spelled out: to read `\p{L}` alone takes longer than to load all the rest. */
const wordHere =
  /[A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u3040-\ud7ff][\w\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u3040-\ud7ff]*/y;

/** Whether a name begins there. */
export function isWordAt(text: string, at: number): boolean {
  wordHere.lastIndex = at;
  return wordHere.test(text);
}

const spellings: Readonly<Record<string, string>> = {
  "×": "*",
  "·": "*",
  "⋅": "*",
  "∙": "*",
  "∗": "*",
  "÷": "/",
  "∕": "/",
  "−": "-",
  "–": "-",
};

function hintFor(found: string, text: string): string {
  if (found === "=" || found === "<" || found === ">")
    return "Give one arithmetic expression: there are no comparisons and no variables.";
  if (found === ",") return "Write 1000 or 1_000; a comma only stands between the arguments of a function.";
  if (found === "." || found === "[") return "Names have no parts: write sqrt(2), not Math.sqrt(2).";
  if (found === "" && text.trimEnd().endsWith("%")) return percent;
  if (found === ")" && text.includes("%")) return percent;
  if (found === "/") return "For a quotient without its fraction write floor(a / b).";
  if (found === "" && text.includes("(")) return "Every ( needs its ).";
  if (isWordAt(found, 0) || /[\d(√]/.test(found))
    return "Write every operator: 2 * pi, 3 * (1 + 2), sqrt(2).";
  return "An expression is like (2 + 3) * 4 ^ 2 / sqrt(2).";
}

const percent = "% is the remainder of a division; for ten percent of x write x * 10 / 100.";
