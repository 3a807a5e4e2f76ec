import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, userDirectories } from "../../../system/directories.ts";

/** What the person typed in earlier chats, for the arrow keys. In a file that nobody else reads; without one it is forgotten. */
export class KeptLines {
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
