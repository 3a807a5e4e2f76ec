import type { Stats } from "node:fs";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { type ByteSource, chunkBytes } from "./line-index.ts";
import { layOut, type TextLayout } from "./read-lines.ts";

// A file that changes again within one tick of the file system's clock looks unchanged.
const tickMs = 50;

const sampleBytes = 64;

interface Known {
  readonly layout: TextLayout;
  readonly stats: Stats;
  /** Whether the file had not changed for a while when it was read. */
  readonly isSettled: boolean;
  /** The last bytes of the file, to detect whether it has only grown. */
  readonly sample: Buffer;
}

/** Caches the line indexes of recently read files, as long as they do not change or only grow. */
export class LayoutCache {
  readonly #files = new BoundedCache<string, Known>({ maxEntries: 32 });

  find(source: ByteSource, stats: Stats): TextLayout {
    const known = this.#files.size === 0 ? undefined : this.#files.get(identity(stats));
    const stillTrue = known !== undefined && (isUnchanged(known, stats) || hasOnlyGrown(known, source));
    return stillTrue ? known.layout : layOut(source);
  }

  /** Caches a layout. `stats` were taken at `lookedAtMs`, before the file was read. */
  keep(layout: TextLayout, source: ByteSource, stats: Stats, lookedAtMs: number): void {
    this.forget(stats);
    // Scanning a small file again is as fast as a look-up.
    if (stats.size <= chunkBytes) return;
    const isSettled = lookedAtMs - Math.max(stats.mtimeMs, stats.ctimeMs) > tickMs;
    const sample = sampleBefore(stats.size, source);
    this.#files.set(identity(stats), { layout, stats, isSettled, sample });
  }

  forget(stats: Stats): void {
    if (this.#files.size > 0) this.#files.delete(identity(stats));
  }
}

function identity(stats: Stats): string {
  return `${stats.dev}:${stats.ino}`;
}

function isUnchanged({ stats: before, isSettled }: Known, now: Stats): boolean {
  const same = before.size === now.size && before.mtimeMs === now.mtimeMs && before.ctimeMs === now.ctimeMs;
  return same && isSettled;
}

function hasOnlyGrown({ stats: before, sample }: Known, source: ByteSource): boolean {
  return source.size > before.size && sampleBefore(before.size, source).equals(sample);
}

function sampleBefore(end: number, source: ByteSource): Buffer {
  const sample = Buffer.alloc(Math.min(sampleBytes, end));
  source.read(sample, end - sample.length);
  return sample;
}
