import { join } from "node:path";
import { attempt, statsAt } from "../../../system/attempt.ts";
import { makePrivateDirectory, namesIn } from "../../../system/directories.ts";
import { moveFile, removeFile } from "../../../system/moved-file.ts";
import { readPrivateFile, writePrivateFile } from "../../../system/private-file.ts";
import { ownerHasEnded, thisProcess } from "../../../system/process-identity.ts";

/** A call whose effects are being watched. */
export interface PendingCall {
  readonly callId: string;
  /** The number of the last record before the call. */
  readonly sequence: number;
}

/** The calls that are being watched, in a folder. When a process is killed, another one completes its calls. */
export class PendingCalls {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  add({ callId, sequence }: PendingCall): void {
    makePrivateDirectory(this.#folder);
    writePrivateFile(this.#own(callId), [Buffer.from(JSON.stringify({ sequence }))]);
  }

  done(callId: string): void {
    removeFile(this.#own(callId));
  }

  /** Takes over the calls of ended processes. */
  takeOver(): readonly PendingCall[] {
    return this.#names().flatMap((name) => {
      const [callId, owner] = name.split(".") as [string, string];
      const path = join(this.#folder, name);
      const ageMs = Date.now() - (statsAt(path)?.mtimeMs ?? Date.now());
      if (!ownerHasEnded(owner, ageMs)) return [];
      const ours = this.#own(callId);
      return (
        // Another process may take the call in this moment.
        attempt(() => {
          moveFile(path, ours);
          const { sequence } = JSON.parse(Buffer.from(readPrivateFile(ours)!).toString());
          return [{ callId, sequence: Number(sequence) }];
        }) ?? []
      );
    });
  }

  /** Lists the calls of all processes. */
  list(): readonly string[] {
    return this.#names().map((name) => name.split(".")[0]!);
  }

  #names(): readonly string[] {
    return namesIn(this.#folder).filter((name) => /^call_[^.]+\.[^.]+$/.test(name));
  }

  #own(callId: string): string {
    return join(this.#folder, `${callId}.${thisProcess()}`);
  }
}
