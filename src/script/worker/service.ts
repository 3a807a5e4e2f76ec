import { stripTypeScriptTypes } from "node:module";
import type { Channel } from "../../workers/channel.ts";
import { Machine, sourceUrl } from "./machine.ts";
import type { CallAnswer, ScriptAsks, ScriptEnd, ScriptService } from "./protocol.ts";
import { Watchdog } from "./watchdog.ts";

/** Runs one program at a time, each in an engine of its own. */
export async function scriptService(parent: Pick<Channel<ScriptAsks>, "ask">): Promise<ScriptService> {
  const watchdog = new Watchdog();
  // The first use of both takes tens of milliseconds, for which the first program need not wait twice.
  const engine = await Machine.compile();
  stripTypeScriptTypes("0");
  return {
    run: async ({ program, computeMs, run }, { signal }) => {
      // The parser of types takes exponential time for some programs.
      watchdog.start(computeMs);
      const stripped = strip(program);
      watchdog.stop();
      if (typeof stripped === "object") return stripped;
      const machine = await Machine.open(engine, { watchdog, computeMs, signal, ask });
      try {
        return await machine.run(stripped);
      } finally {
        machine.close();
      }
      function ask(kind: "call" | "help", name: string, input: string): Promise<CallAnswer> {
        return kind === "call"
          ? parent.ask("call", { run, name, input }, { signal })
          : parent.ask("help", { run, name }, { signal });
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
