import { fstatSync } from "node:fs";
import type { LineRange, LineSlice } from "../../../contract/environment.ts";
import { Breath } from "../../../text/breath.ts";
import { keepsChanging } from "../../failures.ts";
import type { LayoutCache } from "../../lines/layout-cache.ts";
import type { ByteSource } from "../../lines/line-index.ts";
import { sliceLines } from "../../lines/read-lines.ts";
import { fileInfo } from "./file-info.ts";
import { readFully, refuseUnlessFile } from "./read-file.ts";

const maxTries = 3;

/** A file of this size is read once, however often its lines are looked at. */
const maxHeldBytes = 64 * 1024;

/** Reads lines of an open file, again when it changed meanwhile. Growing, as logs do, is no change of its lines. */
export async function readFileLines(
  handle: number,
  givenPath: string,
  range: LineRange,
  context: { readonly layouts: LayoutCache; readonly signal: AbortSignal | undefined },
): Promise<LineSlice> {
  const { layouts } = context;
  const breath = new Breath(context.signal);
  let lookedAtMs = Date.now();
  let stats = fstatSync(handle);
  refuseUnlessFile(stats, givenPath);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const before = stats;
    const source = before.size <= maxHeldBytes ? held(handle, before.size) : unheld(handle, before.size);
    const layout = layouts.find(source, before);
    const slice = await sliceLines(source, layout, range, { breath, info: fileInfo(before) });
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

function unheld(handle: number, size: number): ByteSource {
  return { size, read: (target, position) => readFully(handle, target, position) };
}

function held(handle: number, size: number): ByteSource {
  let all: Uint8Array | undefined;
  return {
    size,
    read: (target, position) => {
      if (all === undefined) {
        const bytes = Buffer.allocUnsafe(size);
        all = bytes.subarray(0, readFully(handle, bytes, 0));
      }
      const part = all.subarray(position, position + target.length);
      target.set(part);
      return part.length;
    },
  };
}
