import type { DatabaseSync } from "node:sqlite";
import { Records } from "./records.ts";

/** Takes the calls of the first journals over, each as one record. */
export function migrateCalls(database: DatabaseSync): void {
  const records = new Records(database);
  const rows = database.prepare("SELECT * FROM calls ORDER BY sequence").all() as unknown as OldCall[];
  records.append(
    rows.map((row) => ({
      at: row.started_at,
      kind: row.outcome === null ? "begin" : "call",
      session: row.session,
      call: row.call_id,
      body: JSON.stringify({
        tool: row.tool,
        input: JSON.parse(row.input),
        ...(row.outcome === null
          ? {}
          : {
              outcome: row.outcome,
              message: row.message ?? undefined,
              outputHandle: row.output_handle ?? undefined,
              durationMs: row.duration_ms,
            }),
      }),
    })),
  );
  database.exec("DROP TABLE calls");
}

interface OldCall {
  readonly call_id: string;
  readonly session: string;
  readonly tool: string;
  readonly input: string;
  readonly started_at: number;
  readonly duration_ms: number | null;
  readonly outcome: string | null;
  readonly message: string | null;
  readonly output_handle: string | null;
}
