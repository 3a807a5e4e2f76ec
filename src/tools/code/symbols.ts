import * as z from "zod/mini";
import { headOf } from "../../code/blocks/describe-block.ts";
import { isCalled } from "../../code/blocks/kind-words.ts";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { FileFilter } from "../../files/file-filter.ts";
import { listFiles } from "../../files/list-files.ts";
import { RefusedPath } from "../../lib/refused-path.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine, showPath } from "../../lib/text/printable.ts";
import { amount, string } from "../fields.ts";
import { findScope } from "../search/scope.ts";
import { readCode } from "./code-file.ts";

export interface SymbolsData {
  /** The files, ordered by path. A folder lists only files with results. */
  readonly files: readonly FileSymbols[];
  /** The offset of the next call; undefined when there are no more. */
  readonly nextOffset: number | undefined;
  /** The skipped files of a folder, by reason. */
  readonly skipped: FolderSymbols["skipped"];
}

interface FileSymbols {
  readonly path: string;
  readonly language: string;
  /** The number of syntax errors. Symbols near one may be missing. */
  readonly faults: number;
  readonly symbols: readonly ListedSymbol[];
}

interface ListedSymbol
  extends Pick<CodeSymbol, "kind" | "name" | "firstLine" | "lastLine" | "line" | "signature" | "doc"> {
  readonly depth: number;
}

const input = z.strictObject({
  path: string("Default: the workspace."),
  kind: string('"function", "class" ...'),
  name: string("Substring of the name."),
  depth: z.optional(z.int().check(z.minimum(1), z.describe("Maximum nesting depth."))),
  offset: z.optional(z.int().check(z.minimum(0), z.describe("Number of symbols to skip."))),
  limit: amount(1, 5_000, "Default 500."),
});

export type SymbolsInput = z.infer<typeof input>;

export const codeSymbols: Tool<SymbolsInput, SymbolsData> = {
  name: "code.symbols",
  description:
    "List the symbols of a file (functions, classes, headings, keys) with lines and signatures, or the top level of every file in a folder. Read one with code.read_symbol.",
  risk: "read",
  input,
  limits: { maxChars: 30_000, keep: "head" },
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  async run(input, context) {
    const { path = ".", offset = 0, limit = 500 } = input;
    const scope = await findScope(context.environment, path);
    if (scope.kind === "directory")
      return folderAnswer(path, await symbolsInFolder(scope.path, input, context));
    const { outline } = await readCode(path, context);
    const all = chooseSymbols(outline, input);
    const shown = all.slice(offset, offset + limit);
    const nextOffset = offset + shown.length < all.length ? offset + shown.length : undefined;
    const file = fileSymbols(path, outline.language, outline.faults.length, shown);
    const [fault] = outline.faults;
    const broken = fault
      ? [
          `(Does not parse, first at line ${fault.line}: ${fault.message}. Symbols near that line may be missing.)`,
        ]
      : [];
    const none =
      outline.symbols.length === 0
        ? `${path} declares no symbols known for ${outline.language}.`
        : `${path} has no such symbols.`;
    const text = [...(shown.length === 0 ? [none] : shown.map(showSymbol)), ...broken].join("\n");
    return {
      data: { files: [file], nextOffset, skipped: { guarded: [], unreadable: [], tooLarge: [] } },
      text,
      continuation:
        nextOffset === undefined
          ? undefined
          : `${all.length - nextOffset} more symbols: continue with offset ${nextOffset}.`,
    };
  },
};

function folderAnswer(path: string, folder: FolderSymbols): ToolOutput<SymbolsData> {
  const { files, total, nextOffset, skipped } = folder;
  const shown = files.map(({ path: name, listed, hidden, faults }) =>
    [
      `${showPath(name)}${faults > 0 ? " (does not parse)" : ""}`,
      ...listed.map((each) => `  ${showSymbol(each)}`),
      ...(hidden > 0 ? [`  … ${counted(hidden, "more symbol")}: list this file alone to see them`] : []),
    ].join("\n"),
  );
  const none = `No symbols were found in ${path}, which has ${counted(total, "file")}.`;
  return {
    data: {
      files: files.map(({ path: name, language, faults, listed }) =>
        fileSymbols(name, language, faults, listed),
      ),
      nextOffset,
      skipped,
    },
    text: [...(shown.length === 0 && nextOffset === undefined ? [none] : shown), ...notesOn(skipped)].join(
      "\n",
    ),
    continuation:
      nextOffset === undefined
        ? undefined
        : `${nextOffset} of ${total} files were read: continue with offset ${nextOffset}.`,
  };
}

function notesOn({ guarded, unreadable, tooLarge }: FolderSymbols["skipped"]): readonly string[] {
  const note = (paths: readonly string[], why: string) =>
    paths.length === 0
      ? []
      : [
          `(${why}: ${paths.slice(0, 5).map(showPath).join(", ")}${paths.length > 5 ? `, ${paths.length - 5} more` : ""})`,
        ];
  return [
    ...note(guarded, "Not read, because rules hide them"),
    ...note(unreadable, "Could not be read"),
    ...note(tooLarge, "Skipped because too large; give one as path to list it"),
  ];
}

