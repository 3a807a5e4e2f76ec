import type { Documents } from "../contract/document.ts";
import { Turns } from "../lib/turns.ts";
import { DocumentWorker } from "./worker/document-worker.ts";

export interface OpenDocuments extends Documents {
  /** Ends what reads. */
  close(): Promise<void>;
}

/** The reading of documents. What does the work runs beside us, and is started by the first question. */
export function openDocuments(): OpenDocuments {
  // Two, so that one slow document does not hold up the next; the second is only started then.
  const workers = [new DocumentWorker(), new DocumentWorker()];
  const turns = new Turns(workers.length);
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
