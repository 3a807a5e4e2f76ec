import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import type { Toolcrib } from "../../../toolcrib/index.ts";
import type { ServerIdentity } from "../../types.ts";
import { ApprovalQuestions } from "../approvals.ts";
import { newServer } from "../new-server.ts";
import { ServedToolcrib } from "../served-toolcrib.ts";
import { Admission } from "./admission.ts";
import { Sessions } from "./sessions.ts";

export interface HttpHandlerOptions extends ServerIdentity, Partial<SessionLimits> {
  /**
   * Opens an instance: one per session for clients of the 2025 era, and one for all later clients, whose protocol has
   * no sessions. The server closes them.
   */
  readonly open: () => Promise<Toolcrib>;
}

export interface HttpHandler {
  fetch(request: Request): Promise<Response>;
  /** Ends all sessions and instances. May be called twice. */
  close(): Promise<void>;
}

/** Handles MCP over Streamable HTTP in both eras. Does not authenticate: the caller checks host, origin and token. */
export function newHttpHandler(options: HttpHandlerOptions): HttpHandler {
  const { open, version, instructions } = options;
  const { maxSessions = 100, idleMs = 2 * 60 * 60_000, maxBodyBytes = 32 * 1024 * 1024 } = options;
  const identity = { version, instructions, transport: "http" } as const;
  const questions = new ApprovalQuestions();
  const admission = new Admission();
  const served = new ServedToolcrib(open, admission);
  const limits = { maxSessions, idleMs, maxBodyBytes };
  const sessions = new Sessions({ open, admission, questions, ...identity }, limits);
  const modern = createMcpHandler(() => newServer({ toolcrib: served, questions, ...identity }), {
    legacy: "reject",
    maxRequestBodySize: maxBodyBytes,
  });
  served.onToolsChange(() => modern.notify.toolsChanged());
  let closed: Promise<void> | undefined;
  const close = async () => {
    await modern.close();
    await Promise.all([sessions.close(), served.close()]);
  };
  return {
    fetch: async (request) => {
      const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes });
      return untilDisconnected(await (isLegacy ? sessions : modern).fetch(request), request.signal);
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/**
 * Starts an event stream at once, and ends it when its client disconnects. The transport would notice that only at the
 * next event, and refuse the client a new stream until then.
 */
function untilDisconnected(response: Response, disconnected: AbortSignal): Response {
  const { body, status, headers } = response;
  if (body === null || headers.get("content-type") !== "text/event-stream") return response;
  const reader = body.getReader();
  const end = () => reader.cancel().catch(() => {});
  if (disconnected.aborted) void end();
  else disconnected.addEventListener("abort", end, { once: true });
  const events = new ReadableStream<Uint8Array>({
    // A comment in the stream makes the server send the headers.
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
  /** A further client replaces the session that has been idle longest. */
  readonly maxSessions: number;
  /** A session that is idle this long ends. */
  readonly idleMs: number;
  readonly maxBodyBytes: number;
}
