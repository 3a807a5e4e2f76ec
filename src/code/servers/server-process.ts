import { pathToFileURL } from "node:url";
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  ResponseError,
} from "vscode-jsonrpc/node";
import type { InitializeParams, InitializeResult, ServerCapabilities } from "vscode-languageserver-protocol";
import type { RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { untilAborted } from "../../lib/async/abort.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { BoundedReader, ProcessWriter } from "./message-stream.ts";

export interface ServerStart {
  /** For messages: "pyright". */
  readonly name: string;
  readonly workspace: string;
  readonly process: RunningProcess;
  /** `initializationOptions` of the server. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Answers to `workspace/configuration`, by section. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Receives `textDocument/publishDiagnostics`. */
  readonly onDiagnostics: (published: unknown) => void;
}

/** The program of a language server, and the connection to it. It is ended at its first violation of the protocol. */
export class ServerProcess {
  readonly #start: ServerStart;
  readonly #connection: MessageConnection;
  readonly #ended = new AbortController();
  #capabilities: ServerCapabilities = {};
  #title: string;
  #complaint = "";

  private constructor(start: ServerStart) {
    this.#start = start;
    this.#title = start.name;
    const { process } = start;
    const writer = new ProcessWriter(process);
    this.#connection = createMessageConnection(new BoundedReader(process, writer.takeAnswer), writer);
    this.#connection.onError(([error]) => this.#end(printableLine(error.message)));
    this.#connection.onClose(() => this.#end("it has ended"));
    this.#answerRequests();
    this.#connection.listen();
    void this.#readErrors();
    void process.exit.then(
      ({ code, signal, remarks }) => {
        const how = signal === undefined ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
        this.#end([how, ...remarks].join(". "));
      },
      (error: Error) => this.#end(error.message),
    );
  }

  /** Starts the protocol. Throws `unavailable`, and ends the program, when the server does not answer. */
  static async initialize(start: ServerStart, signal: AbortSignal): Promise<ServerProcess> {
    const server = new ServerProcess(start);
    try {
      const rootUri = pathToFileURL(start.workspace).href;
      const result = await server.request<InitializeResult>(
        "initialize",
        {
          processId: null,
          rootUri,
          workspaceFolders: [{ uri: rootUri, name: "workspace" }],
          capabilities: clientCapabilities,
          initializationOptions: start.options,
        } satisfies InitializeParams,
        signal,
      );
      server.#capabilities = result?.capabilities ?? {};
      const { version } = result?.serverInfo ?? {};
      if (typeof version === "string" && !start.name.endsWith(version))
        server.#title = printableLine(`${start.name} ${version}`).slice(0, 60);
      server.notify("initialized", {});
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** "typescript 7.0.2", as the server calls itself. */
  get title(): string {
    return this.#title;
  }

  get capabilities(): ServerCapabilities {
    return this.#capabilities;
  }

  get hasEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  /** Asks the server. A server that does not answer within the deadline is ended. */
  async request<Result>(method: string, params: unknown, signal: AbortSignal): Promise<Result> {
    const deadline = AbortSignal.timeout(deadlineMs);
    const { signal: ended } = this.#ended;
    const cancellation = new CancellationTokenSource();
    try {
      const answer = this.#connection.sendRequest<Result>(method, params, cancellation.token);
      return await untilAborted(answer, AbortSignal.any([signal, ended, deadline]));
    } catch (error) {
      if (signal.aborted) {
        cancellation.cancel();
        throw error;
      }
      if (ended.aborted) throw this.#failure("unavailable", String(ended.reason));
      if (deadline.aborted) {
        this.#end(`it did not answer ${method} within ${deadlineMs / 1000} s`);
        throw this.#failure("timeout", `it did not answer ${method} within ${deadlineMs / 1000} s`);
      }
      if (error instanceof ResponseError)
        throw this.#failure("unsupported", printableLine(error.message).slice(0, 500));
      throw error;
    }
  }

  notify(method: string, params: unknown): void {
    if (this.hasEnded) return;
    // A failed write ends the server, and the next request reports it.
    this.#connection.sendNotification(method, params).catch(() => {});
  }

  /** Ends the server, after a moment to end itself, and waits until all its processes are gone. */
  async close(): Promise<void> {
    if (!this.hasEnded) {
      const moment = AbortSignal.timeout(goodbyeMs);
      await untilAborted(this.#connection.sendRequest("shutdown"), moment).catch(() => {});
      this.notify("exit", undefined);
      this.#end("it was closed");
    }
    await this.#start.process.exit.catch(() => {});
  }

  /** Answers what a server needs to start, and refuses everything that would change files or show something. */
  #answerRequests(): void {
    const { settings, workspace, onDiagnostics } = this.#start;
    const connection = this.#connection;
    connection.onRequest(
      "workspace/configuration",
      ({ items }: { items?: readonly { section?: string }[] } = {}) =>
        (items ?? []).slice(0, 1000).map((item) => settings[item?.section ?? ""] ?? null),
    );
    connection.onRequest("workspace/workspaceFolders", () => [
      { uri: pathToFileURL(workspace).href, name: "workspace" },
    ]);
    for (const method of [
      "client/registerCapability",
      "client/unregisterCapability",
      "window/workDoneProgress/create",
    ])
      connection.onRequest(method, () => null);
    connection.onRequest("workspace/applyEdit", () => ({
      applied: false,
      failureReason: "This client applies no edits by itself.",
    }));
    connection.onRequest("window/showDocument", () => ({ success: false }));
    connection.onNotification("textDocument/publishDiagnostics", onDiagnostics);
    // All other notifications, such as logs and progress, are dropped.
    connection.onNotification(() => {});
    connection.onUnhandledProgress(() => {});
  }

  /** Keeps the end of the error output, for the message when the server ends. */
  async #readErrors(): Promise<void> {
    try {
      for await (const piece of this.#start.process.stderr)
        this.#complaint = (this.#complaint + Buffer.from(piece).toString()).slice(-2000);
    } catch {
      // The end of the process is reported elsewhere.
    }
  }

  #end(reason: string): void {
    if (this.hasEnded) return;
    this.#ended.abort(reason);
    this.#connection.dispose();
    this.#start.process.stop();
  }

  #failure(code: "unavailable" | "timeout" | "unsupported", reason: string): ToolError {
    const lines = this.#complaint.trim().split("\n").slice(-3).join(" ");
    const output = code === "unavailable" && lines !== "" ? printableLine(lines) : undefined;
    return new ToolError(code, `The language server ${this.#start.name} failed: ${reason}`, {
      hint: "Use search.grep and code.symbols, which need no language server.",
      output,
    });
  }
}

/** The first request also waits until the project is loaded. */
const deadlineMs = 60_000;
const goodbyeMs = 1_000;

const clientCapabilities: InitializeParams["capabilities"] = {
  general: { positionEncodings: ["utf-16"] },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    workspaceEdit: {
      documentChanges: true,
      resourceOperations: ["rename"],
      failureHandling: "transactional",
    },
    didChangeWatchedFiles: { dynamicRegistration: true },
  },
  textDocument: {
    synchronization: {},
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: false, relatedDocumentSupport: false },
    rename: { prepareSupport: true },
    hover: { contentFormat: ["markdown", "plaintext"] },
    definition: { linkSupport: false },
    typeDefinition: { linkSupport: false },
    implementation: { linkSupport: false },
    references: {},
  },
  window: { workDoneProgress: false, showDocument: { support: false } },
};
