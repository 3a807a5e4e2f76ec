import { fstatSync, type Stats } from "node:fs";
import type { LineRange, LineSlice } from "../../../contract/environment.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { keepsChanging, tooLarge } from "../../../system/file-errors.ts";
import type { LayoutCache } from "../../lines/layout-cache.ts";
import type { ByteSource } from "../../lines/line-index.ts";
import { sliceLines } from "../../lines/read-lines.ts";
import { fileInfo } from "./file-info.ts";
import { readFully, refuseUnlessFile } from "./read-file.ts";

const maxTries = 3;

/** A file up to this size is read once as a whole. */
const maxHeldBytes = 64 * 1024;

/** Reads lines of an open file, and tries again when it changed in between. A file may grow, as logs do. */
export async function readFileLines(
  handle: number,
  givenPath: string,
  range: LineRange,
  context: { readonly layouts: LayoutCache; readonly signal: AbortSignal | undefined },
): Promise<LineSlice> {
  const { layouts } = context;
  const timeSlice = new TimeSlice(context.signal);
  let lookedAtMs = Date.now();
  let stats = fstatSync(handle);
  refuseUnlessFile(stats, givenPath);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const before = stats;
    const source = sourceOf(handle, before, givenPath);
    const layout = layouts.find(source, before);
    const info = { ...fileInfo(before), bytes: source.size };
    const slice = await sliceLines(source, layout, range, { timeSlice, info });
    const lookedBeforeMs = lookedAtMs;
    lookedAtMs = Date.now();
    stats = fstatSync(handle);
    const isUnchanged = stats.size === before.size && stats.mtimeMs === before.mtimeMs;
    if (isUnchanged || stats.size > before.size) {
      layouts.keep(layout, source, before, lookedBeforeMs);
      return slice;
    }
    layouts.forget(before);
  }
  throw keepsChanging(givenPath);
}

function sourceOf(handle: number, { size, blocks }: Stats, givenPath: string): ByteSource {
  if (size > maxHeldBytes) return { size, read: (target, position) => readFully(handle, target, position) };
  return blocks === 0 ? generated(handle, givenPath) : held(handle, size);
}

/** Reads a file that takes no disk space, as in /proc. It may be longer or shorter than its reported size. */
function generated(handle: number, givenPath: string): ByteSource {
  const pieces: Buffer[] = [];
  for (let size = 0; ; ) {
    const piece = Buffer.allocUnsafe(maxHeldBytes);
    const read = readFully(handle, piece, size);
    pieces.push(piece.subarray(0, read));
    size += read;
    if (size > maxGeneratedBytes) throw tooLarge(givenPath, size, maxGeneratedBytes);
    if (read < piece.length) break;
  }
  const all = Buffer.concat(pieces);
  return { size: all.length, read: (target, position) => all.copy(target, 0, position) };
}

/** The limit for a file that is generated while it is read, because it may have no end. */
const maxGeneratedBytes = 16 * 1024 * 1024;

function held(handle: number, size: number): ByteSource {
  let all: Buffer | undefined;
  const rest = (position: number) => {
    if (all === undefined) {
      // A slice of the pool would keep the rest of the pool in memory as long as the caller keeps the lines.
      const bytes = Buffer.allocUnsafeSlow(size);
      all = bytes.subarray(0, readFully(handle, bytes, 0));
    }
    return all.subarray(position);
  };
  return { size, rest, read: (target, position) => rest(position).copy(target) };
}
