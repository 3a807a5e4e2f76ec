import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import type { Toolcrib } from "../../../toolcrib/index.ts";
import type { ServerIdentity } from "../../types.ts";
import { ApprovalQuestions } from "../approvals.ts";
import { newServer } from "../new-server.ts";
import { ServedToolcrib } from "../served-toolcrib.ts";
import { Sessions } from "./sessions.ts";

export interface HttpHandlerOptions extends ServerIdentity, Partial<SessionLimits> {
  /**
   * Opens a room: one for each session of clients of the 2025 era; one for all later clients together, whose protocol knows no
   * sessions. The server closes them.
   */
  readonly open: () => Promise<Toolcrib>;
}

/** Answers requests of web standards, from whichever server has let them in. */
export interface HttpHandler {
  fetch(request: Request): Promise<Response>;
  /** Ends all sessions and rooms. May be called twice. */
  close(): Promise<void>;
}

/** MCP over Streamable HTTP, both eras. Admits everybody: who serves it checks host, origin and token. */
export function newHttpHandler(options: HttpHandlerOptions): HttpHandler {
  const { open, version, instructions } = options;
  const { maxSessions = 100, idleMs = 2 * 60 * 60_000, maxBodyBytes = 32 * 1024 * 1024 } = options;
  const identity = { version, instructions };
  const questions = new ApprovalQuestions();
  const room = new ServedToolcrib(open);
  const sessions = new Sessions({ open, questions, ...identity }, { maxSessions, idleMs, maxBodyBytes });
  const modern = createMcpHandler(() => newServer({ room, questions, ...identity }), {
    legacy: "reject",
    maxRequestBodySize: maxBodyBytes,
  });
  room.onToolsChange(() => modern.notify.toolsChanged());
  let closed: Promise<void> | undefined;
  const close = async () => {
    await modern.close();
    await Promise.all([sessions.close(), room.close()]);
  };
  return {
    fetch: async (request) => {
      const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes });
      return untilGone(await (isLegacy ? sessions : modern).fetch(request), request.signal);
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/**
 * A stream of events that begins at once, and ends when its client has gone: else the transport learns that only by the
 * next event, which may never come, and refuses the client a new stream until then.
 */
function untilGone(response: Response, gone: AbortSignal): Response {
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

export interface SessionLimits {
  /** More clients at once take the place of the one that was idle the longest. */
  readonly maxSessions: number;
  /** A session that nobody has used for this long is ended. */
  readonly idleMs: number;
  readonly maxBodyBytes: number;
}
