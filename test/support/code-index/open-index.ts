import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type BuildWorker, buildService } from "../../../src/code/index/build/build-service.ts";
import type { WordIndexFile } from "../../../src/code/index/build/build-words.ts";
import { type IndexerOptions, type IndexService, openIndexer } from "../../../src/code/index/indexer.ts";
import type { IndexState } from "../../../src/contract/code.ts";
import { ToolError } from "../../../src/contract/error.ts";

export interface TestIndex extends IndexService, AsyncDisposable {
  readonly workspace: string;
  readonly directory: string;
  write(name: string, content: string | Uint8Array): void;
  path(name: string): string;
  /** Scans, and waits until everything is built. */
  built(): Promise<IndexState>;
  /** The files that can contain this text. */
  withText(text: string): Promise<readonly string[]>;
  /** Opens another process on the same index. */
  another(options?: IndexOptions): TestIndex;
}

interface IndexOptions {
  readonly mayRead?: (path: string) => boolean;
  readonly worker?: (workspace: string) => BuildWorker;
  readonly embedding?: IndexerOptions["embedding"];
}

/** An index of a real folder, whose workers run in this process. */
export function openTestIndex(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: IndexOptions = {},
): TestIndex {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "toolcrib index ")));
  const places = { workspace: path.join(folder, "work space"), directory: path.join(folder, "state") };
  fs.mkdirSync(places.workspace);
  const index = open(places, options);
  for (const [name, content] of Object.entries(files)) index.write(name, content);
  return {
    ...index,
    [Symbol.asyncDispose]: async () => {
      await index.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

function open(
  places: { readonly workspace: string; readonly directory: string },
  { mayRead = () => true, worker = workerHere, embedding }: IndexOptions,
): TestIndex {
  const { workspace } = places;
  const service = openIndexer({
    ...places,
    mayRead: async (paths) => paths.map(mayRead),
    workers: [worker(workspace), worker(workspace)],
    embedding,
  });
  const { signal } = new AbortController();
  const inside = (name: string) => path.join(workspace, name);
  return {
    ...service,
    ...places,
    path: inside,
    write: (name, content) => {
      fs.mkdirSync(path.dirname(inside(name)), { recursive: true });
      fs.writeFileSync(inside(name), content);
    },
    built: async () => {
      for (;;) {
        const state = await service.refresh({ signal, progress: () => {}, patienceMs: 60_000 });
        if (!state.isBuilding) return state;
        await sleep(10);
      }
    },
    withText: async (text) => {
      await service.refresh({ signal, progress: () => {}, patienceMs: 60_000 });
      return service.candidates({ kind: "literal", text, ignoreCase: false }, { signal });
    },
    another: (options = {}) => open(places, options),
    [Symbol.asyncDispose]: () => service.close(),
  };
}

export function workerHere(workspace: string): BuildWorker {
  const service = buildService(() => {});
  return {
    lexical: (request, signal) => service.lexical({ ...request, workspace }, { signal }),
    words: (request, signal) => service.words({ ...request, workspace }, { signal }),
    retire: () => {},
    close: async () => {},
  };
}

/** Crashes on the first content of a file and on every copy of it, as a grammar may. */
export function workerBreakingOver(path: string): (workspace: string) => BuildWorker {
  let first: string | undefined;
  const isBad = (file: WordIndexFile) => {
    if (!file.parsed) return false;
    if (file.path === path) first ??= file.hash;
    return file.hash === first;
  };
  return (workspace) => {
    const worker = workerHere(workspace);
    return {
      ...worker,
      words: async (request, signal) => {
        if (request.files.some(isBad)) throw new ToolError("unavailable", "The parser crashed");
        return worker.words(request, signal);
      },
    };
  };
}
