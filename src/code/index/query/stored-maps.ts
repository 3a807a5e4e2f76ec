import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { CentralFile, CentralWanted } from "../../../contract/code.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { bestSymbols, central } from "../../search/central.ts";
import type { IndexView } from "../indexer.ts";
import { currentWordIndex, type WordIndex } from "./word-index.ts";

interface StoredMap {
  /** The number of files of the workspace, and of those that were not indexed when the map was computed. */
  readonly files: number;
  readonly missing: number;
  readonly central: readonly RankedFile[];
}

/** A central file, with the number of its content in the index. */
interface RankedFile extends CentralFile {
  readonly number: number;
}

/** The map of fewer files is computed again after each change, because that takes only milliseconds. */
const fewFiles = 200;
/** The ranks of a map are used until this share of the files has changed. An edited file counts twice. */
const mostDrift = 0.1;
/** After a build, a map is computed again from this share on, before it is asked for. */
const someDrift = 0.02;

/**
 * The maps of an index, stored with it, because ranking takes seconds in a large workspace. While few files have
 * changed, a map keeps its ranks and shows the current symbols of those files.
 */
export class StoredMaps {
  readonly #held = new Map<string, { readonly check: number; readonly map: StoredMap }>();

  /** Returns the map of the current files. A map that had to be computed is returned with `store`, to store it. */
  find(
    view: IndexView,
    wanted: CentralWanted,
  ): { readonly files: readonly CentralFile[]; readonly store?: () => void } {
    const key = JSON.stringify(wanted, ["path", "language", "limit"]);
    const stored = this.#stored(view, key);
    const { size } = view.state.files;
    if (stored !== undefined && stored.drift <= (size > fewFiles ? size * mostDrift : 0))
      return { files: currentFiles(stored.map, view) };
    const map = compute(view, wanted);
    return { files: map.central.map(shown), store: () => this.#store(view, key, map) };
  }

  /** Computes the stored maps again that have changed somewhat. */
  update(view: IndexView): void {
    for (const key of view.store.maps) {
      const stored = this.#stored(view, key);
      if (stored === undefined || stored.drift <= view.state.files.size * someDrift) continue;
      const map = view.store.read(() => {
        view.state.catchUp(view.store);
        return compute(view, JSON.parse(key) as CentralWanted);
      });
      this.#store(view, key, map);
    }
  }

  #stored({ store, state }: IndexView, key: string): { map: StoredMap; drift: number } | undefined {
    const found = store.map(key);
    if (found === undefined) return undefined;
    let held = this.#held.get(key);
    if (held?.check !== found.check) {
      held = { check: found.check, map: readMap(found.bytes()) };
      this.#held.set(key, held);
    }
    const { map } = held;
    const moved = Math.abs(state.files.size - map.files) + Math.abs(missingIn({ state }) - map.missing);
    return { map, drift: found.changes + moved };
  }

  #store({ store }: IndexView, key: string, map: StoredMap): void {
    const bytes = zstdCompressSync(JSON.stringify(map), quickly);
    store.change(() => store.addMap(key, bytes));
  }
}

const quickly = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

function readMap(bytes: Uint8Array): StoredMap {
  return JSON.parse(asBuffer(zstdDecompressSync(bytes)).toString()) as StoredMap;
}

function compute(view: IndexView, wanted: CentralWanted): StoredMap {
  const { store, state } = view;
  const files = central(currentWordIndex(view), wanted);
  const ranked = files.map((file) => ({ ...file, number: store.records.get(file.path)!.number }));
  return { files: state.files.size, missing: missingIn(view), central: ranked };
}

function missingIn({ state: { outdated, wordless } }: Pick<IndexView, "state">): number {
  return outdated.size + wordless.size;
}

/** Returns the files that still exist. The symbols of a changed file are those of its current content. */
function currentFiles({ central }: StoredMap, view: IndexView): readonly CentralFile[] {
  const index = currentWordIndex(view);
  return central.flatMap((ranked) => {
    const record = view.store.records.get(ranked.path);
    if (record === undefined || index.file(record.number) === undefined) return [];
    return [record.number === ranked.number ? shown(ranked) : withSymbols(ranked, record.number, index)];
  });
}

function withSymbols({ path, weight, symbols }: RankedFile, number: number, index: WordIndex): CentralFile {
  const outline = index.outline(number);
  const worth = new Map(symbols.map((symbol) => [`${symbol.kind} ${symbol.name}`, symbol.weight]));
  const weights = Float64Array.from(outline, ({ kind, name }) => worth.get(`${kind} ${name}`) ?? 0);
  return { path, weight, symbols: bestSymbols(index.file(number)!, outline, weights) };
}

function shown({ path, weight, symbols }: RankedFile): CentralFile {
  return { path, weight, symbols };
}
