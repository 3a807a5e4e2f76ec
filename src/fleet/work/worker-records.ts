import { join } from "node:path";
import { makePrivateDirectory, namesIfReadable } from "../../system/directories.ts";
import {
  ownerHasEnded,
  recordThisProcess,
  removeRecord,
  thisProcess,
} from "../../system/process-identity.ts";

/**
 * The processes of the workers that use a work folder. The other workers of the machine see at once that one has ended,
 * and do not wait for its lease.
 */
export class WorkerRecords {
  readonly #folder: string;
  readonly #own: string;

  constructor(workFolder: string, worker: string) {
    this.#folder = join(workFolder, "workers");
    this.#own = join(this.#folder, `${thisProcess()}.${worker}`);
    makePrivateDirectory(this.#folder);
    recordThisProcess(this.#own);
  }

  /** Returns the workers of processes that have ended on this machine. Workers in other containers keep their lease. */
  ended(): readonly EndedWorker[] {
    return namesIfReadable(this.#folder)
      .filter((name) => ownerHasEnded(name, 0))
      .map((name) => ({
        id: name.slice(name.indexOf(".") + 1),
        forget: () => removeRecord(join(this.#folder, name)),
      }));
  }

  remove(): void {
    removeRecord(this.#own);
  }
}

interface EndedWorker {
  readonly id: string;
  forget(): void;
}
