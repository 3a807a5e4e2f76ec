import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
import { printableLine } from "../lib/text/printable.ts";
import { choicesOf, mayShow, settings } from "./settings.ts";

type Table = Record<string, unknown>;

/**
 * Parses TOML. Throws `invalid-input` with the line and its text, unless that may hold a secret.
 */
export async function parseToml(
  text: string,
  file: string,
  hint = "Fix that line: toolcrib config edit",
): Promise<Table> {
  const { parse } = await import("smol-toml");
  try {
    return parse(text);
  } catch (error) {
    const { line, message } = error as Error & { readonly line?: number };
    const [, what = "invalid TOML"] = /^Invalid TOML document: ([^\n]*)/.exec(message) ?? [];
    const shown = line === undefined ? "" : shownLine(text.split("\n")[line - 1] ?? "");
    throw new ToolError("invalid-input", `${file}${line === undefined ? "" : `:${line}`}: ${what}${shown}`, {
      hint,
    });
  }
}

/** Returns a broken line for a message: as a whole where its value cannot be a secret, else its key. */
function shownLine(row: string): string {
  const [, key, value = ""] = /^\s*([\w.-]+)\s*=\s*(.*)/.exec(row) ?? [];
  if (key === undefined) return "";
  const setting = settings.find((each) => each.key === key || each.key.endsWith(`.${key}`));
  if (!mayShow(setting)) return ` in: ${key} = …`;
  const near = nearest(value.replaceAll(/["'\s]/g, ""), choicesOf(setting!) ?? []);
  const meant = near === undefined ? "" : `; did you mean "${near}"?`;
  return ` in: ${printableLine(`${key} = ${value}`).slice(0, 100)}${meant}`;
}

/** Where a key is in the text. */
interface KeyPosition {
  /** Counts from 1. */
  readonly line: number;
  /** The offsets of a value on one line; undefined for a table header. */
  readonly value?: { readonly start: number; readonly end: number };
}

/**
 * Finds every key and table, by its path: `mode`, `limits.cost`, `hooks.Stop.0.command`. An estimate by lines, for
 * messages and for edits that the parser verifies.
 */
export function keyPositions(text: string): ReadonlyMap<string, KeyPosition> {
  const found = new Map<string, KeyPosition>();
  const counts = new Map<string, number>();
  let table = "";
  let offset = 0;
  let isInText = false;
  for (const [index, row] of text.split("\n").entries()) {
    const line = index + 1;
    const header = /^\s*(\[\[?)\s*([^\]]+?)\s*\]/.exec(row);
    const assignment = /^\s*([\w."'-][\w."' -]*?)\s*=\s*/.exec(row);
    if (isInText) isInText = !/"""|'''/.test(row);
    else if (header) {
      table = plainKey(header[2]!);
      if (header[1] === "[[") {
        const count = counts.get(table) ?? 0;
        counts.set(table, count + 1);
        if (count === 0) found.set(table, { line });
        table = `${table}.${count}`;
      }
      found.set(table, { line });
    } else if (assignment) {
      const key = [table, plainKey(assignment[1]!)].filter(Boolean).join(".");
      const from = assignment[0].length;
      const [written = ""] =
        /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^#\r]*?(?=\s*(?:#|\r?$)))/.exec(row.slice(from)) ?? [];
      const start = offset + from;
      if (!found.has(key)) found.set(key, { line, value: { start, end: start + written.length } });
      isInText = /^(?:"""|''')(?!.*(?:"""|'''))/.test(row.slice(from));
    }
    offset += row.length + 1;
  }
  return found;
}

function plainKey(written: string): string {
  return written.replaceAll(/["'\s]/g, "");
}

/** Returns the line of a key, or of the nearest table around it. */
export function lineOf(positions: ReadonlyMap<string, KeyPosition>, key: string): number | undefined {
  for (let path = key; path !== ""; path = path.slice(0, Math.max(0, path.lastIndexOf(".")))) {
    const position = positions.get(path);
    if (position !== undefined) return position.line;
  }
  return undefined;
}

/**
 * Sets one key, or removes it when the value is undefined. Everything else, comments included, stays the same to the
 * byte. Throws `unsupported` when the text is written in a way that this cannot edit.
 */
export async function setTomlKey(
  text: string,
  key: string,
  value: string | number | undefined,
  file: string,
): Promise<string> {
  const before = await parseToml(text, file);
  const after = edited(text, key, value);
  const wanted = withKey(before, key, value);
  const got = await parseToml(after, file).catch(() => undefined);
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(got ?? null)), JSON.parse(JSON.stringify(wanted))))
    return after;
  throw new ToolError("unsupported", `${key} in ${file} is written in a way that cannot be edited here`, {
    hint: "Change it by hand: toolcrib config edit",
  });
}

function edited(text: string, key: string, value: string | number | undefined): string {
  const positions = keyPositions(text);
  const spot = positions.get(key)?.value;
  const literal = JSON.stringify(value);
  if (value === undefined) {
    if (spot === undefined) return text;
    const start = text.lastIndexOf("\n", spot.start - 1) + 1;
    const end = text.indexOf("\n", spot.end);
    return text.slice(0, start) + (end < 0 ? "" : text.slice(end + 1));
  }
  if (spot !== undefined) return text.slice(0, spot.start) + literal + text.slice(spot.end);
  const dot = key.lastIndexOf(".");
  const table = key.slice(0, Math.max(0, dot));
  const line = `${key.slice(dot + 1)} = ${literal}`;
  const rows = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const header = positions.get(table)?.line;
  const firstTable = rows.findIndex((row) => /^\s*\[/.test(row));
  if (table === "")
    rows.splice(firstTable < 0 ? rows.length : firstTable, 0, line, ...(firstTable < 0 ? [] : [""]));
  else if (header === undefined) rows.push(...(rows.length > 0 ? [""] : []), `[${table}]`, line);
  else rows.splice(header, 0, line);
  return `${rows.join("\n")}\n`;
}

function withKey(table: Table, key: string, value: string | number | undefined): Table {
  const [first = "", ...rest] = key.split(".");
  if (rest.length === 0) {
    const { [first]: _, ...others } = table;
    return value === undefined ? others : { ...table, [first]: value };
  }
  const inner = table[first];
  if (inner === undefined && value === undefined) return table;
  return { ...table, [first]: withKey((inner ?? {}) as Table, rest.join("."), value) };
}
