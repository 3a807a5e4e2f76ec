import type { Document } from "./document.ts";
import { type Hunk, newLines, oldLines } from "./hunk.ts";
import type { Call, Form } from "./task.ts";

/** Writes hunks as a careful model would. */
export function writeCall(form: Form, path: string, document: Document, hunks: readonly Hunk[]): Call {
  switch (form) {
    case "edit":
      return { form, path, edits: hunks.map(editOf) };
    case "v4a":
      return { form, text: envelope(v4aSection(path, hunks)) };
    case "udiff":
      return { form, text: udiffSection(path, document, hunks) };
  }
}

export function editOf(hunk: Hunk): { find: string; replace: string } {
  return { find: oldLines(hunk).join("\n"), replace: newLines(hunk).join("\n") };
}

export function envelope(sections: string): string {
  return `*** Begin Patch\n${sections}*** End Patch\n`;
}

export function v4aSection(
  path: string,
  hunks: readonly Hunk[],
  headers: readonly (readonly string[])[] = [],
): string {
  const parts = hunks.map((hunk, index) =>
    [...(headers[index] ?? [""]).map((header) => `@@ ${header}`.trimEnd()), ...hunk.lines.map(marked)].join(
      "\n",
    ),
  );
  return `*** Update File: ${path}\n${parts.join("\n")}\n`;
}

export function udiffSection(path: string, document: Document, hunks: readonly Hunk[]): string {
  return `--- a/${path}\n+++ b/${path}\n${udiffHunks(document, hunks)}`;
}

export function udiffHunks(document: Document, hunks: readonly Hunk[]): string {
  let shift = 0;
  const parts = hunks.map((hunk) => {
    const before = oldLines(hunk).length;
    const after = newLines(hunk).length;
    const numbers = `@@ -${hunk.at + 1},${before} +${hunk.at + 1 + shift},${after} @@`;
    shift += after - before;
    return [numbers, ...withEndMarks(document, hunk)].join("\n");
  });
  return `${parts.join("\n")}\n`;
}

const marks = { keep: " ", remove: "-", add: "+" } as const;

function marked({ kind, text }: Hunk["lines"][number]): string {
  return marks[kind] + text;
}

/** A diff notes after the last line of either side that no line end follows. */
function withEndMarks(document: Document, hunk: Hunk): string[] {
  const reachesEnd = hunk.at + oldLines(hunk).length === document.lines.length;
  if (!reachesEnd || document.ends.at(-1) !== "") return hunk.lines.map(marked);
  const lastOld = hunk.lines.findLastIndex(({ kind }) => kind !== "add");
  const lastNew = hunk.lines.findLastIndex(({ kind }) => kind !== "remove");
  return hunk.lines.flatMap((line, index) =>
    index === lastOld || index === lastNew ? [marked(line), "\\ No newline at end of file"] : [marked(line)],
  );
}
