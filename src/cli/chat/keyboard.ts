import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { makePrivateDirectory, userDirectories } from "../../system/directories.ts";
import { remark } from "../terminal.ts";

/** Where the words of the person come from. */
export interface Keyboard {
  /** The next thing they say, of one line or more; undefined when they leave. */
  read(signal: AbortSignal): Promise<string | undefined>;
  /** Hears of each line that is typed meanwhile; the answer stops it. */
  listen(hear: (line: string) => void): () => void;
  /** Hears of nothing while a question stands. */
  lend<Answer>(ask: () => Promise<Answer>): Promise<Answer>;
  close(): void;
}

/** A person at a terminal: lines are edited, completed and remembered; those typed while the model works are plain. */
export class TerminalKeyboard implements Keyboard {
  readonly #kept = new InputHistory();
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
      // Standard output is for the model's words alone.
      output: process.stderr,
      terminal: true,
      prompt,
      history: this.#kept.newestFirst,
      completer: (line: string) => this.#complete(line) as [string[], string],
    });
    const leave = () => reader.close();
    signal.addEventListener("abort", leave);
    try {
      return await readInput(reader, (line) => this.#kept.add(line));
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
    process.stdin.once("end", tellLeaving);
  }

  #shut(): void {
    process.stdin.off("end", tellLeaving);
    this.#listener?.close();
    this.#listener = undefined;
  }
}

/** Ctrl-D while the model works. */
function tellLeaving(): void {
  remark("The chat ends when the model has answered; Ctrl-C stops it.\n");
}

/** A file or a program: each line is a turn, after the one before it. */
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

/** Lines that end with a backslash go on, as do those of a text that is pasted, which come all at once. */
function readInput(reader: Interface, keep: (line: string) => void): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const lines: string[] = [];
  let settling: NodeJS.Timeout | undefined;
  let isLeaving = false;
  const settle = () => {
    const last = lines.at(-1) ?? "";
    if (!last.endsWith("\\") && reader.line === "") resolve(lines.join("\n"));
    else {
      // One in the middle of what was pasted stays.
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
const continued = "… ";

/** What is pasted comes in one piece. */
const pasteMs = 25;

/** What the person typed in earlier chats, for the arrow keys. In a file that nobody else reads; without one it is forgotten. */
export class InputHistory {
  readonly #file: string;
  readonly #lines: string[];

  constructor(directory: string = userDirectories().state) {
    this.#file = join(directory, "chat-history");
    this.#lines = this.#read(directory);
  }

  /** Newest first, as `node:readline` takes them. */
  get newestFirst(): string[] {
    return this.#lines.toReversed();
  }

  add(line: string): void {
    if (line.trim() === "" || line === this.#lines.at(-1)) return;
    this.#lines.push(line);
    try {
      appendFileSync(this.#file, `${line}\n`, { mode: 0o600 });
    } catch {
      // A chat is worth more than its history.
    }
  }

  #read(directory: string): string[] {
    try {
      makePrivateDirectory(directory);
      const lines = readFileSync(this.#file, "utf8").slice(-maxChars).split("\n").filter(Boolean);
      const latest = lines.slice(-maxLines);
      chmodSync(this.#file, 0o600);
      if (lines.length > maxLines) writeFileSync(this.#file, `${latest.join("\n")}\n`, { mode: 0o600 });
      return latest;
    } catch {
      return [];
    }
  }
}

const maxLines = 1_000;
const maxChars = 256 * 1024;
