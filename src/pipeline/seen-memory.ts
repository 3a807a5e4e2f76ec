import type { Environment } from "../contract/environment.ts";
import type { SeenFiles, SeenPart } from "../contract/tool.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { asBuffer } from "../lib/bytes/bytes.ts";

/** The files that one caller has seen last. Paths are resolved on demand, because most files are never edited. */
export class SeenMemory implements SeenFiles {
  readonly #environment: Environment;
  readonly #maxBytes: number;
  /** The notes by path and first line, the latest last. */
  readonly #notes: BoundedCache<string, Note>;

  constructor(
    environment: Environment,
    options: { readonly maxBytes: number } = { maxBytes: 32 * 1024 * 1024 },
  ) {
    this.#environment = environment;
    this.#maxBytes = options.maxBytes;
    this.#notes = new BoundedCache({ maxWeight: options.maxBytes, weigh: sizeOf });
  }

  note(path: string, part: SeenPart): void {
    const note = { path, part };
    if (sizeOf(note) > this.#maxBytes) this.#notes.delete(keyOf(note));
    else this.#notes.set(keyOf(note), note);
  }

  async recall(path: string): Promise<readonly SeenPart[]> {
    if (this.#notes.size === 0) return [];
    const wanted = await this.#environment.realPath(path);
    const notes = [...this.#notes.values()];
    // A path that can no longer be reached resolves to "".
    const realPathOf = (note: Note) =>
      (note.realPath ??= this.#environment.realPath(note.path).catch(() => ""));
    const realPaths = await Promise.all(notes.map(realPathOf));
    return notes
      .filter((_, index) => realPaths[index] === wanted)
      .reduce<readonly SeenPart[]>((known, { part }) => overlay(known, part), []);
  }
}

interface Note {
  readonly path: string;
  readonly part: SeenPart;
  /** The real path, resolved when it is first needed. */
  realPath?: Promise<string>;
}

function keyOf({ path, part: { lines } }: Note): string {
  return `${lines === "all" ? "all" : lines.first}:${path}`;
}

/** Returns the size of the whole buffer, because a part may be a view of a larger buffer. */
function sizeOf({ part }: Note): number {
  return part.bytes.buffer.byteLength + perNote;
}

const perNote = 500;

/** Adds a part that was seen later, and drops earlier lines that may have moved. */
function overlay(known: readonly SeenPart[], part: SeenPart): readonly SeenPart[] {
  const { lines } = part;
  if (lines === "all") return [part];
  const [first] = known;
  if (first?.lines === "all") return isAt(first.bytes, part.bytes, lines.first) ? known : [part];
  const apart = known.filter((other) => !overlaps(other, lines));
  return [...apart, part].sort((left, right) => firstLine(left) - firstLine(right));
}

/** Whether `part` is in `whole`, beginning at a line that is counted from 1. */
function isAt(whole: Uint8Array, part: Uint8Array, line: number): boolean {
  let start = 0;
  for (let above = 1; above < line; above += 1) {
    start = whole.indexOf(10, start) + 1;
    if (start === 0) return false;
  }
  return asBuffer(whole)
    .subarray(start, start + part.length)
    .equals(part);
}

function overlaps(part: SeenPart, lines: { readonly first: number; readonly count: number }): boolean {
  if (part.lines === "all") return true;
  return part.lines.first < lines.first + lines.count && lines.first < part.lines.first + part.lines.count;
}

function firstLine({ lines }: SeenPart): number {
  return lines === "all" ? 1 : lines.first;
}
