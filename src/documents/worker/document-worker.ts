import type {
  DocumentContent,
  DocumentReading,
  DocumentSource,
  DocumentWanted,
  WaitingDocument,
} from "../../contract/document.ts";
import { ToolError, type ToolErrorOptions } from "../../contract/error.ts";
import { Semaphore, whileReading } from "../../lib/async/semaphore.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { tooMuchMemory } from "../../workers/channel.ts";
import type { WorkerEnd } from "../../workers/start-worker.ts";
import { Worker, workerProgram } from "../../workers/worker.ts";
import { mostHeap, mostMemory } from "../budget.ts";
import type { DocumentAsks, DocumentService } from "./service.ts";

/** Reads documents one after the other in a child process, so that a hostile document cannot harm this process. */
export class DocumentWorker {
  readonly #progress = new Map<number, (message: string) => void>();
  readonly #worker: Worker<DocumentService>;
  readonly #turns = new Semaphore(1);
  #asked = 0;

  constructor() {
    const ours: DocumentAsks = {
      progress: async ({ asked, message }) => this.#progress.get(asked)?.(message),
    };
    this.#worker = new Worker({
      program: workerProgram("document-worker", import.meta.url),
      args: [],
      // Most objects are short-lived, so a larger young generation is collected less often.
      flags: [`--max-old-space-size=${mostHeap}`, "--min-semi-space-size=16"],
      failures: {
        tooSlow: (about) => new ToolError("timeout", `${about} took too long to read`, smaller),
        crashed,
      },
      concurrency: 1,
      ours,
      limitMs: 120_000,
    });
  }

  get isBusy(): boolean {
    return this.#progress.size > 0;
  }

  async read(
    document: DocumentSource | WaitingDocument,
    wanted: DocumentWanted,
    { signal, progress }: DocumentReading,
  ): Promise<DocumentContent> {
    const asking = { about: document.name, signal };
    const asked = ++this.#asked;
    this.#progress.set(asked, progress);
    let release = () => {};
    try {
      release = await this.#turns.take(signal, whileReading(document.name));
      const source = "bytes" in document ? document : await loaded(document);
      return await this.#worker.ask("read", () => ({ asked, source, wanted }), asking);
    } finally {
      release();
      this.#progress.delete(asked);
    }
  }

  close(): Promise<void> {
    return this.#worker.close();
  }
}

async function loaded({ load, ...others }: WaitingDocument): Promise<DocumentSource> {
  return { ...others, bytes: await load() };
}

const smaller: ToolErrorOptions = {
  hint: "Ask for a smaller `part`, or use a program for this format (shell.run).",
  forUser: { hint: "Add --part for a smaller part, or open it in a program for this format." },
};

function crashed(about: string, { how, stderrTail }: WorkerEnd): ToolError {
  // V8 aborts (SIGABRT) when the heap limit is reached.
  if (how === tooMuchMemory || how === "SIGABRT")
    return new ToolError("too-large", `${about} takes more than ${showSize(mostMemory)} of memory to read`, {
      ...smaller,
    });
  return new ToolError("unavailable", `The document reader crashed (${how}) while reading ${about}`, {
    hint: "Use a program for this format (shell.run).",
    forUser: { hint: "Open it in a program for this format." },
    cause: stderrTail,
  });
}
