import type { ToolCall } from "../contract/call.ts";
import type { Environment } from "../contract/environment.ts";
import type { History } from "../contract/history.ts";
import { noHistory } from "./no-history.ts";
import { SeenMemory } from "./seen-memory.ts";
import type { Next } from "./stage.ts";

/** The last step: the tool itself. */
export function runTool(environment: Environment, historyFor: (call: ToolCall) => History = noHistory): Next {
  const seen = new SeenMemory(environment);
  return async (call) => {
    const output = await call.tool.run(call.input, {
      environment: call.environment,
      seen,
      history: historyFor(call),
      signal: call.signal,
      progress: (message) => call.notify({ type: "progress", message }),
      output: (stream, text) => call.notify({ type: "output", stream, text }),
    });
    return {
      ok: true,
      text: output.text,
      fullText: output.text,
      data: output.data,
      images: output.images ?? [],
      ...(output.continuation === undefined ? {} : { continuation: output.continuation }),
    };
  };
}
