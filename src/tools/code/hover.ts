import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { integer } from "../fields.ts";
import { findSymbol, requireServer } from "./served-symbol.ts";

export interface CodeHoverData {
  /** Markdown; null when the server knows nothing about the symbol. */
  readonly text: string | null;
  readonly server: string;
}

const input = z.strictObject({
  path: z.string().check(z.describe("A file where the symbol occurs.")),
  name: z.string().check(z.minLength(1)),
  line: integer(1, 10_000_000, "A line where it occurs. Default: the first."),
});

export type CodeHoverInput = z.infer<typeof input>;

export const codeHover: Tool<CodeHoverInput, CodeHoverData> = {
  name: "code.hover",
  description: "Show the type and documentation of a symbol, with the language server of the project.",
  risk: "read",
  startsPrograms: true,
  input,
  limits: { maxChars: 8_000, keep: "head" },
  accesses: ({ path }) => [
    { kind: "read", path },
    { kind: "read", path: "." },
  ],

  async run(input, context) {
    const at = await findSymbol(input, context);
    const server = await requireServer(at.path, context);
    const text = (await server.hover(at)) ?? null;
    return {
      data: { text, server: server.name },
      text: plain(text) || `The language server knows nothing about \`${input.name}\` there.`,
    };
  },
};

/** Removes the marks around code and other lines that say nothing. */
function plain(text: string | null): string | undefined {
  return text?.replace(/^(?:```\w*|---)\n?/gm, "").trim();
}
