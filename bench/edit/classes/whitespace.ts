import { replaceLines } from "../document.ts";
import { type Damage, type Draft, damagedClass, type TaskClass } from "../draft.ts";
import { endOf, type Hunk, type HunkLine, isRepeated, mapLines, positions } from "../hunk.ts";

/** Damage in the call, unless the name of the class says otherwise. */
export const addTrailingBlanks: Damage = (draft, random) => {
  if (changesBlanksOnly(draft)) return undefined;
  return changeSome(draft, (line) =>
    line.kind === "add" || random.fraction() < 0.5
      ? line.text
      : line.text + random.pick([" ", "  ", "\t", "    "]),
  );
};

const fileHasTrailingBlanks: Damage = (draft, random) => {
  if (changesBlanksOnly(draft)) return undefined;
  const lines = new Map<number, string>();
  for (const hunk of draft.hunks) {
    const at = positions(hunk);
    hunk.lines.forEach((line, index) => {
      // An edit that changes its last line has no information about the next one.
      const isOpen = draft.form === "edit" && line.kind === "remove" && at[index] === endOf(hunk) - 1;
      if (line.kind === "add" || isOpen || isRepeated(hunk, line) || random.fraction() < 0.5) return;
      lines.set(at[index]!, line.text + random.pick([" ", "  ", "\t"]));
    });
  }
  return lines.size === 0 ? undefined : { ...draft, document: replaceLines(draft.document, lines) };
};

export const tabsForSpaces: Damage = (draft) => {
  const unit = [4, 2, 8].find((width) =>
    everyIndentation(draft, (indent) => /^ *$/.test(indent) && indent.length % width === 0),
  );
  if (unit === undefined || !showsIndentation(draft)) return undefined;
  return reindent(draft, (indent) => "\t".repeat(indent.length / unit));
};

export const spacesForTabs: Damage = (draft, random) => {
  if (!everyIndentation(draft, (indent) => /^\t*$/.test(indent)) || !showsIndentation(draft))
    return undefined;
  const width = random.pick([2, 4, 4, 8]);
  return reindent(draft, (indent) => " ".repeat(indent.length * width));
};

/** Four columns per level where the file has two, or the reverse. Two levels show which it is; one would not. */
const otherIndentationWidth: Damage = (draft) => {
  if (changesBlanksOnly(draft)) return undefined;
  const unit = [4, 2].find((width) =>
    everyIndentation(draft, (indent) => /^ *$/.test(indent) && indent.length % width === 0),
  );
  if (unit === undefined) return undefined;
  const enough = draft.hunks.every((hunk) => {
    const shown = indentations(hunk, ({ kind }) => kind !== "add");
    const levels = new Set(shown.map(({ length }) => length));
    const added = indentations(hunk, ({ kind }) => kind === "add").map(({ length }) => length);
    return levels.size > 1 || added.every((length) => levels.has(length));
  });
  if (!enough || !showsIndentation(draft)) return undefined;
  const factor = unit === 4 ? 0.5 : 2;
  return reindent(draft, (indent) => " ".repeat(indent.length * factor));
};

export const shiftRight: Damage = (draft, random) => {
  const usesTabs = draft.hunks.some((hunk) => indentations(hunk).some((indent) => indent.startsWith("\t")));
  const step = usesTabs ? "\t" : random.pick(["  ", "    ", " ", "      "]);
  return reindent(draft, (indent) => step + indent);
};

const shiftLeft: Damage = (draft, random) => {
  const step = ["\t", "    ", "  "].find((each) =>
    everyIndentation(draft, (indent) => indent.startsWith(each)),
  );
  if (step === undefined) return undefined;
  const width = step.length > 2 && random.fraction() < 0.5 ? 2 : step.length;
  return reindent(draft, (indent) => indent.slice(width));
};

export const toTheMargin: Damage = (draft) => {
  const hunks = draft.hunks.map((hunk) => {
    const [first = "", ...others] = indentations(hunk);
    let common = first;
    while (!others.every((indent) => indent.startsWith(common))) common = common.slice(0, -1);
    return mapLines(hunk, ({ text }) => (text.trim() === "" ? text : text.slice(common.length)));
  });
  return changed(draft, hunks);
};

export const whitespaceClasses: readonly TaskClass[] = [
  damagedClass({ kind: "trailing blanks in the call", damage: [addTrailingBlanks] }),
  damagedClass({ kind: "trailing blanks in the file", damage: [fileHasTrailingBlanks] }),
  damagedClass({ kind: "tabs for spaces", damage: [tabsForSpaces] }),
  damagedClass({ kind: "spaces for tabs", damage: [spacesForTabs] }),
  damagedClass({ kind: "another indentation width", damage: [otherIndentationWidth] }),
  damagedClass({ kind: "block shifted right", damage: [shiftRight] }),
  damagedClass({ kind: "block shifted left", damage: [shiftLeft] }),
  damagedClass({ kind: "block moved to the margin", damage: [toTheMargin] }),
];

/** Changes the texts of lines; returns undefined when no line changes. */
export function changeSome(
  draft: Draft,
  change: (line: HunkLine, position: number) => string,
): Draft | undefined {
  return changed(
    draft,
    draft.hunks.map((hunk) => mapLines(hunk, change)),
  );
}

function changed(draft: Draft, hunks: readonly Hunk[]): Draft | undefined {
  const isSame = hunks.every((hunk, index) =>
    hunk.lines.every((line, at) => line.text === draft.hunks[index]!.lines[at]!.text || line.kind === "add"),
  );
  return isSame ? undefined : { ...draft, hunks };
}

function reindent(draft: Draft, change: (indent: string) => string): Draft | undefined {
  return changeSome(draft, ({ text }) => {
    if (text.trim() === "") return text;
    const indent = indentOf(text);
    return change(indent) + text.slice(indent.length);
  });
}

export function indentOf(text: string): string {
  return /^[ \t]*/.exec(text)![0];
}

function indentations(hunk: Hunk, isWanted: (line: HunkLine) => boolean = () => true): string[] {
  return hunk.lines
    .filter((line) => line.text.trim() !== "" && isWanted(line))
    .map(({ text }) => indentOf(text));
}

function everyIndentation({ hunks }: Draft, test: (indent: string) => boolean): boolean {
  return hunks.every((hunk) => indentations(hunk).every(test));
}

/** Each hunk has an old line that shows the indentation of the file. */
function showsIndentation({ hunks }: Draft): boolean {
  return hunks.every((hunk) =>
    indentations(hunk, ({ kind }) => kind !== "add").some((indent) => indent !== ""),
  );
}

/** A change of only blanks cannot be distinguished from damaged blanks. */
function changesBlanksOnly({ changes }: Pick<Draft, "changes">): boolean {
  const squeeze = (line: string) => line.replace(/\s/g, "");
  return changes.some(({ removed, added }) => {
    const gone = new Set(removed.map(squeeze));
    return added.some((line) => gone.has(squeeze(line)));
  });
}
