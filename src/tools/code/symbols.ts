import * as z from "zod/mini";
import type { CodeSymbol } from "../../contract/code.ts";
import type { Tool, ToolOutput } from "../../contract/tool.ts";
import { counted } from "../../lib/counted.ts";
import { showPath } from "../../lib/show-path.ts";
import { findScope } from "../search/scope.ts";
import { readCode } from "./code-file.ts";
import { type FolderSymbols, symbolsInFolder } from "./folder-symbols.ts";
import { chooseSymbols, type Listed, showSymbol } from "./show-symbols.ts";

export interface SymbolsInput {
  readonly path?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly depth?: number | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export interface SymbolsData {
  /** Ordered by path; of a folder only files in which something was found. */
  readonly files: readonly FileSymbols[];
  /** The offset to go on with, when there are more. */
  readonly nextOffset: number | undefined;
  /** Files of a folder that were left out, by the reason. */
  readonly skipped: FolderSymbols["skipped"];
}

export interface FileSymbols {
  readonly path: string;
  readonly language: string;
  /** Syntax errors: near them symbols may be missing. */
  readonly faults: number;
  readonly symbols: readonly ListedSymbol[];
}

export interface ListedSymbol
  extends Pick<CodeSymbol, "kind" | "name" | "firstLine" | "lastLine" | "line" | "signature" | "doc"> {
  readonly depth: number;
}

/** Lists what files declare. */
export const codeSymbols: Tool<SymbolsInput, SymbolsData> = {
  name: "code.symbols",
  summary:
    "List what a file declares: functions, classes, headings, keys, with lines and signatures; of a folder, each file's top level. Read one with code.read_symbol.",
  risk: "read",
  input: z.strictObject({
    path: z.optional(z.string().check(z.describe("Default: the workspace."))),
    kind: z.optional(z.string().check(z.describe('"function", "class" ...'))),
    name: z.optional(z.string().check(z.describe("Part of a name."))),
    depth: z.optional(z.int().check(z.minimum(1), z.describe("Levels of nesting."))),
    offset: z.optional(z.int().check(z.minimum(0), z.describe("Skip so many, to go on."))),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(5_000), z.describe("Default 500."))),
  }),
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
          `(It does not parse, first at line ${fault.line}: ${fault.message}. Near that symbols may be missing.)`,
        ]
      : [];
    const none =
      outline.symbols.length === 0
        ? `${path} declares nothing that is known of ${outline.language}.`
        : `${path} has no such symbols.`;
    const text = [...(shown.length === 0 ? [none] : shown.map(showSymbol)), ...broken].join("\n");
    return {
      data: { files: [file], nextOffset, skipped: { guarded: [], unreadable: [], tooLarge: [] } },
      text,
      ...(nextOffset === undefined
        ? {}
        : { continuation: `${all.length - nextOffset} more symbols: go on with offset ${nextOffset}.` }),
    };
  },
};

function folderAnswer(path: string, folder: FolderSymbols): ToolOutput<SymbolsData> {
  const { files, total, nextOffset, skipped } = folder;
  const shown = files.map(({ path: name, listed, hidden, faults }) =>
    [
      `${showPath(name)}${faults > 0 ? " (does not parse)" : ""}`,
      ...listed.map((each) => `  ${showSymbol(each)}`),
      ...(hidden > 0 ? [`  … ${counted(hidden, "more symbol")}: see the file by itself`] : []),
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
    ...(nextOffset === undefined
      ? {}
      : { continuation: `${nextOffset} of ${total} files were looked at: go on with offset ${nextOffset}.` }),
  };
}

function notesOn({ guarded, unreadable, tooLarge }: FolderSymbols["skipped"]): readonly string[] {
  const say = (paths: readonly string[], why: string) =>
    paths.length === 0
      ? []
      : [
          `(${why}: ${paths.slice(0, 5).map(showPath).join(", ")}${paths.length > 5 ? `, ${paths.length - 5} more` : ""})`,
        ];
  return [
    ...say(guarded, "Not read, as they may hold secrets"),
    ...say(unreadable, "Could not be read"),
    ...say(tooLarge, "Left out as too large; name one to see it"),
  ];
}

function fileSymbols(path: string, language: string, faults: number, listed: readonly Listed[]): FileSymbols {
  const symbols = listed.map(({ symbol, depth }) => {
    const { kind, name, firstLine, lastLine, line, signature, doc } = symbol;
    return { kind, name, firstLine, lastLine, line, signature, doc, depth };
  });
  return { path, language, faults, symbols };
}
