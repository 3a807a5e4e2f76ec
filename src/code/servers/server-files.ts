import { posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Source } from "../../contract/code.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { sourcesOf } from "../../edit/source.ts";
import { FileFilter } from "../../files/file-filter.ts";
import { listFiles } from "../../files/list-files.ts";
import type { ServerProcess } from "./server-process.ts";

/** The environment and the signal of the call that asks. */
export interface AskingCall {
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

interface OpenDocument {
  readonly path: string;
  readonly uri: string;
  version: number;
  text: string;
}

/** The protocol's kinds of changes of watched files. */
const [created, changed, deleted] = [1, 2, 3];

/**
 * Tells a server what the files contain. Before each question, all files of the language are compared with the last time, so
 * that the server also knows changes by commands and by the user. Files that were asked about stay open.
 */
export class ServerFiles {
  readonly #server: Pick<ServerProcess, "notify">;
  readonly #workspace: string;
  readonly #languageIdOf: (path: string) => string;
  /** By path, the least recently used first. */
  readonly #open = new Map<string, OpenDocument>();
  readonly #filter: FileFilter;
  #times: ReadonlyMap<string, number>;

  constructor(
    server: Pick<ServerProcess, "notify">,
    options: {
      readonly workspace: string;
      readonly watched: readonly string[];
      readonly languageIdOf: (path: string) => string;
      /** The files when the server was started. */
      readonly times: ReadonlyMap<string, number>;
    },
  ) {
    this.#server = server;
    this.#workspace = options.workspace;
    this.#languageIdOf = options.languageIdOf;
    this.#filter = watchFilter(options.watched);
    this.#times = options.times;
  }

  /** Sends all changes since the last question. */
  async refresh({ environment, signal }: AskingCall): Promise<void> {
    const times = await fileTimes(this.#filter, { environment, signal });
    const changes = changesBetween(this.#times, times);
    this.#times = times;
    if (changes.length > 0) this.#announce(changes);
    for (const document of [...this.#open.values()]) {
      const isKept = this.#open.size <= maxOpen;
      const text = isKept ? await textOf(document.path, { environment, signal }) : undefined;
      if (text === undefined) this.#close(document);
      else if (text !== document.text) this.#change(document, text);
    }
  }

  /** Opens a file with this text, or changes the open text. Returns its address and its version. */
  show({ path, text }: Source): { readonly uri: string; readonly version: number } {
    const known = this.#open.get(path);
    if (known !== undefined) {
      this.#open.delete(path);
      this.#open.set(path, known);
      if (known.text !== text) this.#change(known, text);
      return known;
    }
    const document = { path, uri: uriOf(path, this.#workspace), version: 1, text };
    this.#open.set(path, document);
    const { uri, version } = document;
    this.#server.notify("textDocument/didOpen", {
      textDocument: { uri, languageId: this.#languageIdOf(path), version, text },
    });
    return document;
  }

  /** Makes the server look at an open file again. */
  showAgain(source: Source): { readonly uri: string; readonly version: number } {
    const known = this.#open.get(source.path);
    if (known?.text === source.text) this.#change(known, source.text);
    return this.show(source);
  }

  /** Announces that files were written or deleted by this program. */
  announceWritten(written: readonly { readonly path: string; readonly exists: boolean }[]): void {
    this.#announce(written.map(({ path, exists }) => ({ path, type: exists ? changed : deleted })));
    for (const { path, exists } of written) {
      const document = exists ? undefined : this.#open.get(path);
      if (document !== undefined) this.#close(document);
    }
  }

  #change(document: OpenDocument, text: string): void {
    document.text = text;
    document.version += 1;
    const { uri, version } = document;
    this.#server.notify("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
  }

  #close({ uri, path }: OpenDocument): void {
    this.#open.delete(path);
    this.#server.notify("textDocument/didClose", { textDocument: { uri } });
  }

  #announce(changes: readonly { readonly path: string; readonly type: number }[]): void {
    this.#server.notify("workspace/didChangeWatchedFiles", {
      changes: changes.map(({ path, type }) => ({ uri: uriOf(path, this.#workspace), type })),
    });
  }
}

/** A server keeps more of an open file in memory. */
const maxOpen = 30;
const maxBytes = 8 * 1024 * 1024;

export function watchFilter(globs: readonly string[]): FileFilter {
  return new FileFilter({ globs: [...globs, "!node_modules/", "!**/node_modules/"] });
}

/** Returns when the selected files were last changed, by path. */
export async function fileTimes(
  filter: FileFilter,
  { environment, signal }: AskingCall,
): Promise<ReadonlyMap<string, number>> {
  const wanted = { directory: "", filter, hidden: false, ignoreFiles: true };
  const { paths } = await listFiles(wanted, { environment, signal });
  const times = await environment.modifiedTimes(paths, signal);
  return new Map(paths.flatMap((path, at) => (times[at] === undefined ? [] : [[path, times[at]] as const])));
}

function changesBetween(
  before: ReadonlyMap<string, number>,
  now: ReadonlyMap<string, number>,
): readonly { readonly path: string; readonly type: number }[] {
  const changes: { path: string; type: number }[] = [];
  for (const [path, time] of now) {
    const known = before.get(path);
    if (known !== time) changes.push({ path, type: known === undefined ? created : changed });
  }
  for (const path of before.keys()) if (!now.has(path)) changes.push({ path, type: deleted });
  return changes;
}

/** Reads a file as tools show it: in any encoding, without a byte-order mark. Undefined when it cannot be read. */
async function textOf(path: string, { environment, signal }: AskingCall): Promise<string | undefined> {
  try {
    const { bytes } = await environment.readFile(path, { maxBytes, signal });
    const [source] = sourcesOf(path, bytes);
    return source?.text.utf8.toString();
  } catch (error) {
    if (error instanceof ToolError && !signal.aborted) return undefined;
    throw error;
  }
}

function uriOf(path: string, workspace: string): string {
  return pathToFileURL(posix.join(workspace, path)).href;
}

/** Returns the absolute path of an address; undefined when it does not name a file of this machine. */
export function fileOf(uri: string): string | undefined {
  try {
    return posix.normalize(fileURLToPath(uri));
  } catch {
    return undefined;
  }
}

/** Returns the path of an address: relative to the workspace, or absolute outside it. Undefined when it names no file. */
export function pathOf(uri: string, workspace: string): string | undefined {
  const path = fileOf(uri);
  const prefix = workspace.endsWith("/") ? workspace : `${workspace}/`;
  return path?.startsWith(prefix) ? path.slice(prefix.length) : path;
}
