import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { makeDatabaseFile } from "../../system/database-file.ts";
import { loadSqlite } from "../../system/load-sqlite.ts";
import { isBusy } from "./index-database.ts";

/**
 * Lets one process at a time build an index: two would do the same work twice. It is a lock of the system on a database
 * that holds nothing, so whoever dies gives it back.
 */
export class BuildLock {
  readonly #path: string;
  #held: DatabaseSync | undefined;

  constructor(directory: string) {
    this.#path = join(directory, "building.db");
  }

  /** Whether it is ours now. Where it cannot be had at all nobody else can have it either. */
  take(): boolean {
    if (this.#held !== undefined) return true;
    let database: DatabaseSync | undefined;
    try {
      makeDatabaseFile(this.#path);
      database = new (loadSqlite().DatabaseSync)(this.#path, { timeout: 0 });
      database.exec("BEGIN EXCLUSIVE");
      this.#held = database;
      return true;
    } catch (error) {
      database?.close();
      return !isBusy(error);
    }
  }

  release(): void {
    this.#held?.close();
    this.#held = undefined;
  }
}
