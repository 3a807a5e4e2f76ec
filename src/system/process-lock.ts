import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { loadSqlite, makeDatabaseFile } from "./sqlite-file.ts";

/**
 * Runs `act` while no other process, and no other call in this one, holds the lock of this file. The system releases the
 * lock of a killed process. Throws the reason of `signal` when it aborts before the lock is free.
 */
export async function withProcessLock<Result>(
  file: string,
  signal: AbortSignal,
  act: () => Promise<Result>,
): Promise<Result> {
  // Closing any handle of the file would release the lock of another call in this process.
  if (!existsSync(file)) makeDatabaseFile(file);
  const database = new (loadSqlite().DatabaseSync)(file, { timeout: 0 });
  try {
    while (true) {
      signal.throwIfAborted();
      try {
        // An empty transaction locks the file and writes nothing.
        database.exec("BEGIN EXCLUSIVE");
        break;
      } catch (error) {
        if (((error as { errcode?: number }).errcode ?? 0) % 256 !== sqliteBusy) throw error;
        await pause(retryMs, undefined, { signal });
      }
    }
    return await act();
  } finally {
    database.close();
  }
}

const sqliteBusy = 5;
const retryMs = 20;
