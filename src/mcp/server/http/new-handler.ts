import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import type { Toolcrib } from "../../../toolcrib/index.ts";
import { Questions } from "../approvals/questions.ts";
import { newServer } from "../new-server.ts";
import { ServedRoom } from "../served-room.ts";
import type { ServerIdentity } from "../server-identity.ts";
import type { SessionLimits } from "./session-limits.ts";
import { Sessions } from "./sessions.ts";
import { untilGone } from "./until-gone.ts";

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
  const questions = new Questions();
  const room = new ServedRoom(open);
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
