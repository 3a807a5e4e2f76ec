import { release } from "node:os";
import { ToolError } from "../../contract/error.ts";
import type { AnyTool } from "../../contract/tool.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { DataOf } from "../../dialects/rename.ts";
import { type CallResult, openToolcrib, type Toolcrib, type ToolcribOptions } from "../../toolcrib/index.ts";

/** Where tools act. Its own methods are ordinary calls, too. */
export interface ExecutionEnvironment {
  readonly workingDirectory: string;
  readonly platform: string;
  readonly osVersion: string;
  /** Lines of a text file, unchanged. */
  readFile(path: string, lines?: { readonly offset?: number; readonly limit?: number }): Promise<string>;
  writeFile(path: string, content: string): Promise<void>;
  deleteFile(path: string): Promise<void>;
  moveFile(from: string, to: string): Promise<void>;
  fileExists(path: string): Promise<boolean>;
  execCommand(command: string, options?: CommandOptions): Promise<CommandResult>;
  /** Matching lines as `path:line:text`. */
  grep(pattern: string, path?: string): Promise<string>;
  /** Paths, the newest first. */
  glob(pattern: string, path?: string): Promise<readonly string[]>;
  /** The instance with these tools. Opened on first use, and again after the tools have changed. */
  instance(tools: InstanceTools): Promise<Toolcrib>;
  /** Ends everything. May be called twice. */
  cleanup(): Promise<void>;
}

/** The tools of an instance. */
export interface InstanceTools {
  readonly version: number;
  toolsFor(environment: ExecutionEnvironment): {
    readonly dialect: Dialect;
    readonly tools: readonly AnyTool[];
  };
}

export interface CommandOptions {
  readonly timeoutMs?: number;
  readonly workingDirectory?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Null after a signal or a timeout. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
}

/** A folder of this machine, with the options of `openToolcrib`. */
export class LocalExecutionEnvironment implements ExecutionEnvironment {
  readonly workingDirectory: string;
  readonly platform: string = process.platform;
  readonly osVersion: string = release();
  readonly #options: ToolcribOptions;
  readonly #instances = new Map<InstanceTools, { version: number; crib: Promise<Toolcrib> }>();
  readonly #replaced: Promise<Toolcrib>[] = [];
  #own: Promise<Toolcrib> | undefined;

  constructor(
    workingDirectory: string,
    options: Omit<ToolcribOptions, "workspace" | "dialect" | "tools" | "allowedTools"> = {},
  ) {
    this.workingDirectory = workingDirectory;
    this.#options = { ...options, workspace: workingDirectory };
  }

  async readFile(
    path: string,
    lines: { readonly offset?: number; readonly limit?: number } = {},
  ): Promise<string> {
    const { limit = Number.MAX_SAFE_INTEGER, ...rest } = lines;
    const { files } = await this.#call<DataOf<"file.read">>("file.read", { path, limit, ...rest });
    const [file] = files;
    if (file?.kind !== "text") throw new ToolError("unsupported", `${path} is not a text file`);
    const isWhole = lines.limit !== undefined || file.nextOffset === undefined;
    if (!isWhole || file.cutBytes !== undefined) throw tooMuch(path);
    // Keeps the byte order mark, so that a program can write back what it read.
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
    const { timeoutMs = 10_000, workingDirectory: cwd, variables: env } = options;
    const startedMs = performance.now();
    const result = await this.#result("shell.run", { command, timeout_ms: timeoutMs, cwd, env });
    if (result.error?.code === "timeout") {
      const { output: stdout = "" } = result.error;
      const durationMs = Math.round(performance.now() - startedMs);
      return { stdout, stderr: "", exitCode: null, timedOut: true, durationMs };
    }
    const { stdout, stderr, exitCode, durationMs } = dataOf<CommandResult>(result);
    return { stdout, stderr, exitCode, timedOut: false, durationMs };
  }

  async grep(pattern: string, path = "."): Promise<string> {
    const input = { pattern, path, limit: maxFound };
    const { matches, limited } = await this.#call<DataOf<"search.grep">>("search.grep", input);
    if (limited) throw tooMuch(path);
    return matches.map((match) => `${match.path}:${match.line}:${match.text}`).join("\n");
  }

  async glob(pattern: string, path = "."): Promise<readonly string[]> {
    const input = { pattern, path, limit: maxFound };
    const { files, limited } = await this.#call<DataOf<"search.glob">>("search.glob", input);
    if (limited) throw tooMuch(path);
    return files.map((file) => file.path);
  }

  async instance(tools: InstanceTools): Promise<Toolcrib> {
    const known = this.#instances.get(tools);
    if (known?.version === tools.version) return known.crib;
    const crib = openToolcrib({ ...this.#options, ...tools.toolsFor(this) });
    this.#instances.set(tools, { version: tools.version, crib });
    // Calls may still be running there.
    if (known) this.#replaced.push(known.crib);
    return crib;
  }

  async cleanup(): Promise<void> {
    const instances = [...this.#replaced, ...[...this.#instances.values()].map(({ crib }) => crib)];
    await Promise.all([...instances, this.#own].map(async (crib) => (await crib)?.close()));
  }

  async #call<Data>(name: string, input: unknown): Promise<Data> {
    return dataOf(await this.#result(name, input));
  }

  async #result(name: string, input: unknown): Promise<CallResult> {
    this.#own ??= openToolcrib(this.#options);
    return (await this.#own).call(name, input);
  }
}

/** The limit of the search tools. */
const maxFound = 100_000;

/** A truncated result would look complete to the program. */
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
