import type { RunningProcess } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ProcessStatus, Readiness } from "../contract/process.ts";
import { awaitLine } from "./await-line.ts";
import { answersBelow500, isListening, type Place } from "./loopback.ts";
import type { OutputLog } from "./output-log.ts";

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
