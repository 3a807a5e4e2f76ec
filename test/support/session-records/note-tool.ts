import { appendFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { AnyTool } from "../../../src/contract/tool.ts";

/** Adds a line to `notes` with each call; `tell` reports the progress. */
export function noteTool(tell: (moment: string) => void = () => {}): AnyTool {
  return {
    name: "note",
    description: "Adds a line to notes.",
    risk: "write",
    input: z.strictObject({ text: z.string() }),
    limits: { maxChars: 1000, keep: "head" },
    accesses: () => [{ kind: "write", path: "notes" }],
    run: async ({ text }, { environment }) => {
      tell(`begin ${text}`);
      appendFileSync(join(environment.workspace, "notes"), `${text}\n`);
      tell(`within ${text}`);
      return { data: null, text: `noted ${text}` };
    },
  };
}
