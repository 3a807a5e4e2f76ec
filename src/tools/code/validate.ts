import * as z from "zod/mini";
import { showFault } from "../../code/blocks/change-damage.ts";
import type { SyntaxFault } from "../../contract/code.ts";
import type { Tool } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { pathField } from "./block-fields.ts";
import { readCode } from "./code-file.ts";

export interface ValidateData {
  readonly path: string;
  readonly language: string;
  readonly parses: boolean;
  readonly faults: readonly Pick<SyntaxFault, "line" | "column" | "message">[];
}

const input = z.strictObject({ path: pathField });

export const codeValidate: Tool<z.infer<typeof input>, ValidateData> = {
  name: "code.validate",
  description: "Check the syntax of a file. Does not check types.",
  risk: "read",
  input,
  limits: { maxChars: 20_000, keep: "head" },
  accesses: ({ path }) => [{ kind: "read", path }],

  async run({ path }, context) {
    const { text, outline } = await readCode(path, context);
    const { language, faults } = outline;
    const data = {
      path,
      language,
      parses: faults.length === 0,
      faults: faults.map(({ line, column, message }) => ({ line, column, message })),
    };
    if (data.parses) return { data, text: `${path} parses: no faults in its ${language}.` };
    const shown = faults.slice(0, maxShown).map((fault) => showFault(text, fault));
    const hidden = faults.length - shown.length;
    const head = `${path} does not parse as ${language}: ${counted(faults.length, "fault")}.`;
    return {
      data,
      text: [
        head,
        ...shown,
        ...(hidden > 0 ? [`… ${counted(hidden, "more fault")}; correct these first.`] : []),
      ].join("\n"),
    };
  },
};

const maxShown = 20;
