import type { Success } from "./call.ts";
import type { ToolError } from "./error.ts";

/** What happens at the counter, as it happens. Every call gives one `start` and one of `end`, `denied`, `error`. */
export type CallEvent =
  | (EventBase & { readonly type: "start"; readonly input: unknown })
  | (EventBase & { readonly type: "progress"; readonly message: string })
  | (EventBase & { readonly type: "output"; readonly stream: "stdout" | "stderr"; readonly text: string })
  /** `result.fullText` is the whole output, also when the model was shown less. */
  | (EventBase & { readonly type: "end"; readonly result: Success; readonly durationMs: number })
  | (EventBase & { readonly type: "denied"; readonly error: ToolError; readonly durationMs: number })
  | (EventBase & { readonly type: "error"; readonly error: ToolError; readonly durationMs: number });

interface EventBase {
  readonly callId: string;
  /** Canonical tool name. */
  readonly tool: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}
