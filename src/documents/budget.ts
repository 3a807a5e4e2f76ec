import { ToolError } from "../contract/error.ts";
import { showSize } from "../lib/text/format-quantity.ts";

/** Limits of reading one document. They count what is produced, whatever the document declares. */
export interface Limits {
  /** Bytes, of all that is decompressed. */
  readonly inflated: number;
  /** Bytes, of one entry of an archive. */
  readonly entry: number;
  /** Entries of an archive that are listed. */
  readonly entries: number;
  /** Elements in elements, archives in archives, lists in lists. */
  readonly depth: number;
  /** Cells, rows, records. */
  readonly pieces: number;
}

const usualLimits: Limits = {
  inflated: 512_000_000,
  entry: 256_000_000,
  entries: 100_000,
  depth: 512,
  pieces: 50_000_000,
};

/** Counts the work of reading one document. */
export class Budget {
  readonly limits: Limits;
  readonly #name: string;
  #inflated = 0;
  #pieces = 0;

  constructor(name: string, limits: Partial<Limits> = {}) {
    this.#name = name;
    this.limits = { ...usualLimits, ...limits };
  }

  /** The most bytes that one more entry may unpack to. */
  get inflatable(): number {
    return Math.min(this.limits.entry, this.limits.inflated - this.#inflated);
  }

  inflate(bytes: number): void {
    if (bytes > this.inflatable) throw this.refuseInflating();
    this.#inflated += bytes;
  }

  /** The error for an entry larger than `inflatable`. */
  refuseInflating(): ToolError {
    const { entry, inflated } = this.limits;
    const isOne = inflated - this.#inflated >= entry;
    const most = isOne ? `${showSize(entry)} in one piece` : `${showSize(inflated)} in all`;
    return this.#exceeded(`it unpacks to more than ${most}`);
  }

  walk(pieces: number): void {
    this.#pieces += pieces;
    if (this.#pieces > this.limits.pieces)
      throw this.#exceeded(`it has more than ${this.limits.pieces} pieces`);
  }

  descend(depth: number): void {
    if (depth > this.limits.depth) throw this.#exceeded(`it is nested deeper than ${this.limits.depth}`);
  }

  #exceeded(why: string): ToolError {
    return new ToolError("too-large", `${this.#name} is not read any further: ${why}`, {
      hint: "Ask for a smaller part, or use another program (shell.run) if you trust the file.",
      details: { kind: "document-limit", reason: why },
    });
  }
}

/** Resident bytes of a worker above which it is ended. */
export const mostMemory = 1_500_000_000;

/** Megabytes of the V8 heap, which does not include buffers. */
export const mostHeap = 1000;
