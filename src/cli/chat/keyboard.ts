import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { attempt } from "../../system/attempt.ts";
import { makePrivateDirectory, userDirectories } from "../../system/directories.ts";
import { forLocale, remark } from "../terminal.ts";

/** The source of the user's input. */
export interface Keyboard {
  /** Returns the next input, of one line or more; undefined when the user leaves. */
  read(signal: AbortSignal): Promise<string | undefined>;
  /** Calls `hear` with each line typed while the model works. Returns a function that stops it. */
  listen(hear: (line: string) => void): () => void;
  /** Stops listening while a question is asked. */
  lend<Answer>(ask: () => Promise<Answer>): Promise<Answer>;
  close(): void;
}

/** A terminal, where input is edited, completed and remembered, except for lines typed while the model works. */
export class TerminalKeyboard implements Keyboard {
  readonly #history = new InputHistory();
  readonly #complete: (line: string) => [readonly string[], string];
  #hear: ((line: string) => void) | undefined;
  #listener: Interface | undefined;

  constructor(complete: (line: string) => [readonly string[], string]) {
    this.#complete = complete;
  }

  async read(signal: AbortSignal): Promise<string | undefined> {
    if (process.stdin.readableEnded) return undefined;
    const reader = createInterface({
      input: process.stdin,
      // Standard output carries only the model's text.
      output: process.stderr,
      terminal: true,
      prompt,
      history: this.#history.newestFirst,
      completer: (line: string) => this.#complete(line) as [string[], string],
    });
    const leave = () => reader.close();
    signal.addEventListener("abort", leave);
    try {
      return await readInput(reader, (line) => this.#history.add(line));
    } finally {
      signal.removeEventListener("abort", leave);
      reader.close();
    }
  }

  listen(hear: (line: string) => void): () => void {
    this.#hear = hear;
    this.#open();
    return () => {
      this.#shut();
      this.#hear = undefined;
    };
  }

  async lend<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#shut();
    try {
      return await ask();
    } finally {
      if (this.#hear) this.#open();
    }
  }

  close(): void {
    this.#shut();
  }

  #open(): void {
    this.#listener = createInterface({ input: process.stdin, terminal: false });
    this.#listener.on("line", (line) => this.#hear?.(line));
    process.stdin.once("end", remarkLeaving);
  }

  #shut(): void {
    process.stdin.off("end", remarkLeaving);
    this.#listener?.close();
    this.#listener = undefined;
  }
}

/** Answers Ctrl-D while the model works. */
function remarkLeaving(): void {
  remark("The chat ends after this turn. Ctrl-C stops it now.\n");
}

/** A pipe or a file, in which each line is a turn. */
export class PipedKeyboard implements Keyboard {
  readonly #reader = createInterface({ input: process.stdin, terminal: false });
  readonly #lines = this.#reader[Symbol.asyncIterator]();

  async read(signal: AbortSignal): Promise<string | undefined> {
    const leave = () => this.#reader.close();
    signal.addEventListener("abort", leave);
    try {
      let input: string | undefined;
      for (;;) {
        const { done, value } = await this.#lines.next();
        if (done) return input;
        input = input === undefined ? value : `${input.slice(0, -1)}\n${value}`;
        if (!value.endsWith("\\")) return input;
      }
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  listen(): () => void {
    return () => {};
  }

  lend<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    return ask();
  }

  close(): void {
    this.#reader.close();
  }
}

/** Reads an input. A line that ends with a backslash continues, and lines that arrive together were pasted. */
function readInput(reader: Interface, keep: (line: string) => void): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const lines: string[] = [];
  let settling: NodeJS.Timeout | undefined;
  let isLeaving = false;
  const settle = () => {
    const last = lines.at(-1) ?? "";
    if (!last.endsWith("\\") && reader.line === "") resolve(lines.join("\n"));
    else {
      // A backslash in the middle of pasted text is kept.
      if (last.endsWith("\\")) lines.splice(-1, 1, last.slice(0, -1));
      reader.setPrompt(continued);
      reader.prompt(true);
    }
  };
  reader.on("line", (line) => {
    isLeaving = false;
    lines.push(line);
    keep(line);
    clearTimeout(settling);
    settling = setTimeout(settle, pasteMs);
  });
  reader.on("SIGINT", () => {
    if (isLeaving) {
      reader.close();
      return;
    }
    isLeaving = reader.line === "" && lines.length === 0;
    remark(isLeaving ? "\nTo leave: Ctrl-C again, Ctrl-D, or /exit.\n" : "\n");
    lines.length = 0;
    reader.setPrompt(prompt);
    reader.write(null, { ctrl: true, name: "e" });
    reader.write(null, { ctrl: true, name: "u" });
    reader.prompt();
  });
  reader.on("close", () => resolve(undefined));
  reader.prompt();
  return promise;
}

const prompt = "> ";
const continued = forLocale("… ");

/** The time within which pasted lines arrive. */
const pasteMs = 25;

/** The input of earlier chats, for the arrow keys, in a file that only the user can read. */
export class InputHistory {
  readonly #file: string;
  readonly #lines: string[];

  constructor(directory: string = userDirectories().state) {
    this.#file = join(directory, "chat-history");
    this.#lines = attempt(() => this.#read(directory)) ?? [];
  }

  /** The lines, newest first, as `node:readline` takes them. */
  get newestFirst(): string[] {
    return this.#lines.toReversed();
  }

  add(line: string): void {
    if (line.trim() === "" || line === this.#lines.at(-1)) return;
    this.#lines.push(line);
    // The chat works without its history.
    attempt(() => appendFileSync(this.#file, `${line}\n`, { mode: 0o600 }));
  }

  #read(directory: string): string[] {
    makePrivateDirectory(directory);
    const lines = readFileSync(this.#file, "utf8").slice(-maxChars).split("\n").filter(Boolean);
    const latest = lines.slice(-maxLines);
    chmodSync(this.#file, 0o600);
    if (lines.length > maxLines) writeFileSync(this.#file, `${latest.join("\n")}\n`, { mode: 0o600 });
    return latest;
  }
}

const maxLines = 1_000;
const maxChars = 256 * 1024;
