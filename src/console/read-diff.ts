import type { ChangedFile } from "../contract/history.ts";
import type { DiffLine, FileDiff, Hunk } from "./api.ts";

/** Returns the hunks of a changed file, numbered as `journal.undo` takes them. */
export function toFileDiff({ path, before, after, movedFrom, diff }: ChangedFile): FileDiff {
  const kind =
    movedFrom !== undefined
      ? "moved"
      : before.kind === "nothing"
        ? "created"
        : after.kind === "nothing"
          ? "removed"
          : "changed";
  return { path, kind, movedFrom: movedFrom ?? null, ...readHunks(diff) };
}

/**
 * Reads the files of a unified diff, such as the preview of a question. Lines are counted as the headers say, so that no
 * content can look like another file. Returns none for any other text, which is then shown as it is.
 */
export function readDiff(text: string): readonly FileDiff[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const files: FileDiff[] = [];
  for (let at = 0; at < lines.length; ) {
    const [, from] = /^--- (.+)$/.exec(lines[at] ?? "") ?? [];
    const [, to] = /^\+\+\+ (.+)$/.exec(lines[at + 1] ?? "") ?? [];
    if (from === undefined || to === undefined) return [];
    const end = endOfHunks(lines, at + 2);
    if (end === undefined) return [];
    const kind = from === "/dev/null" ? "created" : to === "/dev/null" ? "removed" : "changed";
    // A name with line ends is quoted, and stays so.
    const path = (kind === "removed" ? from : to).replace(/^("?)[ab]\//, "$1");
    files.push({ path, kind, movedFrom: null, ...readHunks(lines.slice(at + 2, end).join("\n")) });
    at = end;
  }
  return files;
}

/**
 * Reads a patch of git: of each file its hunks, or a note in place of them. Only headers of files begin with "diff --git": lines
 * of content have a sign before them.
 */
export function readPatch(text: string): readonly FileDiff[] {
  return text
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith("diff --git "))
    .map((part) => {
      const first = part.search(/^(?:@@ -\d|GIT binary patch$)/m);
      const head = first < 0 ? part : part.slice(0, first);
      const headed = (pattern: RegExp) => pattern.exec(head)?.[1];
      const movedFrom = headed(/^rename from (.+)$/m) ?? null;
      const path =
        headed(/^\+\+\+ "?b\/(.+?)"?$/m) ??
        headed(/^--- "?a\/(.+?)"?$/m) ??
        headed(/^rename to (.+)$/m) ??
        headed(/^diff --git "?a\/.+?"? "?b\/(.+?)"?$/m) ??
        "unknown";
      const isCreated = /^new file mode/m.test(head);
      const kind =
        movedFrom !== null
          ? "moved"
          : isCreated
            ? "created"
            : /^deleted file mode/m.test(head)
              ? "removed"
              : "changed";
      const isBinary = part.startsWith("GIT binary", first) || /^Binary files /m.test(head);
      const hunks = isBinary || first < 0 ? [] : readHunks(part.slice(first)).hunks;
      const note = isBinary
        ? "Binary file"
        : (headed(/^(old mode \d+\nnew mode \d+)$/m)?.replace("\n", ", ") ?? null);
      return { path, kind, movedFrom, note, hunks };
    });
}

/** Returns the index after the hunks that begin here; undefined when there is none, or one is not complete. */
function endOfHunks(lines: readonly string[], first: number): number | undefined {
  let at = first;
  for (;;) {
    const [, old, recent] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(lines[at] ?? "") ?? [];
    if (!lines[at]?.startsWith("@@ -")) return at === first ? undefined : at;
    at += 1;
    let [olds, recents] = [Number(old ?? 1), Number(recent ?? 1)];
    while (olds > 0 || recents > 0 || lines[at]?.startsWith("\\")) {
      const sign = lines[at]?.[0];
      if (sign === " " || sign === "-") olds -= 1;
      if (sign === " " || sign === "+") recents -= 1;
      if (sign === undefined || !" +-\\".includes(sign) || olds < 0 || recents < 0) return undefined;
      at += 1;
    }
  }
}

/** Splits a diff into hunks. The text before the first hunk is a note, without the names of the file. */
function readHunks(diff: string): Pick<FileDiff, "note" | "hunks"> {
  const first = diff.search(/^@@ -\d/m);
  const head = first < 0 ? diff : diff.slice(0, first);
  const parts = first < 0 ? [] : diff.slice(first).split(/^(?=@@ -\d)/m);
  const note = head.replace(/^(?:diff --git|---|\+\+\+) .*\n/gm, "").trim();
  return { note: note === "" ? null : note, hunks: parts.map(readHunk) };
}

function readHunk(text: string, at: number): Hunk {
  const [header = "", ...lines] = text.replace(/\n$/, "").split("\n");
  const [, oldStart, newStart] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header) ?? [];
  const number = Number(/ hunk (\d+)$/.exec(header)?.[1] ?? at + 1);
  return { number, oldStart: Number(oldStart), newStart: Number(newStart), lines: lines.flatMap(toLine) };
}

/** "\ No newline at end of file" is not a line of the file. */
function toLine(line: string): readonly DiffLine[] {
  const kind = line[0] ?? " ";
  return kind === " " || kind === "+" || kind === "-" ? [{ kind, text: line.slice(1) }] : [];
}
