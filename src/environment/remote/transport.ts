import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { ToolError } from "../../contract/error.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { toCommandLine } from "../../lib/text/shell-quote.ts";
import { plainTerminalText } from "../../lib/text/terminal-text.ts";
import { realPathOf } from "../../sandbox/real-paths.ts";
import { endWithProcess } from "../../system/end-with-process.ts";
import { ProgramFinder, projectAround } from "../../system/find-program.ts";
import { type ChildProcessByStdio, startProgram } from "../../system/start-program.ts";
import type { ByteStream } from "./frames.ts";
import type { Target } from "./target.ts";

export interface TransportOptions {
  /** How long to wait for an answer of the target. Default: 60 s, or 5 minutes when the user may have to type a password. */
  readonly connectMs?: number | undefined;
  /** Whether ssh may ask for a password at the terminal. Default: false. */
  readonly mayAsk?: boolean | undefined;
  /**
   * A folder of this machine that stands for the one on the target, such as the folder of an editor. The program that
   * reaches the target is never one of the project around it, nor of the project around the current folder.
   */
  readonly folder?: string | undefined;
  /** The variables of the program, such as PATH and SSH_AUTH_SOCK. Default: those of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export function connectMsOf({ connectMs, mayAsk = false }: TransportOptions): number {
  return connectMs ?? (mayAsk ? 300_000 : 60_000);
}

/** How long to wait for an answer to this many bytes: a slow connection carries 8 kB per second. */
export function sendMsOf(bytes: number, options: TransportOptions): number {
  return connectMsOf(options) + bytes / 8;
}

/** A line that the target has answered. */
export type Answer = Readonly<Record<string, unknown>> & { readonly kind: string };

/**
 * A program such as ssh, whose standard input and output reach a shell on the target. The shell runs `bootstrap.sh`, with the
 * given variables.
 */
export class Transport {
  readonly #target: Target;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #marker = [randomBytes(12).toString("hex"), randomBytes(12).toString("hex")] as const;
  /** Output that is not read yet; before the first answer only what may be the beginning of a marker. */
  #output: Buffer = Buffer.alloc(0);
  #skipped = 0;
  #errors = "";
  #failure: ToolError | undefined;
  #wake = () => {};
  readonly #onData = (chunk: Buffer) => {
    this.#output = Buffer.concat([this.#output, chunk]);
    this.#wake();
  };

  /** Starts the program and sends the script. Throws when it is not installed. */
  static async start(
    target: Target,
    script: string,
    variables: Readonly<Record<string, string>>,
    options: TransportOptions,
  ): Promise<Transport> {
    const { mayAsk = false, env = process.env, folder = process.cwd() } = options;
    const [name = ""] = target.commandFor([], { mayAsk });
    // No project may provide an "ssh".
    const projects = [process.cwd(), realPathOf(folder) ?? resolve(folder)].flatMap(
      (around) => projectAround(around) ?? [],
    );
    const finder = new ProgramFinder({}, projects, env.PATH);
    const program = await finder.find(name).catch((cause: unknown) => {
      throw new ToolError(
        "unavailable",
        `The program ${name}, which reaches ${target.name}, is not installed`,
        {
          ...{ hint: `Install ${name}.`, cause },
        },
      );
    });
    // ssh starts programs, too, such as those of ProxyCommand.
    const trusted = { ...options, env: { ...env, PATH: finder.searchPath } };
    return new Transport(target, program, script, variables, trusted);
  }

