import { closeSync, openSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, namesIn } from "./directories.ts";
import { asToolError, errnoOf } from "./file-errors.ts";
import { ownerHasEnded, thisProcess } from "./process-identity.ts";

/** A file that marks an open transaction; its name identifies the process that holds it. */
export interface TransactionMark {
  readonly id: string;
  /** "parked": the next process can take it. "abandoned": the process that held it has ended, or could not roll it back. */
  readonly state: "held" | "parked" | "abandoned";
  /** Whether its process leaves it to the next one, instead of rolling it back. */
  readonly isShared: boolean;
  readonly file: string;
}

/** The open transactions of one workspace. A process takes one by renaming a file, so only one process gets it. */
export class TransactionMarks {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  list(): readonly TransactionMark[] {
    return this.#names().map((file) => {
      const [id = "", owner = "", kind = ""] = file.split(".");
      // A transaction may stay open for days, so one in another container never counts as abandoned.
      const isAbandoned = owner === abandoned || (owner !== parked && ownerHasEnded(owner, 0));
      const state = owner === parked ? "parked" : isAbandoned ? "abandoned" : "held";
      return { id, state, isShared: owner === parked || kind === "shared", file };
    });
  }

  begin(id: string, { isShared }: { readonly isShared: boolean }): void {
    makePrivateDirectory(this.#folder);
    closeSync(openSync(join(this.#folder, heldName(id, isShared)), "wx", 0o600));
  }

  /** Returns false when another process has taken it. */
  take({ id, file, isShared }: TransactionMark): boolean {
    try {
      renameSync(join(this.#folder, file), join(this.#folder, heldName(id, isShared)));
      return true;
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return false;
      throw error;
    }
  }

  /** Marks a transaction that could not be rolled back: the next start tries again, also in this process. */
  abandon(id: string): void {
    for (const { id: other, file } of this.list())
      if (other === id) renameSync(join(this.#folder, file), join(this.#folder, `${id}.${abandoned}`));
  }

  park(id: string): void {
    renameSync(join(this.#folder, heldName(id, true)), join(this.#folder, `${id}.${parked}`));
  }

  end(id: string): void {
    for (const mark of this.list()) if (mark.id === id) unlinkSync(join(this.#folder, mark.file));
  }

  #names(): readonly string[] {
    try {
      return namesIn(this.#folder).filter((name) => name.startsWith("transaction_"));
    } catch (error) {
      throw asToolError(error, this.#folder);
    }
  }
}

const parked = "parked";
const abandoned = "abandoned";

function heldName(id: string, isShared: boolean): string {
  return `${id}.${thisProcess()}.${isShared ? "shared" : "own"}`;
}
