import { ToolError } from "../contract/error.ts";
import { showSize } from "../lib/text/format-quantity.ts";

/** Limits for reading one document. They count actual output, not the sizes that the document declares. */
export interface Limits {
  /** The number of bytes of all decompressed data. */
  readonly inflated: number;
  readonly entry: number;
  readonly entries: number;
  /** The nesting depth of elements, archives or lists. */
  readonly depth: number;
  /** The number of cells, rows and records. */
  readonly pieces: number;
}

const usualLimits: Limits = {
  inflated: 512_000_000,
  entry: 256_000_000,
  entries: 100_000,
  depth: 512,
  pieces: 50_000_000,
};

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

  refuseInflating(): ToolError {
    const { entry, inflated } = this.limits;
    const isOne = inflated - this.#inflated >= entry;
    const most = isOne ? `${showSize(entry)} in one entry` : `${showSize(inflated)} in total`;
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
    return new ToolError("too-large", `${this.#name} is too large to read: ${why}`, {
      hint: "Ask for a smaller part, or use another program (shell.run) if you trust the file.",
      forUser: {
        hint: "Add --part for a smaller part, or open it in another program if you trust the file.",
      },
      details: { kind: "document-limit", reason: why },
    });
  }
}

/** A worker with more resident bytes is stopped. */
export const mostMemory = 1_500_000_000;

/** The limit of the V8 heap in megabytes. The heap does not include buffers. */
export const mostHeap = 1000;
