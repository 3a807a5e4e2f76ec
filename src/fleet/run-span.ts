import type { Run, RunOutcome } from "./fleet.ts";

type Api = typeof import("@opentelemetry/api");

/**
 * Does the work of a delivery in a span `fleet_run`. Turns of a session that is opened with `telemetry` are within it, if the
 * program has registered a context manager, as OpenTelemetry's NodeSDK does. The span holds names and counts, no content.
 */
export async function inRunSpan<Result extends { readonly outcome: RunOutcome | null }>(
  { id, fleet, spec, deliveries, worker }: Run,
  work: () => Promise<Result>,
  api?: Api,
): Promise<Result> {
  const { context, SpanStatusCode, trace } = api ?? (await import("@opentelemetry/api"));
  const span = trace.getTracer("toolcrib").startSpan("fleet_run", {
    attributes: {
      "toolcrib.fleet": fleet,
      "toolcrib.fleet.run": id,
      "toolcrib.fleet.task": spec.task,
      "toolcrib.fleet.delivery": deliveries,
      "toolcrib.fleet.worker": worker ?? undefined,
      "gen_ai.request.model": spec.model,
    },
  });
  try {
    const result = await context.with(trace.setSpan(context.active(), span), work);
    span.setAttribute("toolcrib.fleet.outcome", result.outcome ?? "parked");
    return result;
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