  private constructor(
    target: Target,
    program: string,
    script: string,
    variables: Readonly<Record<string, string>>,
    { mayAsk = false, env = process.env }: TransportOptions,
  ) {
    this.#target = target;
    const [first, second] = this.#marker;
    const all = { first, second, ...variables };
    const header = Object.entries(all).map(([name, value]) => `${name}='${value}'\n`);
    const text = Buffer.from(header.join("") + script);
    // The shell reads the script from standard input, because the command line passes through shells of several kinds.
    // dd reads no byte too many.
    const line = `eval "$(dd bs=1 count=${text.length} 2>/dev/null)"`;
    const [, ...args] = target.commandFor(["sh", "-c", line], { mayAsk });
    // Ctrl-C at the terminal is meant for this process. ssh asks for passwords only in the foreground.
    this.#child = startProgram(program, args, { env, stdio: "pipe", detached: !mayAsk });
    const { stdin, stdout, stderr } = this.#child;
    this.#child.on("error", (error: NodeJS.ErrnoException) => this.#fail(this.#notStarted(program, error)));
    // Not "close", because a master connection of ssh keeps standard error open.
    this.#child.on("exit", () => stdout.readableEnded && this.#fail(this.#ended()));
    stdin.on("error", () => {});
    stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.#errors = (this.#errors + chunk).slice(-maxErrorChars);
    });
    stdout.on("data", this.#onData).once("end", () => setTimeout(() => this.#fail(this.#ended()), exitMs));
    stdout.on("error", () => {});
    this.write(text);
  }

  write(bytes: Uint8Array | string): void {
    this.#child.stdin.write(bytes);
  }

  /** Sends an end of file. */
  endInput(): void {
    this.#child.stdin.end();
  }

  /** Returns the next answer of the target. Skips other output, such as that of login scripts. */
  async answer(): Promise<Answer> {
    for (;;) {
      const line = this.#nextLine();
      if (line !== undefined) {
        const value = tryParseJson(line);
        if (isRecord(value) && typeof value.kind === "string") return value as Answer;
        throw this.#unexpected("an answer that is not JSON");
      }
      if (this.#failure !== undefined) throw this.#failure;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  /** Returns the connection, when the last answer has been read. */
  stream(): ByteStream {
    const { stdin, stdout } = this.#child;
    stdout.off("data", this.#onData).pause();
    if (this.#output.length > 0) stdout.unshift(this.#output);
    return { readable: stdout, writable: stdin, destroy: () => this.destroy() };
  }

  /** Ends a connection on which `act` fails or is not done in time, or during which this process ends. `extend` gives it this time from then on. */
  async within<Result>(ms: number, act: (extend: (ms: number) => void) => Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const extend = (more: number) => {
      clearTimeout(timer);
      const message = `${this.#target.name} did not answer in ${Math.round(more / 1000)} s`;
      timer = setTimeout(() => this.destroy(new ToolError("timeout", message)), more);
    };
    extend(ms);
    // The program has a process group of its own, and would wait for a target that never answers.
    const release = endWithProcess(() => this.destroy());
    try {
      return await act(extend);
    } catch (error) {
      this.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  /** Breaks the connection. */
  destroy(reason?: ToolError): void {
    if (reason !== undefined) this.#fail(reason);
    const { stdin, stdout, stderr } = this.#child;
    for (const one of [stdin, stdout, stderr]) one.destroy();
    this.#child.kill();
    // This process must not wait for a program that ignores the signal.
    this.#child.unref();
  }

  #nextLine(): string | undefined {
    const marker = `\n${this.#marker.join("")} `;
    const start = this.#output.indexOf(marker);
    if (start < 0) {
      const kept = Math.min(this.#output.length, marker.length - 1);
      this.#skipped += this.#output.length - kept;
      this.#output = this.#output.subarray(this.#output.length - kept);
      if (this.#skipped > maxSkippedBytes)
        throw this.#unexpected(`${showSize(this.#skipped)} before the greeting`);
      return undefined;
    }
    const end = this.#output.indexOf(10, start + marker.length);
    if (end < 0) {
      if (this.#output.length - start > maxSkippedBytes) throw this.#unexpected("an answer without end");
      return undefined;
    }
    const line = this.#output.toString("utf8", start + marker.length, end);
    this.#output = this.#output.subarray(end + 1);
    return line;
  }

  #fail(error: ToolError): void {
    this.#failure ??= error;
    this.#wake();
  }

  #unexpected(what: string): ToolError {
    this.destroy();
    return new ToolError("unavailable", `${this.#target.name} sent ${what}`, {
      hint: "Check that login scripts on the target print little, and that the transport does not change bytes.",
    });
  }

  #notStarted(program: string, cause: NodeJS.ErrnoException): ToolError {
    const message = `The program ${program}, which reaches ${this.#target.name}, cannot be started: ${cause.message}`;
    return new ToolError("unavailable", message, { cause });
  }

  /** Names what the program has printed last, which usually says why. */
  #ended(): ToolError {
    const { exitCode, signalCode } = this.#child;
    const lines = plainTerminalText(this.#errors).trim().split("\n").slice(-3).join("\n");
    const how = signalCode ?? (exitCode === null ? undefined : `exit code ${exitCode}`);
    const command = toCommandLine(this.#target.commandFor(["sh", "-c", "true"], { mayAsk: true }));
    return new ToolError(
      "unavailable",
      `${this.#target.name} cannot be reached: ${lines || `the connection ended${how ? ` (${how})` : ""}`}`,
      {
        hint: "Ask the user to check the connection to the target.",
        forUser: { hint: `Run this until it works: ${command}` },
      },
    );
  }
}

/** Login scripts print less than this. */
const maxSkippedBytes = 1024 * 1024;
const maxErrorChars = 4000;
/** A program that has closed its output usually ends at once; then its exit code is known. */
const exitMs = 200;
