import type { Environment } from "../../contract/environment.ts";
import type { EntryState } from "../../contract/history.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import type { Blobs } from "../blobs.ts";

/** Contents of files by their hash: stored ones, those of current files, and those computed for this undo. */
export class Contents {
  readonly #blobs: Pick<Blobs, "has" | "read">;
  readonly #environment: Environment;
  readonly #paths = new Map<string, string>();
  readonly #computed = new Map<string, Uint8Array>();

  constructor(parts: { readonly blobs: Pick<Blobs, "has" | "read">; readonly environment: Environment }) {
    this.#blobs = parts.blobs;
    this.#environment = parts.environment;
  }

  /** Records that this file has the content. */
  note(path: string, state: EntryState): void {
    if (state.kind === "file") this.#paths.set(state.hash, path);
  }

  /** Adds a computed content and returns it as the state of a file. */
  add(content: Uint8Array, mode: number): EntryState {
    const hash = contentHash(content);
    this.#computed.set(hash, content);
    return { kind: "file", hash, bytes: content.length, mode };
  }

  has(hash: string): boolean {
    return this.#computed.has(hash) || this.#paths.has(hash) || (hash !== "" && this.#blobs.has(hash));
  }

  /**
   * Reads a content. Throws `unavailable` when it is missing or damaged, `stale` when it has changed in the meantime.
   */
  async read(hash: string): Promise<Uint8Array> {
    const computed = this.#computed.get(hash);
    if (computed !== undefined) return computed;
    const path = this.#paths.get(hash);
    if (path === undefined || this.#blobs.has(hash)) return this.#blobs.read(hash);
    return (await this.#environment.readFile(path, { maxBytes })).bytes;
  }

  /**
   * Returns the content of a state; undefined when it is not available or too large, "nothing" when there is no file.
   */
  async peek(state: EntryState): Promise<Uint8Array | "nothing" | undefined> {
    if (state.kind !== "file") return "nothing";
    if (!this.has(state.hash) || state.bytes > maxComparedBytes) return undefined;
    return this.read(state.hash).catch(undefinedUnlessExhausted);
  }
}

const maxBytes = 1024 * 1024 * 1024;
const maxComparedBytes = 8 * 1024 * 1024;
