import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../system/attempt.ts";
import { inPrivateDirectory, namesIn } from "../../system/directories.ts";
import { isOfThisBoot, ownerHasEnded, removeRecord, thisProcess } from "../../system/process-identity.ts";

/** A server whose client has ended, or has given it up. */
export interface AbandonedServer {
  readonly session: string;
  /** Whether the client ran on another machine that shares the folder, or before this one was restarted. */
  readonly mayBeElsewhere: boolean;
}

/**
 * A file for each server of a workspace on a target, created before the server starts, so that the next process can stop a
 * server whose client was killed.
 */
export class ServerRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(session: string): void {
    inPrivateDirectory(this.#folder, () => writeFileSync(this.#own(session), "", { mode: 0o600 }));
  }

  remove(session: string): void {
    removeRecord(this.#own(session));
  }

  /** Marks a server that may still run, though this process has lost it: the next start stops it, also in this process. */
  abandon(session: string): void {
    attempt(() => renameSync(this.#own(session), join(this.#folder, `${abandoned}.${session}`)));
  }

  abandoned(): readonly AbandonedServer[] {
    return namesIn(this.#folder).flatMap((name) => {
      const [owner = "", session = ""] = name.split(".");
      const isAbandoned = owner === abandoned;
      if (!isAbandoned && !ownerHasEnded(owner, 0)) return [];
      return [{ session, mayBeElsewhere: !isAbandoned && !isOfThisBoot(owner) }];
    });
  }

  /** Removes the records of abandoned servers that have ended. */
  forget(sessions: readonly string[]): void {
    for (const name of namesIn(this.#folder))
      if (sessions.includes(name.split(".")[1] ?? "")) removeRecord(join(this.#folder, name));
  }

  #own(session: string): string {
    return join(this.#folder, `${thisProcess()}.${session}`);
  }
}

const abandoned = "abandoned";
