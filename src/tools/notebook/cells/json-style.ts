import type { JsonNode } from "../../../lib/scan-json.ts";

/** How somebody lays out JSON. */
export interface JsonStyle {
  /** What a level is indented by; undefined where all is on one line. */
  readonly indent: string | undefined;
  readonly lineEnd: string;
  readonly colon: string;
  /** Between what shares a line. */
  readonly comma: string;
  /** Other letters are written as \u escapes. */
  readonly isAscii: boolean;
}

/** As Jupyter writes notebooks. */
const jupyterStyle: JsonStyle = { indent: " ", lineEnd: "\n", colon: ": ", comma: ", ", isAscii: false };

/** The style of a text, told from its first members. */
export function styleOf(text: string, root: JsonNode): JsonStyle {
  if (root.kind !== "object" || root.members.length === 0) return jupyterStyle;
  const [first, second] = root.members;
  const before = text.slice(root.start + 1, first!.start);
  const newLine = before.lastIndexOf("\n");
  return {
    indent: newLine === -1 ? undefined : before.slice(newLine + 1),
    lineEnd: before.includes("\r\n") ? "\r\n" : "\n",
    colon: text.slice(first!.keyEnd, first!.value.start),
    comma: newLine === -1 && second ? text.slice(first!.end, second.start) : ", ",
    isAscii: !otherLetters.test(text) && escapedLetters.test(text),
  };
}

const otherLetters = /[^\0-\x7f]/;
const escapedLetters = /(?<!\\)(?:\\\\)*\\u(?:00[89a-f]|0[1-9a-f]|[1-9a-f])/i;

/** A value in that style; `indentation` is that of the line it begins in, undefined where it is to stay on that line. */
export function writeJson(value: unknown, style: JsonStyle, indentation: string | undefined): string {
  if (typeof value === "string") return writeString(value, style);
  if (Array.isArray(value))
    return enclose(
      "[]",
      value.map((item) => writeJson(item, style, deeper(style, indentation))),
      style,
      indentation,
    );
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return enclose(
    "{}",
    Object.entries(value).map(([key, item]) =>
      writeMember(key, writeJson(item, style, deeper(style, indentation)), style),
    ),
    style,
    indentation,
  );
}

export function writeMember(key: string, value: string, style: JsonStyle): string {
  return writeString(key, style) + style.colon + value;
}

/** Parts, written already, in brackets: a line each, or all in one line. */
export function enclose(
  [open, close]: string,
  parts: readonly string[],
  style: JsonStyle,
  indentation: string | undefined,
): string {
  const inner = deeper(style, indentation);
  if (parts.length === 0 || inner === undefined) return `${open}${parts.join(style.comma)}${close}`;
  const { lineEnd } = style;
  const lines = parts.join(`,${lineEnd}${inner}`);
  return `${open}${lineEnd}${inner}${lines}${lineEnd}${indentation}${close}`;
}

export function deeper({ indent }: JsonStyle, indentation: string | undefined): string | undefined {
  return indentation === undefined || indent === undefined ? undefined : indentation + indent;
}

/** What a line is indented by, where nothing else stands before this offset in it. */
export function indentationAt(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return text.lastIndexOf("\n", offset - 1) !== -1 && /^[ \t]*$/.test(before) ? before : undefined;
}

function writeString(text: string, { isAscii }: JsonStyle): string {
  const written = JSON.stringify(text);
  if (!isAscii) return written;
  return written.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
