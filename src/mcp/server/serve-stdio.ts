import type { Readable, Writable } from "node:stream";
import { type StdioServerHandle, serveStdio as serveByStdio } from "@modelcontextprotocol/server/stdio";
import type { Toolcrib } from "../../toolcrib/index.ts";
import type { ServerIdentity } from "../types.ts";
import { ApprovalQuestions } from "./approvals.ts";
import { DirectCalls } from "./direct-calls.ts";
import { newServer } from "./new-server.ts";
import { ServedToolcrib } from "./served-toolcrib.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface ServeStdioOptions extends ServerIdentity, Partial<StdioStreams> {
  /** Opens the one room of this connection; the server closes it. */
  readonly open: () => Promise<Toolcrib>;
  /** How long a question waits for its answer; ten minutes if not said. */
  readonly questionSeconds?: number | undefined;
}

/** A connection that is being served. */
export interface ServedConnection {
  /** Settled when the client has gone, or `close` was called. */
  readonly ended: Promise<void>;
  /** Ends the connection and what runs in the room, and waits for it. May be called twice. */
  close(): Promise<void>;
}

/** Serves a room to one client over standard input and output, in either era of the protocol. */
export function serveStdio(options: ServeStdioOptions): ServedConnection {
  const {
    open,
    input = process.stdin,
    output = process.stdout,
    remark,
    questionSeconds,
    ...identity
  } = options;
  const room = new ServedToolcrib(open);
  const questions = new ApprovalQuestions({ ttlSeconds: questionSeconds });
  const transport = new StdioTransport({ input, output, remark });
  const direct = new DirectCalls(transport, room, questions);
  let ended = () => {};
  const hasEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  let stopTelling = () => {};
  const handle: StdioServerHandle = serveByStdio(
    ({ era }) => {
      const server = newServer({ ...identity, room, questions });
      direct.serve(era === "legacy" ? server : undefined);
      stopTelling();
      stopTelling = room.onToolsChange(() => void server.sendToolListChanged().catch(() => {}));
      return server;
    },
    { transport, onerror: (error) => remark?.(error.message) },
  );
  direct.begin();
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    ended();
  };
  // While the client reads our greeting.
  setImmediate(() => void room.definitions().catch(() => {}));
  return {
    ended: hasEnded,
    close: async () => {
      await handle.close();
      await room.close();
      ended();
    },
  };
}

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Told what could not be read, in one line. */
  readonly remark?: ((text: string) => void) | undefined;
}
