import type { OpenDocuments } from "../documents/open-documents.ts";

/** Loaded by the first call that reads a document: most rooms have none. */
export function lazyDocuments(): OpenDocuments {
  let loading: Promise<OpenDocuments> | undefined;
  const load = () => {
    loading ??= import("../documents/open-documents.ts").then(({ openDocuments }) => openDocuments());
    return loading;
  };
  return {
    read: async (...asked) => (await load()).read(...asked),
    close: async () => (await loading)?.close(),
  };
}
