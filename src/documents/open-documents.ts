import type { Documents } from "../contract/document.ts";
import { Semaphore, whileReading } from "../lib/async/semaphore.ts";
import { closed } from "../workers/channel.ts";
import { Shared } from "../workers/shared.ts";
import { DocumentWorker } from "./worker/document-worker.ts";

export interface OpenDocuments extends Documents {
  close(): Promise<void>;
}

/** A worker keeps nothing of a document, so all users of a workspace can share it. */
class DocumentWorkers {
  // With two workers, one slow document does not block the next. The second starts only when it is needed.
  readonly #workers = [new DocumentWorker(), new DocumentWorker()];
  readonly #turns = new Semaphore(this.#workers.length);

  async read(user: object, ...[source, wanted, options]: Parameters<Documents["read"]>) {
    const release = await this.#turns.take(options.signal, whileReading(source.name), user);
    try {
      const free = this.#workers.find((worker) => !worker.isBusy) ?? this.#workers[0]!;
      return await free.read(source, wanted, options);
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }
}

const shared = new Shared<DocumentWorkers>();

/**
 * Reads documents in worker processes, which start with the first document. All who open the same workspace in this
 * process share them.
 */
export function openDocuments(workspace: string): OpenDocuments {
  const { part: workers, release } = shared.take(workspace, () => new DocumentWorkers());
  const user = {};
  let isClosed = false;
  return {
    read: async (...asked) => {
      if (isClosed) throw closed();
      return workers.read(user, ...asked);
    },
    close: async () => {
      isClosed = true;
      await release();
    },
  };
}
