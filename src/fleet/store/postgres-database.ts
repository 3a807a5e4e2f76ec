import type { Pool, PoolClient } from "pg";
import { loadPackage } from "../optional-package.ts";
import { databaseUnavailable, type Query, type SqlDatabase, type SqlValue } from "./sql-database.ts";

/** Connects to the PostgreSQL database of the fleets of many machines. Connections are made when they are needed. */
export async function openPostgresDatabase(
  address: string,
  retryMs: number,
  onWait?: (reason: string) => void,
): Promise<SqlDatabase> {
  const { Pool } = await loadPackage(() => import("pg"), "bullmq pg");
  const pool = new Pool({
    connectionString: address,
    application_name: "toolcrib fleet",
    options: `-c search_path=${schema}`,
    max: 8,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    // A frozen worker must not keep the locks of its transaction, and a dead connection must not keep its worker.
    idle_in_transaction_session_timeout: 20_000,
    statement_timeout: 30_000,
    query_timeout: 40_000,
  });
  // Without listeners, a connection that ends while it is not used would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return new PostgresDatabase(pool, retryMs, onWait);
}

const schema = "toolcrib_fleet";

class PostgresDatabase implements SqlDatabase {
  readonly dialect = {
    now: "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS DOUBLE PRECISION)",
    startedAt: "CAST(extract(epoch FROM pg_postmaster_start_time()) * 1000 AS DOUBLE PRECISION)",
    forUpdate: "FOR UPDATE",
    changesInWith: true,
    listIn: (parameter: string) => `(SELECT jsonb_array_elements_text(CAST(${parameter} AS jsonb)))`,
    // The lock makes several workers that start at once migrate one after the other.
    prepareSchema: [`SELECT pg_advisory_xact_lock(${0x746f6f6c})`, `CREATE SCHEMA IF NOT EXISTS ${schema}`],
  };
  readonly #pool: Pool;
  readonly #retryMs: number;
  readonly #onWait: ((reason: string) => void) | undefined;
  #isWaiting = false;
  #isClosed = false;

  constructor(pool: Pool, retryMs: number, onWait: ((reason: string) => void) | undefined) {
    this.#pool = pool;
    this.#retryMs = retryMs;
    this.#onWait = onWait;
  }

  readonly query: Query = (sql, values) => this.#connected((client) => queryOf(client)(sql, values));

  transaction<Result>(act: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#connected(async (client) => {
      await client.query("BEGIN");
      try {
        const result = await act(queryOf(client));
        await client.query("COMMIT");
        return result;
      } catch (error) {
        // A connection that is lost has rolled back, and is not used again.
        await client.query("ROLLBACK").catch(() => {});
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }

  /** Runs `act` with a connection, and again after errors that pass, until `retryMs` are over. */
  async #connected<Result>(act: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const deadline = Date.now() + this.#retryMs;
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 2_000)) {
      try {
        const result = await this.#once(act);
        this.#isWaiting = false;
        return result;
      } catch (error) {
        if (isRefused(error)) throw databaseUnavailable(error);
        if (!mayPass(error)) throw error;
        if (this.#isClosed || Date.now() + waitMs > deadline) throw databaseUnavailable(error);
        // Shorter failures are collisions of transactions, and of no interest.
        if (waitMs >= 400 && !this.#isWaiting) {
          this.#isWaiting = true;
          this.#onWait?.((error as Error).message || String((error as { code?: unknown }).code));
        }
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random() / 2)));
    }
  }

  async #once<Result>(act: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    let isLost = false;
    try {
      return await act(client);
    } catch (error) {
      isLost = mayPass(error);
      throw error;
    } finally {
      client.release(isLost);
    }
  }
}

function queryOf(client: PoolClient): Query {
  return async (sql, values: readonly SqlValue[] = []) => (await client.query(sql, [...values])).rows;
}

/** Whether the same transaction may succeed later: the connection was lost, the server restarts, or transactions collided. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return passingCodes.test(code) || (code === "" && passingMessages.test(error.message));
}

/** Whether the address is wrong: its host, user, password or database. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return /^(?:28000|28P01|3D000|ENOTFOUND)$/.test(code) || error.message.startsWith("SASL");
}

/** SQLSTATEs of lost connections, collisions, full servers, timeouts and restarts; and errors of sockets. */
const passingCodes =
  /^(?:08\d{3}|40001|40P01|53300|57014|57P0[1-5]|25P03|25P04|E(?:CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NETDOWN|AI_AGAIN|NOENT))$/;

/** The driver's own errors have no code. */
const passingMessages =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Timed out)/i;
