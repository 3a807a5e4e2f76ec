import { scanJson } from "../../../lib/json/scan-json.ts";
import {
  byteOrderMarkLength,
  decodeText,
  detectEncoding,
  detectionBytes,
} from "../../../lib/text/encoding.ts";
import { damaged } from "../../reader.ts";

/** A notebook of any version, in the structure of version 4. */
export interface Notebook {
  readonly version: string;
  readonly language: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly cells: readonly Cell[];
}

export interface Cell {
  readonly kind: string;
  readonly id: string | undefined;
  readonly source: string;
  /** The execution count that Jupyter shows next to the code. */
  readonly executionCount: number | undefined;
  readonly outputs: readonly Output[];
  /** Pictures by name. */
  readonly attachments: Members;
}

export type Output =
  | { readonly kind: "stream"; readonly name: string; readonly text: string }
  /** One result by media type. `count`: the execution count of its cell. */
  | { readonly kind: "data"; readonly data: Members; readonly count: number | undefined }
  | { readonly kind: "error"; readonly name: string; readonly value: string; readonly traceback: string };

/** Parses a notebook. Throws `unsupported` for any other file. */
export function readNotebookBytes(bytes: Uint8Array, name: string): Notebook {
  const head = bytes.subarray(0, detectionBytes);
  const encoding = detectEncoding(head, { complete: head.length === bytes.length });
  if (encoding === "binary") throw damaged(name, "it is not text");
  const { text } = decodeText(bytes.subarray(byteOrderMarkLength(bytes)), encoding);
  const root = membersOf(parse(text, name));
  const { nbformat, nbformat_minor: minor } = root;
  if (typeof nbformat !== "number") throw damaged(name, 'it has no "nbformat", as notebooks have');
  const worksheets = listOf(root.worksheets).flatMap((sheet) => listOf(membersOf(sheet).cells));
  const cells = Array.isArray(root.cells) ? root.cells : worksheets;
  if (!Array.isArray(root.cells) && !Array.isArray(root.worksheets)) throw damaged(name, "it has no cells");
  const metadata = membersOf(root.metadata);
  return {
    version: typeof minor === "number" ? `${nbformat}.${minor}` : String(nbformat),
    language: languageOf(metadata, cells),
    properties: propertiesOf(metadata),
    cells: cells.map((cell) => cellOf(membersOf(cell))),
  };
}

/** Parses JSON. For invalid JSON, scanJson throws an error with its position, which JSON.parse does not report. */
function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    scanJson(text, name);
    throw damaged(name, "it is not valid JSON");
  }
}

function languageOf(metadata: Members, cells: readonly unknown[]): string {
  const names = [
    membersOf(metadata.language_info).name,
    membersOf(metadata.kernelspec).language,
    ...cells.slice(0, 20).map((cell) => membersOf(cell).language),
  ];
  const language = names.find((name) => typeof name === "string" && name !== "");
  return typeof language === "string" && /^[\w+#.-]{1,30}$/.test(language) ? language : "";
}

function propertiesOf(metadata: Members): Readonly<Record<string, string>> {
  const kernel = membersOf(metadata.kernelspec);
  const language = membersOf(metadata.language_info);
  const authors = listOf(metadata.authors).map((author) => textOf(membersOf(author).name));
  const properties = {
    title: textOf(metadata.title) || textOf(metadata.name),
    authors: authors.filter((author) => author !== "").join(", "),
    kernel: textOf(kernel.display_name) || textOf(kernel.name),
    language: [textOf(language.name), textOf(language.version)].filter((part) => part !== "").join(" "),
  };
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== ""));
}

/** Converts a cell. Version 3 has heading cells, `input` for the source and `prompt_number` for the count. */
function cellOf(cell: Members): Cell {
  const count = cell.execution_count ?? cell.prompt_number;
  const isHeading = cell.cell_type === "heading";
  const level = typeof cell.level === "number" ? Math.min(6, Math.max(1, Math.trunc(cell.level))) : 1;
  const source = textOf(cell.source ?? cell.input);
  return {
    kind: isHeading ? "markdown" : textOf(cell.cell_type) || "unknown",
    id: textOf(cell.id) || undefined,
    source: isHeading ? `${"#".repeat(level)} ${source}` : source,
    executionCount: typeof count === "number" ? count : undefined,
    outputs: joinStreams(listOf(cell.outputs).map((output) => outputOf(membersOf(output)))),
    attachments: membersOf(cell.attachments),
  };
}

function outputOf(output: Members): Output {
  switch (output.output_type) {
    case "stream":
      return {
        kind: "stream",
        name: textOf(output.name ?? output.stream) || "stdout",
        text: textOf(output.text),
      };
    case "error":
    case "pyerr":
      return {
        kind: "error",
        name: textOf(output.ename),
        value: textOf(output.evalue),
        traceback: listOf(output.traceback).map(textOf).join("\n"),
      };
    default: {
      const count = output.execution_count ?? output.prompt_number;
      const isResult = output.output_type === "execute_result" || output.output_type === "pyout";
      const data = "data" in output ? membersOf(output.data) : oldData(output);
      return { kind: "data", data, count: isResult && typeof count === "number" ? count : undefined };
    }
  }
}

/** Collects the formats of an output of version 3, where they are its members, with short names. */
function oldData(output: Members): Members {
  return Object.fromEntries(
    Object.entries(shortNames).flatMap(([name, mediaType]) =>
      name in output ? [[mediaType, output[name]]] : [],
    ),
  );
}

const shortNames: Readonly<Record<string, string>> = {
  text: "text/plain",
  html: "text/html",
  latex: "text/latex",
  svg: "image/svg+xml",
  png: "image/png",
  jpeg: "image/jpeg",
  json: "application/json",
  javascript: "application/javascript",
};

/** Joins consecutive pieces of one stream. */
function joinStreams(outputs: readonly Output[]): readonly Output[] {
  const joined: Output[] = [];
  for (const output of outputs) {
    const last = joined.at(-1);
    if (output.kind === "stream" && last?.kind === "stream" && last.name === output.name)
      joined[joined.length - 1] = { ...last, text: last.text + output.text };
    else joined.push(output);
  }
  return joined;
}

export type Members = Readonly<Record<string, unknown>>;

/** Returns the members of an object; {} for any other value. */
export function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a text, which is stored as a string or as a list of lines. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return listOf(value)
    .filter((line) => typeof line === "string")
    .join("");
}
