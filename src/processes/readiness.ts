import { connect } from "node:net";
import { stripVTControlCharacters } from "node:util";
import type { RunningProcess } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ProcessStatus, Readiness } from "../contract/process.ts";
import { translateRegex } from "../lib/rust-regex/rust-regex.ts";
import { OutOfTime, withinTime } from "../lib/time-bound.ts";
import type { OutputLog, Stream } from "./output-log.ts";

interface ReadinessParts {
  readonly running: Pick<RunningProcess, "reach">;
  readonly log: OutputLog;
  /** Told where a port can be reached. */
  readonly found: (address: ProcessStatus["ports"][number]) => void;
  /** Nobody needs to know any more. */
  readonly signal: AbortSignal;
}

/** Waits until a process is ready; false when nobody needs to know any more. */
export type AwaitReadiness = (parts: ReadinessParts) => Promise<boolean>;

/** Checks what has to come true before anything is started. Throws `invalid-input`. */
export function planReadiness({ port, line, url }: Readiness): AwaitReadiness {
  const conditions: AwaitReadiness[] = [];
  if (line !== undefined) {
    const find = awaitLine(line);
    conditions.push(async ({ log, signal }) => (await find(log, { from: 0, signal })) !== undefined);
  }
  if (port !== undefined) conditions.push((parts) => untilReached(port, parts, isListening));
  if (url !== undefined) {
    const target = parseTarget(url);
    conditions.push((parts) =>
      untilReached(portOf(target), parts, (place) => answersBelow500(target, place, parts.signal)),
    );
  }
  return async (parts) =>
    (await Promise.all(conditions.map((condition) => condition(parts)))).every((isTrue) => isTrue);
}

export function describeReadiness({ port, line, url }: Readiness): string {
  const wanted = [
    port !== undefined && `port ${port}`,
    line !== undefined && `a line with "${line}"`,
    url !== undefined && `an answer of ${url}`,
  ];
  return wanted.filter((part) => part !== false).join(" and ");
}

async function untilReached(
  port: number,
  { running, found, signal }: ReadinessParts,
  isThere: (place: Place) => Promise<boolean>,
): Promise<boolean> {
  let pauseMs = 25;
  while (!signal.aborted) {
    const place = await running.reach(port);
    if (place !== undefined && (await isThere(place))) {
      found({ port, address: showPlace(place) });
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    pauseMs = Math.min(pauseMs * 1.5, maxPauseMs);
  }
  return false;
}

function showPlace({ host, port }: Place): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

const maxPauseMs = 500;

/** Only what the process itself listens on: this is no way to reach other hosts. */
function parseTarget(url: string): URL {
  const target = URL.parse(url);
  const isLocal = target !== null && localHosts.has(target.hostname) && /^https?:$/.test(target.protocol);
  if (isLocal) return target;
  throw new ToolError("invalid-input", `"${url}" is no address of the process itself`, {
    hint: 'Give what it listens on: "http://localhost:3000/health".',
  });
}

const localHosts = new Set(["localhost", "127.0.0.1", "[::1]", "0.0.0.0"]);

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

/** Looks for a line, from a cursor on, until one matches or nobody needs it any more. */
type AwaitLine = (
  log: OutputLog,
  options: { readonly from: number; readonly signal: AbortSignal },
) => Promise<string | undefined>;

/** Throws `invalid-input` for what is no expression. */
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

/** Looks for a line that matches an expression in what a process says, colours and the like left out. */
export class LineWatch {
  readonly #pattern: string;
  readonly #expression: RegExp;
  readonly #unfinished: Record<Stream, string> = { stdout: "", stderr: "" };

  /** Throws `invalid-input` for what is no expression. */
  constructor(pattern: string) {
    this.#pattern = pattern;
    const regex = translate(pattern);
    if (regex.untranslatable !== undefined)
      throw new ToolError("invalid-input", `"${pattern}" cannot be looked for: ${regex.untranslatable}`, {
        hint: "Simplify it: a word that the line holds is enough.",
      });
    this.#expression = regex.compile({ ascii: false, carriageReturns: false, strayBytes: false });
  }

  /** The first line that matches among those which this text completes. */
  push(stream: Stream, text: string): string | undefined {
    const lines = (this.#unfinished[stream] + text).split(/\r?\n|\r/);
    this.#unfinished[stream] = lines.pop()!.slice(0, maxLineChars);
    return this.#find(lines);
  }

  /** The unfinished line that matches: a prompt is one. */
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
      throw new ToolError("invalid-input", `"${this.#pattern}" takes too long to look for`, {
        hint: "Leave out nested repetitions such as (a+)+: a word that the line holds is enough.",
      });
    }
  }
}

/** What is wrong with it, without the way out that only searches have. */
function translate(pattern: string): ReturnType<typeof translateRegex> {
  try {
    return translateRegex(pattern);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const hint = error.hint?.replace(", or set `literal` to true", "");
    throw new ToolError(error.code, error.message, hint === undefined ? {} : { hint });
  }
}

const maxLineChars = 64 * 1024;
const maxMs = 500;

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Whether somebody accepts connections there. */
function isListening({ host, port }: Place): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: answerMs });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}

/** Whether a GET is answered there with a status below 500; redirects count as answers and are not followed. */
async function answersBelow500(target: URL, { host, port }: Place, signal: AbortSignal): Promise<boolean> {
  const { get } = target.protocol === "https:" ? await import("node:https") : await import("node:http");
  const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  return new Promise((resolve) => {
    const request = get(
      {
        host,
        port,
        path: target.pathname + target.search,
        headers: { host: target.host, accept: "*/*" },
        agent: false,
        // Servers of developers sign their certificates themselves, and this leads to none but the process.
        rejectUnauthorized: false,
        signal: limit,
      },
      (response) => {
        response.destroy();
        resolve((response.statusCode ?? 500) < 500);
      },
    );
    request.once("error", () => resolve(false));
  });
}

const answerMs = 5_000;
