import type { DatabaseSync } from "node:sqlite";

/** Does all or nothing, while no other process writes. */
export function inTransaction<Result>(database: DatabaseSync, act: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = act();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** A full disk has already taken it back, and what a damaged database says to this is no news. */
function rollBack(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec("ROLLBACK");
  } catch {
    // The error that led here says more.
  }
}
