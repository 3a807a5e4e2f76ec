import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { integer } from "../fields.ts";
import {
  describeLocations,
  findSymbol,
  requireServer,
  type ShownLocation,
  withLines,
} from "./served-symbol.ts";

export interface CodeDefinitionData {
  readonly locations: readonly ShownLocation[];
  /** The language server that answered. */
  readonly server: string;
}

const input = z.strictObject({
  path: z.string().check(z.describe("A file where the symbol occurs.")),
  name: z.string().check(z.minLength(1)),
  line: integer(1, 10_000_000, "A line where it occurs. Default: the first."),
  of: z.optional(z.enum(["definition", "type", "implementation"]).check(z.describe("Default definition."))),
});

export type CodeDefinitionInput = z.infer<typeof input>;

export const codeDefinition: Tool<CodeDefinitionInput, CodeDefinitionData> = {
  name: "code.definition",
  description:
    "Find where a symbol is defined, by types, with the language server of the project. Also its type or implementations.",
  risk: "read",
  startsPrograms: true,
  input,
  limits: { maxChars: 10_000, keep: "head" },
  accesses: ({ path }) => [
    { kind: "read", path },
    { kind: "read", path: "." },
  ],

  async run(input, context) {
    const at = await findSymbol(input, context);
    const server = await requireServer(at.path, context);
    const found = await server.locations(input.of ?? "definition", at);
    const locations = await withLines(found.slice(0, mostLocations), context);
    const what = input.of === undefined || input.of === "definition" ? "definition" : input.of;
    const head =
      found.length === 0
        ? `The language server knows no ${what} of \`${input.name}\`.`
        : `\`${input.name}\`: ${counted(found.length, what)}`;
    return {
      data: { locations, server: server.name },
      text: [head, ...describeLocations(locations)].join("\n"),
    };
  },
};

const mostLocations = 100;
