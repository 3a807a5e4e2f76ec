import { stripTypeScriptTypes } from "node:module";
import { CallPipe } from "./call-pipe.ts";
import { FrameReader } from "./frames.ts";
import { Machine, sourceUrl } from "./machine.ts";
import type { ScriptEnd, ScriptService } from "./protocol.ts";
import { Watchdog } from "./watchdog.ts";

/** Runs one program at a time, each in an engine of its own. The engine of the next program is opened in advance. */
export async function scriptService(): Promise<ScriptService> {
  const watchdog = new Watchdog();
  const frames = new FrameReader(Number.POSITIVE_INFINITY);
  // The first use of both takes tens of milliseconds, for which the first program need not wait twice.
  const engine = await Machine.compile();
  stripTypeScriptTypes("0");
  const open = () => Machine.open(engine, watchdog);
  let next: Promise<Machine> | undefined;
  return {
    run: async ({ program, computeMs, run }) => {
      // The parser of types takes exponential time for some programs.
      watchdog.start(computeMs);
      const stripped = strip(program);
      watchdog.stop();
      if (typeof stripped === "object") return stripped;
      const machine = await (next ?? open());
      next = undefined;
      try {
        return machine.run(stripped, { computeMs, calls: new CallPipe(run, frames) });
      } finally {
        // After the result has been sent.
        setImmediate(() => {
          next ??= open();
        });
      }
    },
  };
}

/** Removes types, keeping lines and columns. The program becomes the body of a function, so that it can return. */
function strip(program: string): string | ScriptEnd {
  const whole = `${before}${program}\n})`;
  try {
    return stripTypeScriptTypes(whole, { mode: "strip", sourceUrl });
  } catch (error) {
    const { message, stack = "" } = error as Error;
    const [, line] = /^script:(\d+)\n/.exec(stack) ?? [];
    const [first = ""] = message.trim().split("\n");
    const failure = { kind: "syntax", message: first, line: line ? Number(line) : undefined } as const;
    return { ok: false, printed: "", failure };
  }
}

const before = "(async () => {";
