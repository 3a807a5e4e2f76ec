import type { Environment } from "../contract/environment.ts";
import type { Next } from "./stage.ts";

/** The last step: the tool itself. */
export function runTool(environment: Environment): Next {
  return async (call) => {
    const output = await call.tool.run(call.input, {
      environment,
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
