import type { ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { History } from "../../contract/history.ts";
import { truncateText } from "../../text/truncate.ts";
import { SeenMemory } from "../seen-memory.ts";
import { untilAborted } from "../until-aborted.ts";

/** What the call would change, for the person who is asked. Bounded in size and time; one that fails says so. */
export async function previewCall(
  call: ToolCall,
  historyFor: (call: ToolCall) => History,
): Promise<string | undefined> {
  const { tool, input } = call;
  if (!tool.preview) return undefined;
  const environment = readOnly(call.environment);
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(maxMs)]);
  try {
    const history = onlyLooking(historyFor(call));
    const preview = tool.preview(input, { environment, seen: new SeenMemory(environment), history, signal });
    const text = await untilAborted(preview, signal, "its preview");
    return truncateText(text, limits, ({ lines }) => `[… ${lines} lines are not shown …]`).text;
  } catch (error) {
    if (call.signal.aborted) throw error;
    const reason = signal.aborted ? `it took longer than ${maxMs / 1000} s` : (error as Error).message;
    return `What it would change cannot be shown: ${reason}`;
  }
}

const maxMs = 2_000;
const limits = { maxChars: 40_000, maxLines: 400, keep: "both" } as const;

const reading: readonly (keyof Environment)[] = [
  "workspace",
  "realPath",
  "info",
  "readFile",
  "readBytes",
  "readLines",
  "modifiedTimes",
  "state",
  "openDirectory",
  "ignoreFilesOutside",
];

function onlyLooking(history: History): History {
  return {
    changes: (...asked) => history.changes(...asked),
    undo: (selection, options) => history.undo(selection, { ...options, dryRun: true }),
    setCheckpoint: refuse,
    checkpoints: () => history.checkpoints(),
  };
}

/** Nothing may happen before the person has answered. */
function readOnly(environment: Environment): Environment {
  return new Proxy(environment, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (!reading.some((allowed) => allowed === name)) return refuse;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function refuse(): Promise<never> {
  throw new ToolError("denied", "A preview changes nothing", { hint: "Leave it to the call itself." });
}
