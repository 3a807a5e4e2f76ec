import { ToolError } from "../../contract/error.ts";
import type { Session } from "../session.ts";
import { SpanWriter } from "./span-writer.ts";

/** Tells `@opentelemetry/api` of a session as spans, without a word of what was said in it; the answer stops it. */
export async function startTelemetry(session: Pick<Session, "id" | "model" | "on">): Promise<() => void> {
  const api = await loadApi();
  const writer = new SpanWriter(api, { session: session.id, model: session.model.id });
  const stopListening = session.on((event) => writer.take(event));
  return () => {
    stopListening();
    writer.close();
  };
}

async function loadApi(): Promise<typeof import("@opentelemetry/api")> {
  try {
    return await import("@opentelemetry/api");
  } catch (cause) {
    throw new ToolError("unavailable", "Telemetry is wanted, and @opentelemetry/api is not installed", {
      hint: "Run `npm install @opentelemetry/api` beside an SDK that exports spans, or leave telemetry off.",
      cause,
    });
  }
}
