import { parse } from "smol-toml";
import { ToolError } from "../../../contract/error.ts";
import type { EntryEdit, EntryPlace } from "./configuration.ts";

/** Edits TOML: the entry is a table of its own, what else stands there stays as it is, to the byte. */
export const tomlEntry: EntryEdit = {
  read: (text) => structuredClone(read(text)),
  set: (text, place, value) => {
    const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
    const table = tableOf(place, value).replaceAll("\n", lineEnd);
    const block = blockOf(text, place);
    if (block) return `${text.slice(0, block.start)}${table}${text.slice(block.end)}`;
    const gap = text === "" ? "" : text.endsWith("\n") ? lineEnd : lineEnd + lineEnd;
    return `${text}${gap}${table}${lineEnd}`;
  },
  remove: (text, place) => {
    const block = blockOf(text, place);
    if (!block) return text;
    const before = text.slice(0, block.start).replace(/(^|\n)\r?\n$/, "$1");
    return before + text.slice(block.end).replace(/^\r?\n/, "");
  },
  show: (place, value) => `${tableOf(place, value)}\n`,
};

function tableOf({ servers, name }: EntryPlace, value: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(value).map(([key, item]) => `${keyOf(key)} = ${write(item)}`);
  return [`[${servers}.${keyOf(name)}]`, ...lines].join("\n");
}

function keyOf(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(", ")}]`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, item]) => `${keyOf(key)} = ${write(item)}`);
  return `{ ${fields.join(", ")} }`;
}

/** From the table's header to its last line, with the tables below it; what the parser reads otherwise is found out later. */
function blockOf(
  text: string,
  { servers, name }: EntryPlace,
): { readonly start: number; readonly end: number } | undefined {
  const key = (word: string) => `(?:${word}|"${word}"|'${word}')`.replaceAll("-", "\\-");
  const own = new RegExp(`^[ \\t]*\\[[ \\t]*${key(servers)}[ \\t]*\\.[ \\t]*${key(name)}[ \\t]*[\\].]`);
  const lines = [...text.matchAll(/[^\n]*\n?/g)].filter(([line]) => line !== "");
  const first = lines.findIndex(([line]) => own.test(line));
  if (first < 0) return undefined;
  const next = lines.findIndex(([line], index) => index > first && /^[ \t]*\[/.test(line) && !own.test(line));
  const within = lines.slice(first, next < 0 ? undefined : next);
  const last = within.findLast(([line]) => !/^\s*(?:#|$)/.test(line))!;
  return { start: lines[first]!.index, end: last.index + last[0].replace(/\r?\n$/, "").length };
}

function read(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch (error) {
    const { line, message } = error as Error & { readonly line?: number };
    const [, what = message] = /^Invalid TOML document: (.*)/.exec(message) ?? [];
    throw new ToolError("invalid-input", line === undefined ? what : `line ${line}: ${what}`);
  }
}
