import * as z from "zod/mini";
import type { ChangedFile, ChangedFiles } from "../../contract/history.ts";
import type { Tool } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import { refuseFault } from "../edit/replace-fields.ts";
import { flag } from "../fields.ts";
import { faultInSelection, selectionFields, toSelection } from "./selection-fields.ts";

const fields = z.strictObject({
  ...selectionFields,
  paths: z.optional(z.array(z.string()).check(z.maxLength(1000))),
  stat: flag("Only names and line counts."),
});

export type JournalDiffInput = z.infer<typeof fields>;

export const journalDiff: Tool<JournalDiffInput, ChangedFiles> = {
  name: "journal.diff",
  description:
    "Show what earlier calls, including shell commands, changed in files: a diff with numbered hunks.",
  risk: "read",
  input: fields.check(refuseFault((input: JournalDiffInput) => faultInSelection(input))),
  limits: { maxChars: 20_000, keep: "head" },
  accesses: () => [{ kind: "read", path: "." }],

  async run(input, { history }) {
    const { paths = [], stat } = input;
    const changed = await history.changes(
      toSelection(input) ?? { kind: "session" },
      paths.length > 0 ? { paths } : {},
    );
    return { data: changed, text: describeChanged(changed, stat ?? false) };
  },
};

function describeChanged({ calls, files }: ChangedFiles, isStat: boolean): string {
  if (files.length === 0) return "No files were changed.";
  if (!isStat)
    return files
      .map(({ diff }) => diff)
      .join("")
      .trimEnd();
  return [
    ...files.map(describeFile),
    `${counted(files.length, "path")} changed by ${counted(calls.length, "call")}.`,
  ].join("\n");
}

function describeFile({ path, before, after, diff }: ChangedFile): string {
  const sign = before.kind === "nothing" ? "A" : after.kind === "nothing" ? "D" : "M";
  // The lines before the first hunk are file names, not changes.
  const [, ...lines] = diff
    .split(/^(?=@@ )/m)
    .slice(1)
    .join("")
    .split("\n");
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return `${sign} ${showPath(path)} +${count("+")} -${count("-")}`;
}
