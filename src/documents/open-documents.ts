import type { Documents } from "../contract/document.ts";
import { Semaphore } from "../lib/async/semaphore.ts";
import { DocumentWorker } from "./worker/document-worker.ts";

export interface OpenDocuments extends Documents {
  close(): Promise<void>;
}

/** Reads documents in worker processes, which start with the first document. */
export function openDocuments(): OpenDocuments {
  // With two workers, one slow document does not block the next. The second starts only when it is needed.
  const workers = [new DocumentWorker(), new DocumentWorker()];
  const turns = new Semaphore(workers.length);
  return {
    read: async (source, wanted, options) => {
      const release = await turns.take(options.signal, source.name);
      try {
        const free = workers.find((worker) => !worker.isBusy) ?? workers[0]!;
        return await free.read(source, wanted, options);
      } finally {
        release();
      }
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
