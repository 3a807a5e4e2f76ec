import { AsyncLocalStorage } from "node:async_hooks";
import { release } from "node:os";
import { ToolError } from "../../contract/error.ts";
import type { DataOf } from "../../dialects/rename.ts";
import {
  type Approve,
  type CallOptions,
  type CallResult,
  openToolcrib,
  type Toolcrib,
  type ToolcribOptions,
} from "../../toolcrib/index.ts";

/**
 * The files and commands that tools use: any object with these methods. Paths are relative to the working directory. An
 * error with the code ENOENT or EISDIR has the same meaning as in Node.js.
 */
export interface ExecutionEnvironment {
  /** An absolute path. */
  readonly workingDirectory: string;
  readonly platform: string;
  readonly osVersion: string;
  /** Which calls run without approval, and other options of `openToolcrib`. */
  readonly options?: EnvironmentOptions | undefined;
  /** Reads lines of a text file, unchanged. Rejects for a file that is not text. */
  readFile(
    path: string,
    lines?: { readonly offset?: number | undefined; readonly limit?: number | undefined },
  ): Promise<string>;
  writeFile(path: string, content: string): Promise<void>;
  deleteFile(path: string): Promise<void>;
  moveFile(from: string, to: string): Promise<void>;
  fileExists(path: string): Promise<boolean>;
  execCommand(command: string, options?: CommandOptions): Promise<CommandResult>;
  /** Returns matching lines as `path:line:text`. */
  grep(pattern: string, path?: string, options?: GrepOptions): Promise<string>;
  /** Returns matching paths, the newest first. */
  glob(pattern: string, path?: string): Promise<readonly string[]>;
  /** Ends everything that the environment has started. May be called twice. */
  cleanup(): Promise<void>;
}

export type EnvironmentOptions = Omit<
  ToolcribOptions,
  "workspace" | "dialect" | "tools" | "onlyTools" | "environment" | "extraRoots"
>;

export interface CommandOptions {
  /** Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  readonly workingDirectory?: string | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Ends the command. */
  readonly signal?: AbortSignal | undefined;
}

export interface GrepOptions {
  /** Only files that match. */
  readonly glob?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  /** The lines after the first `maxResults` are not needed. */
  readonly maxResults?: number | undefined;
}

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Null after a signal or a timeout. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
}

/** Set while a tool uses an environment: the call was checked, so calls that a method makes itself need no approval. */
export const insideTool: AsyncLocalStorage<true> = new AsyncLocalStorage();

/** Open instances by key. An instance is opened again when its tools have another version. */
export class Instances {
  readonly #open = new Map<object, { readonly version: number; readonly crib: Promise<Toolcrib> }>();
  readonly #replaced: Promise<Toolcrib>[] = [];

