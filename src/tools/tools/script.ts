import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { ScriptResult } from "../../contract/script.ts";
import type { Tool } from "../../contract/tool.ts";
import { callTitle } from "../../lib/text/call-title.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";

const input = z.strictObject({
  script: z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(200_000),
      z.describe("Body of an async function, JavaScript or TypeScript."),
    ),
});

/** Runs a program that calls tools. Its calls are checked, recorded and undone like any others. */
export const toolsScript: Tool<z.infer<typeof input>, Omit<ScriptResult, "text">> = {
  name: "tools.script",
  description:
    'Run a short program that calls tools and returns only what matters: `const { text } = await tools.file.read({ path: "a.ts" }); return text.length`. A call returns { data, text }, and throws an error with code, message and hint. help("file.read") returns a signature, print() adds output. No files, network, clock or imports of its own.',
  // Each inner call has a risk of its own, and is checked by itself.
  risk: "read",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  makesCalls: true,
  timeoutMs: 300_000,
  input,
  limits: { maxChars: 30_000, keep: "both" },
  accesses: () => [],

  async run({ script }, { scripts, calls, environment, signal, progress }) {
    if (calls.areNested)
      throw new ToolError("unsupported", "A script cannot run another script", {
        hint: "Put both programs in one script.",
      });
    const {
      value = null,
      text,
      ...result
    } = await scripts.run(
      script,
      {
        ...calls,
        call: (name, given, options) => {
          progress(() => `${printableLine(name)} ${callTitle(given, environment.workspace)}`);
          return calls.call(name, given, options);
        },
      },
      { signal },
    );
    const { printed, failedCalls, calls: made } = result;
    const failed = failedCalls > 0 ? `${failedCalls} of ${counted(made, "call")} failed.` : undefined;
    const shown = printed + text;
    return {
      data: { value, ...result },
      text: shown === "" ? "The script returned nothing." : shown,
      continuation: failed,
    };
  },
};
