import { lstatSync, rmdirSync, type Stats, unlinkSync } from "node:fs";
import type { ChangeReceipt, DeleteOptions } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import { throwIfAborted } from "../../../lib/abort.ts";
import { Breath } from "../../../lib/breath.ts";
import { asToolError, errnoOf, isWorkspaceItself, needsRecursive } from "../../../system/failures.ts";
import type { Gate } from "../../../system/gate.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning/pinning.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { fileInfo } from "./file-info.ts";
import { findExisting, type Place, realPathOf } from "./place.ts";
import type { NamedPath } from "./read-file.ts";
import { type Visit, walkTree } from "./walk-tree.ts";

/** Removes what stands at a path; a link itself, never what it points to. */
export async function deleteEntry(pinning: Pinning, path: NamedPath, options: DeleteOptions): Promise<void> {
  throwIfAborted(options.signal);
  const place = findExisting(pinning, path.absolute, { followLinks: false, givenPath: path.given });
  const { directory, name } = place;
  try {
    if (name === ".") throw isWorkspaceItself(path.given);
    pinning.gate.pass("write", realPathOf(place), path.given);
    if (!place.stats.isDirectory()) {
      options.announce?.([removal(realPathOf(place), place.stats)]);
      unlinkSync(directory.at(name));
    } else if (options.recursive !== true) throw needsRecursive(path.given);
    else await deleteTree(pinning.gate, place, path.given, options);
    directory.confirm();
  } finally {
    directory.close();
  }
}

async function deleteTree(
  gate: Gate,
  { directory, name }: Place,
  givenPath: string,
  options: DeleteOptions,
): Promise<void> {
  const deletion = new Deletion(gate, givenPath, options);
  try {
    await deletion.run(directory, name);
  } catch (error) {
    const { code, message, hint } = asToolError(error, givenPath);
    if (deletion.deleted === 0) throw error;
    throw new ToolError(
      code,
      `${message}; a part of ${givenPath} is already deleted, the rest is still there`,
      {
        ...(hint === undefined ? {} : { hint }),
        cause: error,
      },
    );
  }
}

/** Deletes one entry after the other, and counts them. */
class Deletion {
  deleted = 0;
  readonly #gate: Gate;
  readonly #givenPath: string;
  readonly #options: DeleteOptions;

  constructor(gate: Gate, givenPath: string, options: DeleteOptions) {
    this.#gate = gate;
    this.#givenPath = givenPath;
    this.#options = options;
  }

  async run(parent: PinnedDirectory, name: string): Promise<void> {
    const breath = new Breath(this.#options.signal);
    const look: Visit = (here, entry) => this.#look(here, entry);
    // All are asked for before the first goes.
    if (this.#gate.isGuarded) await walkTree(parent.child(name), look, breath);
    await walkTree(parent.child(name), (...entry) => this.#remove(...entry), breath);
    this.#announce(parent, Buffer.from(name));
    rmdirSync(parent.at(name));
  }

  #look(here: PinnedDirectory, name: Uint8Array): void {
    this.#gate.pass("write", withSlash(here.realPath) + name, this.#givenPath);
  }

  #announce(here: PinnedDirectory, name: Uint8Array): void {
    if (this.#options.announce === undefined) return;
    const stats = lstatSync(here.bytesAt(name), { throwIfNoEntry: false });
    if (stats !== undefined) this.#options.announce([removal(withSlash(here.realPath) + name, stats)]);
  }

  #remove(here: PinnedDirectory, name: Uint8Array, kind: "directory" | "other"): void {
    this.#look(here, name);
    this.#announce(here, name);
    try {
      (kind === "directory" ? rmdirSync : unlinkSync)(here.bytesAt(name));
      this.deleted += 1;
    } catch (error) {
      // Somebody else deletes as well; gone is gone.
      if (errnoOf(error) !== "ENOENT") throw error;
    }
  }
}

function removal(realPath: string, stats: Stats): ChangeReceipt {
  return { realPath, before: fileInfo(stats), after: undefined };
}
