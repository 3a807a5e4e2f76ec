import type { Writable } from "node:stream";
import { ToolError } from "../../../contract/error.ts";

/** What a program is given to read while it runs. */
export class ProcessInput {
  readonly #stream: Writable | undefined;

  /** A program need not read what it is given. */
  constructor(stream: Writable | null) {
    this.#stream = stream ?? undefined;
    this.#stream?.on("error", () => {});
  }

  /** Waits until the system has taken it: a program that reads slowly slows its writer. */
  write(bytes: Uint8Array): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      if (stream === undefined || !stream.writable) reject(readsNoMore());
      else stream.write(bytes, (error) => (error ? reject(readsNoMore(error)) : resolve()));
    });
  }

  end(bytes?: Uint8Array): void {
    this.#stream?.end(bytes);
  }

  /** Nobody is there to read it: who still writes is told. */
  close(): void {
    this.#stream?.destroy();
  }
}

function readsNoMore(cause?: Error): ToolError {
  return new ToolError("unavailable", "The program reads no more input", {
    hint: "It has ended, has closed its input, or was started with nothing to read.",
    cause,
  });
}
