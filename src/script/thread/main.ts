import { stripTypeScriptTypes } from "node:module";
import { workerData } from "node:worker_threads";
import { Machine, sourceUrl } from "./machine.ts";
import type { ScriptEnd, ScriptFailure, ThreadParts } from "./protocol.ts";
import { ThreadPort } from "./thread-port.ts";

// A program must not learn the time zone of this machine, which the engine asks the Date of this thread for.
const { prototype } = Date;
prototype.getTimezoneOffset = () => 0;
for (const part of ["Seconds", "Minutes", "Hours", "Date", "Day", "Month", "FullYear"] as const)
  prototype[`get${part}`] = prototype[`getUTC${part}`];

void serve(workerData as ThreadParts);

/** Runs one program at a time, each in an engine of its own. The engine of the next program is opened in advance. */
async function serve(parts: ThreadParts): Promise<void> {
  const messages = new ThreadPort(parts);
  const engine = await Machine.compile();
  // Loads the parser, which takes long on a busy machine and must not count as the time of the first program.
  strip("");
  for (;;) {
    const machine = await Machine.open(engine, parts.shared.deadline);
    const { program, computeMs } = messages.program();
    // The parser of types takes exponential time for some programs.
    const stripped = machine.watched(computeMs, () => strip(program));
    const end =
      typeof stripped === "object" ? stripped : machine.run(stripped, { computeMs, calls: messages });
    const isLast = typeof stripped === "object" && stripped.failure.kind === "stack";
    messages.send({ kind: "end", end, isLast });
    // Opening an engine would take time of the processor from the side that now ends the script.
    messages.rest(restMs);
  }
}

/** Removes types, keeping lines and columns. The program becomes the body of a function, so that it can return. */
function strip(program: string): string | FailedEnd {
  const whole = `${before}${program}\n})`;
  try {
    return stripTypeScriptTypes(whole, { mode: "strip", sourceUrl });
  } catch (error) {
    const { message, stack = "", code } = error as NodeJS.ErrnoException;
    // The parser can fail on deep nesting, and may then fail on every other program.
    if (!code?.endsWith("TYPESCRIPT_SYNTAX")) return failed({ kind: "stack", message: "", line: undefined });
    const [, line] = /^script:(\d+)\n/.exec(stack) ?? [];
    const [first = ""] = message.trim().split("\n");
    return failed({ kind: "syntax", message: first, line: line ? Number(line) : undefined });
  }
}

function failed(failure: ScriptFailure): FailedEnd {
  return { ok: false, printed: "", failure };
}

type FailedEnd = Extract<ScriptEnd, { ok: false }>;

const restMs = 5;

const before = "(async () => {";