  get(key: object, version: number, open: () => Promise<Toolcrib>): Promise<Toolcrib> {
    const known = this.#open.get(key);
    if (known?.version === version) return known.crib;
    // Calls may still be running in the old instance.
    if (known) this.#replaced.push(known.crib);
    const crib = open();
    this.#open.set(key, { version, crib });
    crib.catch(() => this.#open.delete(key));
    return crib;
  }

  async close(): Promise<void> {
    const instances = [...this.#replaced.splice(0), ...[...this.#open.values()].map(({ crib }) => crib)];
    this.#open.clear();
    await Promise.all(instances.map(async (crib) => (await crib.catch(() => undefined))?.close()));
  }
}

/** A folder of this machine, with the options of `openToolcrib`. Its methods are ordinary calls, too. */
export class LocalExecutionEnvironment implements ExecutionEnvironment, AsyncDisposable {
  readonly workingDirectory: string;
  readonly platform: string = process.platform;
  readonly osVersion: string = release();
  readonly options: EnvironmentOptions & Pick<ToolcribOptions, "extraRoots">;
  /** The instances of the registries that use this environment, and of its own methods. */
  readonly instances: Instances = new Instances();

  constructor(workingDirectory: string, options: LocalExecutionEnvironment["options"] = {}) {
    this.workingDirectory = workingDirectory;
    this.options = options;
  }

  async readFile(
    path: string,
    lines: { readonly offset?: number | undefined; readonly limit?: number | undefined } = {},
  ): Promise<string> {
    const { limit = Number.MAX_SAFE_INTEGER, ...rest } = lines;
    const { files } = await this.#call<DataOf<"file.read">>("file.read", { path, limit, ...rest });
    const [file] = files;
    if (file?.kind !== "text") throw new ToolError("unsupported", `${path} is not a text file`);
    const isWhole = lines.limit !== undefined || file.nextOffset === undefined;
    if (!isWhole || file.cutBytes !== undefined) throw tooMuch(path);
    // The byte order mark is kept, so that a program can write back the text that it read.
    return file.encoding === "utf-8-bom" && file.firstLine === 1 ? `\u{feff}${file.text}` : file.text;
  }

  async writeFile(path: string, content: string): Promise<void> {
    await this.#call("file.write", { path, content });
  }

  async deleteFile(path: string): Promise<void> {
    await this.#call("file.delete", { path });
  }

  async moveFile(from: string, to: string): Promise<void> {
    await this.#call("file.move", { from, to });
  }

  async fileExists(path: string): Promise<boolean> {
    const { error } = await this.#result("file.list", { path, depth: 1, limit: 1 });
    if (error && !["not-found", "unsupported"].includes(error.code)) throw asError(error);
    return error?.code !== "not-found";
  }

  async execCommand(command: string, options: CommandOptions = {}): Promise<CommandResult> {
    const { timeoutMs = 10_000, workingDirectory: cwd, variables: env, signal } = options;
    const startedMs = performance.now();
    const input = { command, timeout_ms: timeoutMs, cwd, env };
    const result = await this.#result("shell.run", input, signal && { signal });
    const details = result.error?.details;
    if (details?.kind === "command-timeout") {
      const { stdout, stderr } = details;
      const durationMs = Math.round(performance.now() - startedMs);
      return { stdout, stderr, exitCode: null, timedOut: true, durationMs };
    }
    const { stdout, stderr, exitCode, durationMs } = dataOf<CommandResult>(result);
    return { stdout, stderr, exitCode, timedOut: false, durationMs };
  }

  async grep(pattern: string, path = ".", options: GrepOptions = {}): Promise<string> {
    const { glob, ignoreCase, maxResults = maxFound } = options;
    const input = { pattern, path, glob, ignore_case: ignoreCase, limit: maxResults };
    const { matches, limited } = await this.#call<DataOf<"search.grep">>("search.grep", input);
    if (limited && options.maxResults === undefined) throw tooMuch(path);
    return matches.map((match) => `${match.path}:${match.line}:${match.text}`).join("\n");
  }

  async glob(pattern: string, path = "."): Promise<readonly string[]> {
    const input = { pattern, path, limit: maxFound };
    const { files, limited } = await this.#call<DataOf<"search.glob">>("search.glob", input);
    if (limited) throw tooMuch(path);
    return files.map((file) => file.path);
  }

  async cleanup(): Promise<void> {
    await this.instances.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cleanup();
  }

  async #call<Data>(name: string, input: unknown): Promise<Data> {
    return dataOf(await this.#result(name, input));
  }

  async #result(name: string, input: unknown, options: CallOptions = {}): Promise<CallResult> {
    const open = () => openToolcrib({ ...this.options, workspace: this.workingDirectory });
    const crib = await this.instances.get(this, 0, open);
    const approve: Approve = async () => ({ allow: true });
    return crib.call(name, input, { ...options, approve: insideTool.getStore() ? approve : options.approve });
  }
}

/** The search tools return at most this many results. */
const maxFound = 100_000;

/** Returns the error for a long result: a truncated one would look complete to the program. */
function tooMuch(path: string): ToolError {
  return new ToolError("too-large", `The result for ${path} is too large`, {
    hint: "Use `offset` and `limit`, or a narrower pattern or path.",
  });
}

function dataOf<Data>({ data, error }: CallResult): Data {
  if (error) throw asError(error);
  return data as Data;
}

function asError({ code, message, hint }: NonNullable<CallResult["error"]>): ToolError {
  return new ToolError(code, message, { hint: hint ?? undefined });
}
