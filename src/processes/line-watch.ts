import { stripVTControlCharacters } from "node:util";
import { ToolError } from "../contract/error.ts";
import { translateRegex } from "../lib/rust-regex/rust-regex.ts";
import { OutOfTime, withinTime } from "../lib/time-bound.ts";
import type { Stream } from "./output-log.ts";

/** Looks for a line that matches an expression in what a process says, colours and the like left out. */
export class LineWatch {
  readonly #pattern: string;
  readonly #expression: RegExp;
  readonly #unfinished: Record<Stream, string> = { stdout: "", stderr: "" };

  /** Throws `invalid-input` for what is no expression. */
  constructor(pattern: string) {
    this.#pattern = pattern;
    const regex = translate(pattern);
    if (regex.untranslatable !== undefined)
      throw new ToolError("invalid-input", `"${pattern}" cannot be looked for: ${regex.untranslatable}`, {
        hint: "Simplify it: a word that the line holds is enough.",
      });
    this.#expression = regex.compile({ ascii: false, carriageReturns: false, strayBytes: false });
  }

  /** The first line that matches among those which this text completes. */
  push(stream: Stream, text: string): string | undefined {
    const lines = (this.#unfinished[stream] + text).split(/\r?\n|\r/);
    this.#unfinished[stream] = lines.pop()!.slice(0, maxLineChars);
    return this.#find(lines);
  }

  /** The unfinished line that matches: a prompt is one. */
  unfinished(): string | undefined {
    return this.#find(Object.values(this.#unfinished).filter((line) => line !== ""));
  }

  #find(lines: readonly string[]): string | undefined {
    if (lines.length === 0) return undefined;
    const plain = lines.map((line) => stripVTControlCharacters(line.slice(0, maxLineChars)));
    try {
      return withinTime(maxMs, () => plain.find((line) => line.search(this.#expression) >= 0));
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      throw new ToolError("invalid-input", `"${this.#pattern}" takes too long to look for`, {
        hint: "Leave out nested repetitions such as (a+)+: a word that the line holds is enough.",
      });
    }
  }
}

/** What is wrong with it, without the way out that only searches have. */
function translate(pattern: string): ReturnType<typeof translateRegex> {
  try {
    return translateRegex(pattern);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const hint = error.hint?.replace(", or set `literal` to true", "");
    throw new ToolError(error.code, error.message, hint === undefined ? {} : { hint });
  }
}

const maxLineChars = 64 * 1024;
const maxMs = 500;
