import * as z from "zod/mini";
import type { Outcome, ToolCall } from "../../../src/contract/call.ts";
import type { AnyTool } from "../../../src/contract/tool.ts";
import { MemoryEnvironment } from "../../../src/environment/memory/memory-environment.ts";

/** A call as a stage receives it, in an empty memory environment. */
export function stageCall({
  tool,
  ...call
}: Partial<Omit<ToolCall, "tool">> & { readonly tool?: Partial<AnyTool> } = {}): ToolCall {
  return {
    id: "call_1",
    tool: {
      name: "write_it",
      canonical: "file.write",
      description: "",
      risk: "write",
      input: z.any(),
      limits: { maxChars: 100, keep: "both" },
      accesses: () => [],
      run: async () => ({ data: null, text: "" }),
      ...tool,
    },
    input: {},
    accesses: [],
    environment: new MemoryEnvironment(),
    account: {},
    signal: new AbortController().signal,
    timeoutMs: undefined,
    outlivedBy: () => {},
    notify: () => {},
    ...call,
  };
}

export const done: Outcome = { ok: true, text: "done", data: null, images: [], fullText: "done" };
