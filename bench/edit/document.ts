/**
 * A text file: lines without their ends, and the end of each. The last end is empty when the file has no final line
 * end.
 */
export interface Document {
  readonly lines: readonly string[];
  readonly ends: readonly string[];
  readonly encoding: Encoding;
}

export type Encoding =
  | "utf-8"
  | "utf-8 with mark"
  | "utf-8 with a broken byte"
  | "utf-16le"
  | "utf-16le with mark"
  | "utf-16be with mark"
  | "latin1";

/** Lines of a document that are replaced. Positions are those in the unchanged document. */
export interface Change {
  readonly at: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Represents a byte that is not UTF-8 by a private character, so that it can be searched like others. */
export const brokenByte = "\uf8f0";

export function parseDocument(text: string): Document {
  const lines = text.split("\n");
  const endsLine = lines.at(-1) === "";
  if (endsLine) lines.pop();
  const ends = lines.map((_, index) => (index === lines.length - 1 && !endsLine ? "" : "\n"));
  return { lines, ends, encoding: "utf-8" };
}

/** Returns the text with plain line ends, as calls contain it. */
export function textOf({ lines, ends }: Document): string {
  return lines.join("\n") + (ends.at(-1) === "" ? "" : "\n");
}

export function encodeDocument({ lines, ends, encoding }: Document): Buffer {
  const text = lines.map((line, index) => line + ends[index]).join("");
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text);
    case "utf-8 with mark":
      return Buffer.from(`\ufeff${text}`);
    case "utf-8 with a broken byte":
      return Buffer.concat(
        text
          .split(brokenByte)
          .flatMap((part, index) => [...(index ? [Buffer.of(0xff)] : []), Buffer.from(part)]),
      );
    case "utf-16le":
      return Buffer.from(text, "utf16le");
    case "utf-16le with mark":
      return Buffer.from(`\ufeff${text}`, "utf16le");
    case "utf-16be with mark":
      return Buffer.from(`\ufeff${text}`, "utf16le").swap16();
    case "latin1":
      return Buffer.from(text, "latin1");
  }
}

/** Returns the changed document. New lines get the file's line ends, and the end of the file stays unchanged. */
export function applyChanges(document: Document, changes: readonly Change[]): Document {
  let lines: string[] = [];
  let ends: string[] = [];
  let next = 0;
  const add = (moreLines: readonly string[], moreEnds: readonly string[]) => {
    lines = lines.concat(moreLines);
    ends = ends.concat(moreEnds);
  };
  const keepUntil = (stop: number) => add(document.lines.slice(next, stop), document.ends.slice(next, stop));
  const usualEnd = document.ends[0] || "\n";
  for (const { at, removed, added } of changes) {
    keepUntil(at);
    const isPaired = removed.length === added.length;
    add(
      added,
      added.map((_, index) => (isPaired ? document.ends[at + index]! : usualEnd)),
    );
    next = at + removed.length;
  }
  keepUntil(document.lines.length);
  const last = lines.length - 1;
  const endsLine = document.ends.at(-1) !== "";
  return {
    ...document,
    lines,
    ends: ends.map((end, index) => (index === last ? (endsLine ? end || usualEnd : "") : end || usualEnd)),
  };
}

/** Changes single lines of a document without changing their number. */
export function replaceLines(document: Document, replace: ReadonlyMap<number, string>): Document {
  return { ...document, lines: document.lines.map((line, index) => replace.get(index) ?? line) };
}
