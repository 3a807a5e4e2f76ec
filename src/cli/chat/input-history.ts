import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../system/attempt.ts";
import { makePrivateDirectory, userDirectories } from "../../system/directories.ts";

/** The input of earlier chats, for the arrow keys, in a file that only the user can read. */
export class InputHistory {
  readonly #file: string;
  readonly #lines: string[];

  constructor(directory: string = userDirectories().state) {
    this.#file = join(directory, "chat-history");
    this.#lines = attempt(() => this.#read(directory)) ?? [];
  }

  /** Newest first. An input may have several lines. */
  get newestFirst(): string[] {
    return this.#lines.toReversed().map((line) => line.replaceAll(lineSeparator, "\n"));
  }

  add(input: string): void {
    const line = input.replaceAll("\n", lineSeparator);
    if (line.trim() === "" || line.length > maxInputChars || line === this.#lines.at(-1)) return;
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

/** Stands for a line end in the file, which has one input per line. */
const lineSeparator = "\u2028";

const maxLines = 1_000;
const maxChars = 256 * 1024;
/** Longer input was pasted, and is not worth finding again. */
const maxInputChars = 16 * 1024;
