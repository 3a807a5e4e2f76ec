import type { DatabaseSync } from "node:sqlite";

/** Does all or nothing, while no other process writes. */
export function inTransaction<Result>(database: DatabaseSync, act: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = act();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // A full disk has already taken it back.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
