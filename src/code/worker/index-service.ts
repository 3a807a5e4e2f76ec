import { availableParallelism } from "node:os";
import type { IndexState, Reading } from "../../contract/code.ts";
import type { EmbeddingRequest, Embeddings } from "../../contract/embeddings.ts";
import type { ReadResult } from "../../contract/environment.ts";
import type { Channel } from "../../workers/channel.ts";
import type { BuildService, BuildWorker } from "../index/build/build-service.ts";
import { FilesElsewhere } from "../index/build/file-source.ts";
import type { ListedFile } from "../index/build/list-workspace.ts";
import { type IndexService, openIndexer, type Refreshing } from "../index/indexer.ts";
import { isHeavyToIndex } from "../languages/find-language.ts";
import { CodeWorker, orInHeavyWorker } from "./code-worker.ts";

interface RefreshRequest extends Pick<Refreshing, "patient"> {
  readonly asked: number;
}

export interface IndexerService extends Omit<IndexService, "refresh" | "close"> {
  refresh(request: RefreshRequest, options: Reading): Promise<IndexState>;
}

export interface IndexerCallbacks {
  mayRead(realPaths: readonly string[], options: Reading): Promise<readonly boolean[]>;
  /** Lists the files of a workspace elsewhere. "same": as in the last answer, which this process knows. */
  list(
    asked: { readonly isKnown: boolean },
    options: Reading,
  ): Promise<"same" | ReadonlyMap<string, ListedFile>>;
  /** Reads files of a workspace elsewhere, at least the first; see Environment.readFiles. */
  read(
    asked: { readonly paths: readonly string[]; readonly known: ReadonlyMap<string, string> | undefined },
    options: Reading,
  ): Promise<readonly ReadResult[]>;
  /** Whether the content of each file may be sent to that model without a question. */
  maySend(realPaths: readonly string[], options: Reading): Promise<readonly boolean[]>;
  /** Makes vectors of texts, with the model of the user. */
  embed(request: EmbeddingRequest, options: Reading): Promise<Embeddings>;
  progress(report: { readonly asked: number; readonly message: string }, options: Reading): Promise<void>;
}

export function indexerService(
  { workspace, directory, isElsewhere, model }: IndexedWorkspace,
  parent: Channel<IndexerCallbacks>,
): IndexerService & Pick<IndexService, "close"> {
  const { signal: always } = new AbortController();
  const length = Math.min(availableParallelism(), mostWorkers);
  const files = isElsewhere ? new FilesElsewhere(parent) : undefined;
  const newWorker = () => buildWorker(workspace);
  const workers = Array.from({ length }, () => files?.serving(newWorker()) ?? newWorker());
  const mayRead = (paths: readonly string[]) => parent.ask("mayRead", paths, { signal: always });
  const embed = (request: EmbeddingRequest, options: Reading) => parent.ask("embed", request, options);
  const maySend = (paths: readonly string[]) => parent.ask("maySend", paths, { signal: always });
  const embedding = model === undefined ? undefined : { model, embed, maySend };
  const options = { workspace, directory, mayRead, workers, files, embedding };
  const { refresh, ...index } = openIndexer(options);
  return {
    ...index,
    refresh: ({ asked, patient }, { signal }) => {
      // A failing listener is not an error of the index.
      const progress = (message: string) =>
        void parent.ask("progress", { asked, message }, { signal: always }).catch(() => {});
      return refresh({ signal, progress, patient });
    },
  };
}

export interface IndexedWorkspace {
  readonly workspace: string;
  readonly directory: string;
  /** Whether only the parent process can reach the files. */
  readonly isElsewhere: boolean;
  /** The model whose vectors the index holds. */
  readonly model?: string | undefined;
}

/** Each worker is a process with grammars. With more workers, writing is the bottleneck. */
const mostWorkers = 8;

function buildWorker(workspace: string): BuildWorker {
  const options = { role: ["builder"], concurrency: 1, limitMs: 120_000 } as const;
  const light = new CodeWorker<BuildService>(options);
  const heavy = new CodeWorker<BuildService>({ ...options, heavy: true });
  const about = "files for the index";
  return {
    lexical: (request, signal) => light.ask("lexical", () => ({ workspace, ...request }), { about, signal }),
    words: (request, signal) => {
      const ask = (worker: CodeWorker<BuildService>) =>
        worker.ask("words", () => ({ workspace, ...request }), { about, signal });
      const isAnyHeavy = request.files.some(({ parsed, language }) => parsed && isHeavyToIndex(language));
      return isAnyHeavy ? ask(heavy) : orInHeavyWorker(ask, light, heavy);
    },
    retire: () => {
      light.retire();
      heavy.retire();
    },
    close: async () => {
      await Promise.all([light.close(), heavy.close()]);
    },
  };
}
