import { ToolError } from "../../contract/error.ts";

/** A place in an expression. */
export class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The operator or the character that comes next, spelled as programs spell it; "" at the end. */
  peek(): string {
    const { text } = this;
    let character = text[this.at] ?? "";
    while (character <= " " || character === "\u00a0") {
      if (character === "") return "";
      this.at += 1;
      character = text[this.at] ?? "";
    }
    if (character > "\x7f") return spellings[character] ?? character;
    return character === "*" && text[this.at + 1] === "*" ? "**" : character;
  }

  /** Past what comes next, if it is this. */
  take(operator: string): boolean {
    if (this.peek() !== operator) return false;
    this.at += operator.length;
    return true;
  }

  /** The name that comes next, without going past it; "" where none does. */
  word(): string {
    wordHere.lastIndex = this.at;
    return wordHere.exec(this.text)?.[0] ?? "";
  }

  /** Where something else should have stood. */
  expected(what: string): ToolError {
    const found = this.peek();
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

const wordHere = /[\p{L}_][\p{L}\p{N}_]*/uy;

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
  if (/[\p{L}\p{N}_(√]/u.test(found)) return "Write every operator: 2 * pi, 3 * (1 + 2), sqrt(2).";
  return "An expression is like (2 + 3) * 4 ^ 2 / sqrt(2).";
}

const percent = "% is the remainder of a division; for ten percent of x write x * 10 / 100.";
