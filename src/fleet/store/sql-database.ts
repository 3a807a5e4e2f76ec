import { ToolError } from "../../contract/error.ts";

export type SqlValue = string | number | null;
type SqlRow = Readonly<Record<string, SqlValue>>;

/** Runs one statement. Parameters are `$1`, `$2`, …; every parameter occurs in the statement. */
export type Query = <Row = SqlRow>(sql: string, values?: readonly SqlValue[]) => Promise<readonly Row[]>;

/** The database of fleets: SQLite or PostgreSQL. Both run the same statements, apart from the parts in `dialect`. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Runs one statement that only reads, or that may run twice. */
  readonly query: Query;
  /**
   * Runs `act` in a transaction. It runs again after a conflict and after a lost connection. The commit may have succeeded
   * although its answer was lost, so `act` must recognize what an earlier attempt of the same call has written.
   */
  transaction<Result>(act: (query: Query) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Expressions that differ between the databases. */
export interface SqlDialect {
  /** The time of the database in milliseconds: the clocks of workers may differ. */
  readonly now: string;
  /** When the server started. No worker could report before, so no lease ends sooner than after this time. */
  readonly startedAt: string;
  /** Locks the selected rows until the end of the transaction. */
  readonly forUpdate: string;
  /** Whether `WITH` may contain statements that change rows: what they depend on then needs no round trip. */
  readonly changesInWith: boolean;
  /** The texts in a parameter that is a JSON list, as a subquery. */
  listIn(parameter: string): string;
  /** Statements before the first migration: what only this database needs. */
  readonly prepareSchema: readonly string[];
}

/** The error when a database cannot be reached in time. The same call may succeed later. */
export function databaseUnavailable(cause: unknown): ToolError {
  const reason = cause instanceof Error && cause.message !== "" ? cause.message : String(cause);
  return new ToolError("unavailable", `The database of the fleet is not available: ${reason}`, {
    hint: "Check that the server runs, and the address: --database postgres://user@host/database, with the password in PGPASSWORD.",
    details: { kind: "database-unavailable" },
    cause,
  });
}

export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof ToolError && error.details?.kind === "database-unavailable";
}
