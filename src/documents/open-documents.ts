import type { Documents } from "../contract/document.ts";
import { DocumentHost } from "./host/document-host.ts";

export interface OpenDocuments extends Documents {
  /** Ends what reads. */
  close(): Promise<void>;
}

/** The reading of documents. What does the work runs beside us, and is started by the first question. */
export function openDocuments(): OpenDocuments {
  // Two, so that one slow document does not hold up the next; the second is only started then.
  const hosts = [new DocumentHost(), new DocumentHost()];
  return {
    read: (source, wanted, options) => {
      const [first, ...others] = hosts;
      const freest = others.reduce((best, host) => (host.busy < best.busy ? host : best), first!);
      return freest.read(source, wanted, options);
    },
    close: async () => {
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}
