import type { Source } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type {
  CodeLocation,
  Diagnostic,
  LanguageServer,
  LocationKind,
  RenameEdits,
  SourcePosition,
} from "../../contract/language-server.ts";
import { unlessAborted, untilAborted } from "../../lib/async/abort.ts";
import { readDiagnostics, readHover, readLocations, readWorkspaceEdit } from "./answers.ts";
import { newErrorsIn } from "./new-errors.ts";
import { TextLines } from "./positions.ts";
import { type AskingCall, fileOf, type ServerFiles } from "./server-files.ts";
import type { ServerProcess } from "./server-process.ts";

export interface RunningParts {
  readonly process: ServerProcess;
  readonly files: ServerFiles;
  readonly published: PublishedDiagnostics;
  readonly workspace: string;
  /** Whether a file is of this server's language. */
  readonly isServed: (path: string) => boolean;
  /** Whether the diagnostics are asked from the tsserver behind it, which does not publish unchanged ones again. */
  readonly hasTsserver: boolean;
}

/** A running server with its files. Questions are asked one after the other, because each needs its own state of the files. */
export class RunningServer {
  readonly #parts: RunningParts;
  #turn: Promise<unknown> = Promise.resolve();
  #isBusy = false;
  /** Called with the beginning and the end of each question. */
  onUse: (() => void) | undefined;

  constructor(parts: RunningParts) {
    this.#parts = parts;
  }

