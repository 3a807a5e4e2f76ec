import type { Stats } from "node:fs";
import { type ByteSource, chunkBytes } from "./line-index.ts";
import { layOut, type TextLayout } from "./read-lines.ts";

const maxFiles = 32;

interface Known {
  readonly layout: TextLayout;
  readonly size: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
}

/** Remembers the line indexes of the files read last, as long as they stay what they were or only grow. */
export class LayoutCache {
  readonly #files = new Map<string, Known>();

  find(source: ByteSource, stats: Stats): TextLayout {
    const known = this.#files.get(`${stats.dev}:${stats.ino}`);
    if (known === undefined) return layOut(source);
    const same =
      known.size === stats.size && known.modifiedMs === stats.mtimeMs && known.changedMs === stats.ctimeMs;
    return same || known.size < stats.size ? known.layout : layOut(source);
  }

  keep(layout: TextLayout, stats: Stats): void {
    const key = `${stats.dev}:${stats.ino}`;
    this.#files.delete(key);
    // Scanning a small file again costs no more than remembering it.
    if (stats.size <= chunkBytes) return;
    this.#files.set(key, { layout, size: stats.size, modifiedMs: stats.mtimeMs, changedMs: stats.ctimeMs });
    if (this.#files.size > maxFiles) this.#files.delete(this.#files.keys().next().value!);
  }
}
