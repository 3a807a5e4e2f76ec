import * as z from "zod/mini";
import type { Tool } from "../../src/contract/tool.ts";

const input = z.strictObject({
  path: z.string().check(z.describe("Text file to count, relative to the workspace.")),
});

/** Counts the words of a text file. */
export const countWords: Tool<z.infer<typeof input>, { words: number }> = {
  name: "text.count_words",
  description:
    "Count the words of a text file. Use it instead of reading the file when only its length matters.",
  risk: "read",
  input,
  limits: { maxChars: 1_000, keep: "head" },
  accesses: ({ path }) => [{ kind: "read", path }],
  run: async ({ path }, { environment, signal }) => {
    const { bytes } = await environment.readFile(path, { maxBytes: 10_000_000, signal });
    const words = new TextDecoder().decode(bytes).match(/\S+/g)?.length ?? 0;
    return { data: { words }, text: `${path} has ${words} words.` };
  },
};
