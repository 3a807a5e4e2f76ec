import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { ToolError } from "../../contract/error.ts";
import type { Follower } from "./follower.ts";
import type { LiveSessions } from "./live-sessions.ts";
import type { NumberedEvent } from "./recent-events.ts";

/** Streams events until the page goes away. A page that does not read its stream is cut off, and resumes later. */
export function streamEvents(context: Context, { follower, live }: EventSources): Response {
  if (open >= maxStreams)
    throw new ToolError("unavailable", "Too many pages are open.", {
      hint: "Close some tabs of the console.",
    });
  open += 1;
  const after = context.req.header("last-event-id");
  const [workspace = "", session = ""] = context.req.query("session")?.split("/") ?? [];
  return streamSSE(context, async (stream) => {
    const waiting: NumberedEvent[] = [];
    let wake = () => {};
    const push = (event: NumberedEvent) => {
      // A write to a page that does not read never ends by itself.
      if (waiting.push(event) > maxWaiting) stream.abort();
      wake();
    };
    const ends: (() => void)[] = [];
    stream.onAbort(() => wake());
    try {
      ends.push(
        follower.subscribe(push, after),
        follower.onClose(() => wake()),
      );
      ends.push(
        live.watch(session, (happened) =>
          push({ id: follower.lastId, event: { type: "session", workspace, session, live: happened } }),
        ),
      );
      while (!stream.aborted && !follower.isClosed) {
        const next = waiting.shift();
        if (next !== undefined) await stream.writeSSE({ id: next.id, data: JSON.stringify(next.event) });
        else if (!(await somethingOrTimeout((resolve) => (wake = resolve)))) await stream.write(": \n\n");
      }
    } finally {
      open -= 1;
      for (const end of ends) end();
    }
  });
}

interface EventSources {
  readonly follower: Follower;
  readonly live: LiveSessions;
}

let open = 0;
const maxStreams = 32;
/** More than the events that a stream can resume with. */
const maxWaiting = 5000;
/** Shows that a browser which went away without closing its connection is gone. */
const aliveMs = 15_000;

/** Resolves to false when nothing happened for a while. */
function somethingOrTimeout(listen: (happened: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), aliveMs);
    listen(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
