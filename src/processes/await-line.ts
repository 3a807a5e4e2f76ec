import { LineWatch } from "./line-watch.ts";
import type { OutputLog } from "./output-log.ts";

/** Looks for a line, from a cursor on, until one matches or nobody needs it any more. */
export type AwaitLine = (
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
