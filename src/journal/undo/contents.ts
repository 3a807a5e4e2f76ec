import type { Environment } from "../../contract/environment.ts";
import type { EntryState } from "../../contract/history.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import type { Blobs } from "../blobs.ts";

/** Contents of files by their hash: kept ones, those that stand somewhere now, and those worked out on the way. */
export class Contents {
  readonly #blobs: Pick<Blobs, "has" | "read">;
  readonly #environment: Environment;
  readonly #standing = new Map<string, string>();
  readonly #made = new Map<string, Uint8Array>();

  constructor(parts: { readonly blobs: Pick<Blobs, "has" | "read">; readonly environment: Environment }) {
    this.#blobs = parts.blobs;
    this.#environment = parts.environment;
  }

  /** What stands at a path now can be had from there. */
  note(path: string, state: EntryState): void {
    if (state.kind === "file") this.#standing.set(state.hash, path);
  }

  /** A content worked out here, as the state of a file. */
  add(content: Uint8Array, mode: number): EntryState {
    const hash = contentHash(content);
    this.#made.set(hash, content);
    return { kind: "file", hash, bytes: content.length, mode };
  }

  has(hash: string): boolean {
    return this.#made.has(hash) || this.#standing.has(hash) || (hash !== "" && this.#blobs.has(hash));
  }

  /** Throws `unavailable` for what is gone or damaged, `stale` for what has changed meanwhile. */
  async read(hash: string): Promise<Uint8Array> {
    const made = this.#made.get(hash);
    if (made !== undefined) return made;
    const path = this.#standing.get(hash);
    if (path === undefined || this.#blobs.has(hash)) return this.#blobs.read(hash);
    const { bytes } = await this.#environment.readFile(path, { maxBytes: maxBytes });
    return bytes;
  }

  /** The content of a state for a comparison; undefined when it cannot be had, "nothing" where there is no file. */
  async peek(state: EntryState): Promise<Uint8Array | "nothing" | undefined> {
    if (state.kind !== "file") return "nothing";
    if (!this.has(state.hash) || state.bytes > maxComparedBytes) return undefined;
    return this.read(state.hash).catch(() => undefined);
  }
}

const maxBytes = 1024 * 1024 * 1024;
const maxComparedBytes = 8 * 1024 * 1024;
