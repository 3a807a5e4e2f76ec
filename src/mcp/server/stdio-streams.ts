import type { Readable, Writable } from "node:stream";

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Told what could not be read, in one line. */
  readonly remark?: ((text: string) => void) | undefined;
}
