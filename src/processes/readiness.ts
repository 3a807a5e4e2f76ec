import { stripVTControlCharacters } from "node:util";
import type { RunningProcess } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ProcessStatus, Readiness } from "../contract/process.ts";
import { translateRegex } from "../lib/rust-regex/rust-regex.ts";
import { OutOfTime, withinTime } from "../lib/time-bound.ts";
import type { OutputLog, Stream } from "./output-log.ts";

interface ReadinessParts {
  readonly running: Pick<RunningProcess, "answers">;
  readonly log: OutputLog;
  /** Reports the address of a port. */
  readonly found: (address: ProcessStatus["ports"][number]) => void;
  readonly signal: AbortSignal;
}

/** Waits until a process is ready. Resolves to false when aborted. */
export type AwaitReadiness = (parts: ReadinessParts) => Promise<boolean>;

/** Checks the conditions before the process starts. Throws `invalid-input` for invalid ones. */
export function planReadiness({ port, line, url }: Readiness): AwaitReadiness {
  const conditions: AwaitReadiness[] = [];
  if (line !== undefined) {
    const find = awaitLine(line);
    conditions.push(async ({ log, signal }) => (await find(log, { from: 0, signal })) !== undefined);
  }
  if (port !== undefined) conditions.push((parts) => untilAnswered(port, undefined, parts));
  if (url !== undefined) {
    const target = parseTarget(url);
    conditions.push((parts) => untilAnswered(portOf(target), target, parts));
  }
  return async (parts) =>
    (await Promise.all(conditions.map((condition) => condition(parts)))).every((isTrue) => isTrue);
}

export function describeReadiness({ port, line, url }: Readiness): string {
  const wanted = [
    port !== undefined && `port ${port}`,
    line !== undefined && `a line with "${line}"`,
    url !== undefined && `an answer from ${url}`,
  ];
  return wanted.filter((part) => part !== false).join(" and ");
}

async function untilAnswered(
  port: number,
  url: URL | undefined,
  { running, found, signal }: ReadinessParts,
): Promise<boolean> {
  let pauseMs = 25;
  while (!signal.aborted) {
    if (await running.answers(port, { url, signal })) {
      found({ port, address: `localhost:${port}` });
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    pauseMs = Math.min(pauseMs * 1.5, maxPauseMs);
  }
  return false;
}

const maxPauseMs = 500;

/** Parses a URL. Accepts only addresses of the process itself, so that no other host can be reached. */
function parseTarget(url: string): URL {
  const target = URL.parse(url);
  const isLocal = target !== null && localHosts.has(target.hostname) && /^https?:$/.test(target.protocol);
  if (isLocal) return target;
  throw new ToolError("invalid-input", `"${url}" is not an address of the process itself`, {
    hint: 'Give a URL it listens on: "http://localhost:3000/health".',
  });
}

const localHosts = new Set(["localhost", "127.0.0.1", "[::1]", "0.0.0.0"]);

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

/** Looks for a line from a cursor on, until one matches or the signal aborts. */
type AwaitLine = (
  log: OutputLog,
  options: { readonly from: number; readonly signal: AbortSignal },
) => Promise<string | undefined>;

/** Returns a function that waits for a matching line. Throws `invalid-input` for an invalid expression. */
export function awaitLine(pattern: string): AwaitLine {
  const watch = new LineWatch(pattern);
  return (log, { from, signal }) =>
    new Promise((resolve, reject) => {
      const settle = (line: string | undefined) => {
        stopListening();
        signal.removeEventListener("abort", giveUp);
        resolve(line);
      };
      const look = (find: () => string | undefined) => {
        try {
          const line = find();
          if (line !== undefined) settle(line);
        } catch (error) {
          reject(error);
          settle(undefined);
        }
      };
      const giveUp = () => settle(undefined);
      const stopListening = log.listen((stream, text) =>
        look(() => watch.push(stream, text) ?? watch.unfinished()),
      );
      signal.addEventListener("abort", giveUp, { once: true });
      look(() => {
        for (const { stream, text } of log.after(from)) {
          const line = watch.push(stream, text);
          if (line !== undefined) return line;
        }
        return watch.unfinished();
      });
      if (signal.aborted) giveUp();
    });
}

/** Looks for a line that matches an expression, without escape sequences. */
export class LineWatch {
  readonly #pattern: string;
  readonly #expression: RegExp;
  readonly #unfinished: Record<Stream, string> = { stdout: "", stderr: "" };

  /** Throws `invalid-input` for an invalid expression. */
  constructor(pattern: string) {
    this.#pattern = pattern;
    const regex = translate(pattern);
    if (regex.untranslatable !== undefined)
      throw new ToolError("invalid-input", `"${pattern}" cannot be matched: ${regex.untranslatable}`, {
        hint: "Simplify it: a word of the line is enough.",
      });
    this.#expression = regex.compile({ ascii: false, carriageReturns: false, strayBytes: false });
  }

  /** Returns the first matching line among those that this text completes. */
  push(stream: Stream, text: string): string | undefined {
    const lines = (this.#unfinished[stream] + text).split(/\r?\n|\r/);
    this.#unfinished[stream] = lines.pop()!.slice(0, maxLineChars);
    return this.#find(lines);
  }

  /** Returns a matching unfinished line, such as a prompt. */
  unfinished(): string | undefined {
    return this.#find(Object.values(this.#unfinished).filter((line) => line !== ""));
  }

  #find(lines: readonly string[]): string | undefined {
    if (lines.length === 0) return undefined;
    const plain = lines.map((line) => stripVTControlCharacters(line.slice(0, maxLineChars)));
    try {
      return withinTime(maxMs, () => plain.find((line) => line.search(this.#expression) >= 0));
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      throw new ToolError("invalid-input", `"${this.#pattern}" takes too long to match`, {
        hint: "Leave out nested repetitions such as (a+)+: a word of the line is enough.",
      });
    }
  }
}

/** Translates a pattern. Its errors lose the part of the hint that only applies to searches. */
function translate(pattern: string): ReturnType<typeof translateRegex> {
  try {
    return translateRegex(pattern);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError(error.code, error.message, {
      hint: error.hint?.replace(", or set `literal` to true", ""),
    });
  }
}

const maxLineChars = 64 * 1024;
const maxMs = 500;
