import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import { kindOfMode, type Snapshot } from "../../contract/snapshot.ts";
import type { Blobs } from "../blobs.ts";
import { nothing } from "../entry-states.ts";
import type { Difference } from "./differences.ts";
import type { FindingParts } from "./find-changes.ts";
import { blobName } from "./git-blobs.ts";
import { bytesAt, type Holding, modeAt } from "./ledger.ts";

/** What stands at a path. */
export interface Standing {
  readonly state: EntryState;
  /** It is what git has under the name that was asked for. */
  readonly isAsHeld?: boolean;
  /** Why the content could not be read. */
  readonly unread?: string;
}

/** Looks at what stands there after the command, and keeps it if it is small: the next command may change it. */
export class PresentEntries {
  readonly holdings = new Map<number, Holding>();
  readonly #snapshot: Snapshot;
  readonly #environment: Environment;
  readonly #blobs: Blobs;
  #room: number;

  constructor(snapshot: Snapshot, parts: FindingParts) {
    this.#room = parts.maxBytes ?? maxKeptTogether;
    this.#snapshot = snapshot;
    this.#environment = parts.environment;
    this.#blobs = parts.blobs;
  }

  async look({ path, after: place }: Difference, heldName: Holding | undefined): Promise<Standing> {
    if (place === undefined) return { state: nothing };
    const mode = modeAt(this.#snapshot, place);
    const kind = kindOfMode(mode);
    if (kind === "directory") return { state: { kind, mode: mode & 0o7777 } };
    if (kind === "link") return { state: { kind, target: this.#snapshot.targets.get(place) ?? "" } };
    const bytes = bytesAt(this.#snapshot, place);
    const unread = (why: string) => ({
      state: { kind: "file" as const, hash: "", bytes, mode: mode & 0o7777 },
      unread: why,
    });
    if (bytes > maxHashedBytes) return unread("too large to be read");
    try {
      const isSmall = bytes <= Math.min(maxKeptBytes, this.#room);
      const kept = isSmall ? await this.#keep(path, place, heldName) : undefined;
      return kept ?? { state: await this.#environment.state(path) };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error.code === "not-found") return { state: nothing };
      return unread(error.code === "denied" ? "it may not be read" : "it could not be read");
    }
  }

  /** Undefined when there is no space. */
  async #keep(path: string, place: number, heldName: Holding | undefined): Promise<Standing | undefined> {
    const kept = await this.#blobs.keepFile(this.#environment, path).catch(undefinedWithoutSpace);
    if (kept === undefined) return undefined;
    const { hash, bytes } = kept;
    this.#room -= bytes;
    this.holdings.set(place, hash);
    const state: EntryState = { kind: "file", hash, bytes, mode: modeAt(this.#snapshot, place) & 0o7777 };
    return {
      state,
      isAsHeld: heldName !== undefined && blobName(await this.#blobs.read(hash)) === heldName,
    };
  }
}

const maxKeptBytes = 1024 * 1024;
// A command may have made any number of files.
const maxKeptTogether = 64 * 1024 * 1024;
const maxHashedBytes = 1024 * 1024 * 1024;

function undefinedWithoutSpace(error: unknown): undefined {
  if (!(error instanceof ToolError) || error.code !== "unavailable") throw error;
}
