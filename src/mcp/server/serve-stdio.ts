import type { Readable, Writable } from "node:stream";
import type { Server } from "@modelcontextprotocol/server";
import { type StdioServerHandle, serveStdio as serveByStdio } from "@modelcontextprotocol/server/stdio";
import type { Toolcrib } from "../../toolcrib/index.ts";
import type { Elicit, QuestionOptions, ServerIdentity, TaskOptions } from "../types.ts";
import { ApprovalQuestions } from "./approvals.ts";
import { passOnQuestion } from "./ask-for-servers.ts";
import { ClientLog } from "./client-log.ts";
import { type ChooseRoot, ClientRoots } from "./client-roots.ts";
import { DirectCalls } from "./direct-calls.ts";
import { newServer, sendListChanged } from "./new-server.ts";
import { ServedToolcrib } from "./served-toolcrib.ts";
import { parseError, StdioTransport } from "./stdio-transport.ts";
import { TaskSubscriptions } from "./task-subscriptions.ts";

export interface ServeStdioOptions
  extends ServerIdentity,
    QuestionOptions,
    TaskOptions,
    Partial<StdioStreams> {
  /** Opens the instance of this connection, in the folder that `chooseRoot` returned; the server closes it. */
  readonly open: (root?: string) => Promise<Toolcrib>;
  /**
   * Chooses the workspace out of the roots of a client that has some. When it chooses another one later, a new instance is
   * opened. Default: the client is not asked.
   */
  readonly chooseRoot?: ChooseRoot | undefined;
}

/** A connection that is being served. */
export interface ServedConnection extends AsyncDisposable {
  /** Resolves when the client has disconnected, or `close` was called. */
  readonly ended: Promise<void>;
  /** Asks the client's user what another server wants to know. Cancels the question when the client cannot ask. */
  readonly elicit: Elicit;
  /** Ends the connection and its running calls. May be called twice. */
  close(): Promise<void>;
}

/** Serves an instance to one client over standard input and output, in either era of the protocol. */
export function serveStdio(options: ServeStdioOptions): ServedConnection {
  const { open, chooseRoot, input = process.stdin, output = process.stdout, remark, ...others } = options;
  const { questionSeconds, reflexMs, taskAfterMs, ...identity } = others;
  const roots = chooseRoot && new ClientRoots(chooseRoot, () => toolcrib.replace());
  let hasMoved = false;
  const openInRoot = async () => {
    const root = await roots?.chosen();
    hasMoved ||= root !== undefined;
    if (hasMoved) toolcrib.noteWorkspace();
    return open(root);
  };
  const toolcrib = new ServedToolcrib(openInRoot, { taskAfterMs });
  const questions = new ApprovalQuestions({ questionSeconds, reflexMs });
  const transport = new StdioTransport({ input, output, remark });
  transport.oninvalid = (error) => {
    // No request of the client waits for an answer to another message without a valid id.
    if (error.code !== parseError) return;
    void transport.send({ jsonrpc: "2.0", id: null, error } as never).catch(() => {});
  };
  const log = new ClientLog();
  const direct = new DirectCalls(transport, toolcrib, log);
  const ended = Promise.withResolvers<void>();
  let stopNotifying = () => {};
  let asked: Server | undefined;
  const handle: StdioServerHandle = serveByStdio(
    ({ era }) => {
      const server = newServer({ ...identity, toolcrib, questions, log, era });
      direct.serve(era === "legacy" ? server : undefined);
      asked = era === "legacy" ? server : undefined;
      roots?.follow(asked);
      stopNotifying();
      stopNotifying = toolcrib.onChange((list) => void sendListChanged(server, list).catch(() => {}));
      return server;
    },
    { transport, onerror: (error) => remark?.(error.message) },
  );
  direct.begin();
  new TaskSubscriptions(transport, toolcrib.tasks).begin();
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    ended.resolve();
  };
  // The instance opens while the client reads the response to `initialize`.
  setImmediate(() => void toolcrib.definitions().catch(() => {}));
  const close = async () => {
    await handle.close();
    await toolcrib.close();
    ended.resolve();
  };
  const elicit: Elicit = (question) => passOnQuestion(question, asked);
  return { ended: ended.promise, elicit, close, [Symbol.asyncDispose]: close };
}

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Called with one line about each input that could not be read. */
  readonly remark?: ((text: string) => void) | undefined;
}
