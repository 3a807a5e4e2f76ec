/**
 * A stream of events that begins at once, and ends when its client has gone: else the transport learns that only by the
 * next event, which may never come, and refuses the client a new stream until then.
 */
export function untilGone(response: Response, gone: AbortSignal): Response {
  const { body, status, headers } = response;
  if (body === null || headers.get("content-type") !== "text/event-stream") return response;
  const reader = body.getReader();
  const end = () => reader.cancel().catch(() => {});
  if (gone.aborted) void end();
  else gone.addEventListener("abort", end, { once: true });
  const events = new ReadableStream<Uint8Array>({
    // A comment: with it the headers are sent.
    start: (controller) => controller.enqueue(Buffer.from(":\n\n")),
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: end,
  });
  return new Response(events, { status, headers });
}
