import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";

const input = z.strictObject({ text: z.string() });

export type TextEchoInput = z.infer<typeof input>;

export const textEcho: Tool<TextEchoInput, TextEchoInput> = {
  name: "text.echo",
  description: "Return the text unchanged.",
  risk: "read",
  input,
  limits: { maxChars: 50_000, keep: "both" },
  accesses: () => [],
  run: async ({ text }) => ({ data: { text }, text }),
};
