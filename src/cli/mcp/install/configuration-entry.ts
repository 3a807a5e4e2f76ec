import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { parse } from "smol-toml";
import { ToolError } from "../../../contract/error.ts";
import type { EntryEdit, EntryKey } from "./configuration.ts";

/** Edits JSON with comments. Everything except the entry stays the same, to the byte. */
export const jsonEntry: EntryEdit = {
  read: (text) => {
    const root = rootOf(text);
    return root ? (readNode(root) as Readonly<Record<string, unknown>>) : {};
  },
  set: (text, { servers, name }, value) => {
    const style = styleOf(text);
    const root = rootOf(text);
    if (root === undefined)
      return `${text}${writeJson({ [servers]: { [name]: value } }, "", style)}${style.lineEnd}`;
    const container = valueAt(root, servers);
    if (container === undefined) return insertFirst(text, root, servers, { [name]: value }, style);
    const present = valueAt(objectAt(container, servers), name);
    if (present === undefined) return insertFirst(text, container, name, value, style);
    const { offset, length } = present;
    const isOnOneLine = !text.slice(offset, offset + length).includes("\n");
    const written = isOnOneLine ? JSON.stringify(value) : writeJson(value, indentAt(text, offset), style);
    return text.slice(0, offset) + written + text.slice(offset + length);
  },
  remove: (text, { servers, name }) => {
    const container = valueAt(rootOf(text), servers);
    const properties = container?.children ?? [];
    const index = properties.findIndex((property) => jsonKey(property) === name);
    const property = properties[index];
    if (property === undefined) return text;
    const end = property.offset + property.length;
    const [space = ""] = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, property.offset)) ?? [];
    const start = property.offset - space.length;
    const comma = nextComma(text, end);
    // Removes the whole line, or the space after an entry that shares its line.
    if (comma !== undefined && space.includes("\n")) return text.slice(0, start) + text.slice(comma + 1);
    if (comma !== undefined)
      return text.slice(0, property.offset) + text.slice(comma + 1).replace(/^[ \t]+/, "");
    const before = properties[index - 1];
    if (before === undefined) return text.slice(0, start) + text.slice(end);
    const separator = nextComma(text, before.offset + before.length)!;
    return text.slice(0, separator) + text.slice(separator + 1, start) + text.slice(end);
  },
  show: ({ servers, name }, value) => `${JSON.stringify({ [servers]: { [name]: value } }, undefined, 2)}\n`,
};

interface Style {
  readonly indent: string;
  readonly lineEnd: string;
}

function styleOf(text: string): Style {
  return {
    indent: /^([ \t]+)["/]/m.exec(text)?.[1] ?? "  ",
    lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

function writeJson(value: unknown, base: string, { indent, lineEnd }: Style): string {
  return JSON.stringify(value, undefined, indent).replaceAll("\n", `${lineEnd}${base}`);
}

/** Inserts a property at the beginning of an object, where no comma or comment is in the way. */
function insertFirst(text: string, object: Node, key: string, value: unknown, style: Style): string {
  const [first] = object.children ?? [];
  const open = object.offset + 1;
  const close = object.offset + object.length - 1;
  const isOnOneLine = !text.slice(open, first?.offset ?? close).includes("\n");
  if (first && isOnOneLine) {
    const written = `${JSON.stringify(key)}: ${JSON.stringify(value)}, `;
    return text.slice(0, first.offset) + written + text.slice(first.offset);
  }
  const base = indentAt(text, object.offset);
  const within = `${base}${style.indent}`;
  const property = `${style.lineEnd}${within}${JSON.stringify(key)}: ${writeJson(value, within, style)}`;
  const after = first ? "," : isOnOneLine ? `${style.lineEnd}${base}` : "";
  return text.slice(0, open) + property + after + text.slice(open);
}

/** Returns the indentation of the line at an offset. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
}

/** Returns the offset of the next comma that follows only space and comments. */
function nextComma(text: string, offset: number): number | undefined {
  const between = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(offset))?.[0].length ?? 0;
  return text[offset + between] === "," ? offset + between : undefined;
}

/** Parses a text. Returns undefined for an empty text. */
function rootOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    throw new ToolError("invalid-input", `line ${line}: ${printParseErrorCode(error.error)}`);
  }
  return root && objectAt(root, "the top level");
}

function objectAt(node: Node, name: string): Node {
  if (node.type === "object") return node;
  throw new ToolError("invalid-input", `${name} is not an object`);
}

function valueAt(object: Node | undefined, key: string): Node | undefined {
  const found = object?.children?.filter((property) => jsonKey(property) === key) ?? [];
  if (found.length > 1) throw new ToolError("invalid-input", `"${key}" occurs twice`);
  return found[0]?.children?.[1];
}

function jsonKey({ children }: Node): unknown {
  return children?.[0]?.value;
}

function readNode(node: Node): unknown {
  const { type, children = [], value } = node;
  if (type === "array") return children.map(readNode);
  if (type !== "object") return value;
  return Object.fromEntries(
    children.map(({ children: [key, item] = [] }) => [key?.value, item && readNode(item)]),
  );
}

/** Edits TOML, in which the entry is a table. Everything else stays the same, to the byte. */
export const tomlEntry: EntryEdit = {
  read: (text) => structuredClone(read(text)),
  set: (text, key, value) => {
    const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
    const table = tableOf(key, value).replaceAll("\n", lineEnd);
    const block = blockOf(text, key);
    if (block) return `${text.slice(0, block.start)}${table}${text.slice(block.end)}`;
    const gap = text === "" ? "" : text.endsWith("\n") ? lineEnd : lineEnd + lineEnd;
    return `${text}${gap}${table}${lineEnd}`;
  },
  remove: (text, key) => {
    const block = blockOf(text, key);
    if (!block) return text;
    const before = text.slice(0, block.start).replace(/(^|\n)\r?\n$/, "$1");
    return before + text.slice(block.end).replace(/^\r?\n/, "");
  },
  show: (key, value) => `${tableOf(key, value)}\n`,
};

function tableOf({ servers, name }: EntryKey, value: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(value).map(([key, item]) => `${tomlKey(key)} = ${writeToml(item)}`);
  return [`[${servers}.${tomlKey(name)}]`, ...lines].join("\n");
}

function tomlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

function writeToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeToml).join(", ")}]`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, item]) => `${tomlKey(key)} = ${writeToml(item)}`);
  return `{ ${fields.join(", ")} }`;
}

/**
 * Finds a table with its subtables, from its header to its last line. The caller verifies the result with the parser.
 */
function blockOf(
  text: string,
  { servers, name }: EntryKey,
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
