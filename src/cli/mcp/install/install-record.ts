import { join } from "node:path";
import { fingerprint } from "../../../lib/content-hash.ts";
import { readPolicyFile, removePolicyFile, writePolicyFile } from "../../../system/policy-files.ts";

/** What an installation has changed, so that it can be taken back to the byte. It is also the backup. */
export interface InstallRecord {
  readonly file: string;
  readonly name: string;
  /** Null where there was no file. */
  readonly before: string | null;
  readonly after: string;
  /** Directories that were made for it, outermost first. */
  readonly made: readonly string[];
}

/** Kept in the state directory, for nobody else to read: configurations hold keys. */
export class InstallRecords {
  readonly #folder: string;

  constructor(state: string) {
    this.#folder = join(state, "installed");
  }

  write(record: InstallRecord): void {
    writePolicyFile(this.#at(record), JSON.stringify(record));
  }

  /** Undefined also for one that is damaged. */
  read(place: Pick<InstallRecord, "file" | "name">): InstallRecord | undefined {
    try {
      const found = JSON.parse(readPolicyFile(this.#at(place)) ?? "null") as InstallRecord | null;
      const isMeant = found?.file === place.file && found.name === place.name;
      return isMeant && Array.isArray(found.made) && typeof found.after === "string" ? found : undefined;
    } catch {
      return undefined;
    }
  }

  remove(place: Pick<InstallRecord, "file" | "name">): void {
    removePolicyFile(this.#at(place));
  }

  #at({ file, name }: Pick<InstallRecord, "file" | "name">): string {
    return join(this.#folder, `${fingerprint(JSON.stringify([file, name]))}.json`);
  }
}
