import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";

export interface TextEchoInput {
  readonly text: string;
}

/** Returns its input. */
export const textEcho: Tool<TextEchoInput, TextEchoInput> = {
  name: "text.echo",
  summary: "Give back the text unchanged.",
  risk: "read",
  input: z.strictObject({ text: z.string() }),
  limits: { maxChars: 50_000, keep: "both" },
  accesses: () => [],
  run: async ({ text }) => ({ data: { text }, text }),
};