  /** Whether it has a question to answer. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  get process(): ServerProcess {
    return this.#parts.process;
  }

  /** Returns the server for one call. */
  forCall(call: AskingCall): LanguageServer {
    const fresh = <Answer>(ask: () => Promise<Answer>) =>
      this.inTurn(call.signal, async () => {
        await this.#parts.files.refresh(call);
        return ask();
      });
    return {
      name: this.#parts.process.title,
      diagnostics: (source) => fresh(() => this.diagnostics(source, call.signal)),
      hover: (at) => fresh(async () => readHover(await this.#at("textDocument/hover", at, {}, call.signal))),
      locations: (wanted, at) => fresh(() => this.#locations(wanted, at, call.signal)),
      rename: (at, newName) => fresh(() => this.#rename(at, newName, call.signal)),
      tryTexts: (changes, at) =>
        fresh(async () => {
          const others = (at.also ?? []).filter(({ path }) => this.#parts.isServed(path));
          const unchanged = others.map(({ path, text }) => ({ path, before: text, after: text }));
          try {
            return {
              newErrors: await newErrorsIn(this, [...changes, ...unchanged], call.signal, { areTried: true }),
              references: await this.#locations("references", at, call.signal),
            };
          } finally {
            // The errors of the next edit must not depend on texts that were only tried.
            for (const { path, before: text } of changes)
              if (text !== undefined) this.#parts.files.show({ path, text });
          }
        }),
    };
  }

  /** Runs `ask` when all earlier questions are answered. */
  async inTurn<Answer>(signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
    const before = this.#turn;
    const done = Promise.withResolvers<void>();
    this.#turn = done.promise;
    try {
      await untilAborted(before, signal);
      this.#setBusy(true);
      try {
        return await ask();
      } finally {
        this.#setBusy(false);
      }
    } finally {
      // A question that was cancelled while it waited still keeps its place.
      void before.then(() => done.resolve());
    }
  }

  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    this.onUse?.();
  }

  get files(): ServerFiles {
    return this.#parts.files;
  }

  /** Returns the diagnostics of this text. For callers that have their turn. */
  async diagnostics(source: Source, signal: AbortSignal): Promise<readonly Diagnostic[]> {
    const { process, files, published, hasTsserver } = this.#parts;
    if (process.capabilities.diagnosticProvider) {
      const { uri } = files.show(source);
      const report = await process.request<{ items?: unknown } | null>(
        "textDocument/diagnostic",
        { textDocument: { uri } },
        signal,
      );
      return readDiagnostics(report?.items ?? [], source.path);
    }
    if (hasTsserver) return this.#askTsserver(source, signal);
    const { uri, version } = files.showAgain(source);
    const until = AbortSignal.any([signal, AbortSignal.timeout(publishMs)]);
    return readDiagnostics((await published.next(uri, version, until)) ?? [], source.path);
  }

  async #askTsserver(source: Source, signal: AbortSignal): Promise<readonly Diagnostic[]> {
    const { process, files, workspace } = this.#parts;
    files.show(source);
    const file = `${workspace}/${source.path}`;
    const found: Diagnostic[] = [];
    for (const command of ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"]) {
      const answer = await process.request<{ body?: unknown } | null>(
        "workspace/executeCommand",
        { command: "typescript.tsserverRequest", arguments: [command, { file, includeLinePosition: true }] },
        signal,
      );
      found.push(...readDiagnostics(asProtocol(answer?.body), source.path));
    }
    return found;
  }

  async #locations(
    wanted: LocationKind,
    at: SourcePosition,
    signal: AbortSignal,
  ): Promise<readonly CodeLocation[]> {
    const method = methods[wanted];
    const context = wanted === "references" ? { context: { includeDeclaration: true } } : {};
    return readLocations(await this.#at(method, at, context, signal), this.#parts.workspace);
  }

  async #rename(at: SourcePosition, newName: string, signal: AbortSignal): Promise<RenameEdits> {
    const answer = await this.#at("textDocument/rename", at, { newName }, signal);
    return readWorkspaceEdit(answer, this.#parts.workspace);
  }

  #at(method: string, at: SourcePosition, more: object, signal: AbortSignal): Promise<unknown> {
    const { process, files } = this.#parts;
    if (!process.capabilities[providers[method]!])
      throw new ToolError("unsupported", `The language server ${process.title} has no ${method}`, {
        hint: "Use search.grep and code.symbols, which need no language server.",
      });
    for (const source of at.also ?? []) if (this.#parts.isServed(source.path)) files.show(source);
    const { uri } = files.show(at);
    const position = new TextLines(at.text).positionAt(at.offset);
    return process.request(method, { textDocument: { uri }, position, ...more }, signal);
  }
}

const methods: Readonly<Record<LocationKind, string>> = {
  definition: "textDocument/definition",
  type: "textDocument/typeDefinition",
  implementation: "textDocument/implementation",
  references: "textDocument/references",
};

const providers: Readonly<Record<string, keyof ServerProcess["capabilities"]>> = {
  "textDocument/definition": "definitionProvider",
  "textDocument/typeDefinition": "typeDefinitionProvider",
  "textDocument/implementation": "implementationProvider",
  "textDocument/references": "referencesProvider",
  "textDocument/hover": "hoverProvider",
  "textDocument/rename": "renameProvider",
};

/** A server that publishes nothing in this time has no diagnostics. */
const publishMs = 20_000;

/** Turns the diagnostics of tsserver into those of the protocol. */
function asProtocol(body: unknown): unknown {
  if (!Array.isArray(body)) return [];
  return body.map((one) => {
    const { message, startLocation: start, endLocation: end, category, code } = one ?? {};
    return {
      message,
      code,
      severity: category === "warning" ? 2 : category === "suggestion" || category === "message" ? 4 : 1,
      range: {
        start: { line: start?.line - 1, character: start?.offset - 1 },
        end: { line: end?.line - 1, character: end?.offset - 1 },
      },
    };
  });
}

/** Waits for diagnostics that a server publishes by itself. */
export class PublishedDiagnostics {
  readonly #waiting = new Map<string, (published: { version?: unknown; diagnostics?: unknown }) => void>();

  readonly receive = (published: unknown): void => {
    if (typeof published !== "object" || published === null) return;
    const { uri, ...rest } = published as { uri?: unknown };
    if (typeof uri === "string") this.#waiting.get(fileOf(uri) ?? "")?.(rest);
  };

  /** Resolves with the diagnostics of this version; with undefined when the signal aborts first. */
  async next(uri: string, version: number, signal: AbortSignal): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    // A server may spell the same address in another way.
    const file = fileOf(uri) ?? "";
    this.#waiting.set(file, (published) => {
      if (published.version === undefined || published.version === null || published.version === version)
        resolve(published.diagnostics ?? []);
    });
    try {
      return await unlessAborted(promise, signal);
    } finally {
      this.#waiting.delete(file);
    }
  }
}