function fileSymbols(path: string, language: string, faults: number, listed: readonly Listed[]): FileSymbols {
  const symbols = listed.map(({ symbol, depth }) => {
    const { kind, name, firstLine, lastLine, line, signature, doc } = symbol;
    return { kind, name, firstLine, lastLine, line, signature, doc, depth };
  });
  return { path, language, faults, symbols };
}

interface FolderSymbols {
  readonly files: readonly FolderFile[];
  /** The number of files in the folder. */
  readonly total: number;
  /** The index of the file to continue with; undefined when all were read. */
  readonly nextOffset: number | undefined;
  readonly skipped: {
    /** Files that rules hide. */
    readonly guarded: readonly string[];
    readonly unreadable: readonly string[];
    readonly tooLarge: readonly string[];
  };
}

interface FolderFile {
  readonly path: string;
  readonly language: string;
  readonly faults: number;
  readonly listed: readonly Listed[];
  /** The number of symbols that are not listed. */
  readonly hidden: number;
}

/** Reads the files that search.grep would search, ordered by path, until enough symbols are found. */
async function symbolsInFolder(
  directory: string,
  { depth = 1, offset = 0, limit = 500, ...chosen }: SymbolsInput,
  context: ToolContext,
): Promise<FolderSymbols> {
  const wanted = { directory, filter: new FileFilter({ globs: [] }), hidden: false, ignoreFiles: true };
  const paths = [...(await listFiles(wanted, context)).paths].sort();
  const files: FolderFile[] = [];
  const skipped = { guarded: [] as string[], unreadable: [] as string[], tooLarge: [] as string[] };
  let found = 0;
  let next = offset;
  for (; next < paths.length && found < limit && next < offset + maxFiles; next += 1) {
    const path = paths[next]!;
    if (next % 50 === 0) context.progress(`${next} of ${paths.length} files`);
    try {
      const { outline } = await readCode(path, context, maxBytes);
      const all = chooseSymbols(outline, { ...chosen, depth });
      const listed = all.slice(0, Math.max(1, limit - found));
      found += listed.length;
      if (listed.length === 0) continue;
      const { language, faults } = outline;
      files.push({ path, language, faults: faults.length, listed, hidden: all.length - listed.length });
    } catch (error) {
      if (!(error instanceof ToolError) || context.signal.aborted) throw error;
      if (error instanceof RefusedPath) skipped.guarded.push(path);
      else if (error.code === "too-large") skipped.tooLarge.push(path);
      // A file without a grammar declares no symbols, and a missing file is not reported.
      else if (error.code !== "unsupported" && error.code !== "not-found") skipped.unreadable.push(path);
    }
  }
  return { files, total: paths.length, nextOffset: next < paths.length ? next : undefined, skipped };
}

/** Every listed file is parsed, so more files would take too long for one answer. */
const maxFiles = 2_000;

/** A larger file is usually data or generated code. */
const maxBytes = 1024 * 1024;

interface Listed {
  readonly symbol: CodeSymbol;
  /** The nesting depth, 1 at the top level. */
  readonly depth: number;
}

/** Returns the selected symbols of an outline, in file order. */
function chooseSymbols({ symbols }: Outline, { kind, name, depth: most }: SymbolsInput): readonly Listed[] {
  const depths: number[] = [];
  const listed: Listed[] = [];
  for (const symbol of symbols) {
    const parent = symbol.parent === undefined ? undefined : symbols[symbol.parent];
    const depth = symbol.parent === undefined ? 1 : depths[symbol.parent]! + 1;
    depths.push(depth);
    if (most !== undefined && depth > most) continue;
    if (kind !== undefined && kind !== "" && !isCalled(kind, symbol, parent)) continue;
    if (name !== undefined && !symbol.name.toLowerCase().includes(name.toLowerCase())) continue;
    listed.push({ symbol, depth });
  }
  return listed;
}

/** Shows `Kind name [start-end]`, indented by depth, then the signature and the first sentence of the documentation. */
function showSymbol({ symbol, depth }: Listed): string {
  const { signature, doc } = symbol;
  const head = addsDetail(symbol) ? `: ${cut(signature, 160)}` : "";
  return `${"  ".repeat(depth - 1)}${headOf(symbol)}${head}${doc === undefined || doc === "" ? "" : ` — ${cut(doc, 120)}`}`;
}

/** Returns whether the signature adds to kind and name. A single word before the name is usually the kind. */
function addsDetail({ name, signature }: CodeSymbol): boolean {
  const [before, after] = signature.split(name, 2);
  if (after === undefined) return signature !== "";
  return (
    /\w\s+\w/.test(before!) ||
    !/^["'\s{:;,()]*$/.test(after + signature.slice(before!.length + name.length + after.length))
  );
}

function cut(text: string, most: number): string {
  const line = printableLine(text.replace(/\s+/g, " "));
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
