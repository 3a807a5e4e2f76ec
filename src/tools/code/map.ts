import * as z from "zod/mini";
import { findLanguage } from "../../code/languages/find-language.ts";
import type { CentralFile, IndexState } from "../../contract/code.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine, showPath } from "../../lib/text/printable.ts";
import { amount, string } from "../fields.ts";
import { findScope } from "../search/scope.ts";
import { patientIndex } from "./mentions.ts";

export interface CodeMapData {
  /** The files, most central first, each with its shown symbols in file order. */
  readonly files: readonly CentralFile[];
  /** The number of all known symbols, shown or not. */
  readonly symbols: number;
  readonly knownFiles: number;
  readonly index: IndexState;
}

const input = z.strictObject({
  path: z.optional(z.string()),
  tokens: amount(50, 50_000, "Maximum output tokens. Default 1500."),
  language: string('"rust", "ts".'),
});

export type CodeMapInput = z.infer<typeof input>;

export const codeMap: Tool<CodeMapInput, CodeMapData> = {
  name: "code.map",
  description:
    "Show an overview of the project: the files and symbols used most. For one file use code.symbols.",
  risk: "read",
  input,
  limits: { maxChars: 200_000, keep: "head" },
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  async run({ path = ".", tokens = 1500, language }, context) {
    const { signal } = context;
    const scope = await findScope(context.environment, path);
    const index = await patientIndex(context);
    const wanted = {
      path: scope.path === "" ? undefined : scope.path,
      language: language === undefined ? undefined : findLanguage(language).name,
      limit: mostFiles,
    };
    const known = await allowed(await index.central(wanted, { signal }), context);
    const files = mostThatFit(known, tokens * charsPerToken);
    const symbols = known.reduce((sum, file) => sum + file.symbols.length, 0);
    const data: CodeMapData = { files, symbols, knownFiles: known.length, index: index.state };
    const text = [...(files.length === 0 ? [nothing(path)] : files.map(showFile)), ...notes(data)].join("\n");
    const shown = files.reduce((sum, file) => sum + file.symbols.length, 0);
    const more = `${shown} of ${symbols} symbols shown; raise tokens, or give the path of a folder, for more.`;
    return { data, text, continuation: shown === symbols ? undefined : more };
  },
};

const mostFiles = 400;
const charsPerToken = 4;

/** Drops files that no longer exist or may not be read. */
async function allowed(files: readonly CentralFile[], { environment }: ToolContext): Promise<CentralFile[]> {
  const times = await environment.modifiedTimes(files.map(({ path }) => path));
  return files.filter((_, index) => times[index] !== undefined);
}

/** Returns as many of the most central symbols as fit into `maxChars`. */
function mostThatFit(files: readonly CentralFile[], maxChars: number): CentralFile[] {
  const symbols = files.flatMap((file) => file.symbols.map((symbol) => ({ file, symbol })));
  symbols.sort((one, other) => other.symbol.weight - one.symbol.weight);
  const chosen = new Set<Shown>();
  const headed = new Set<CentralFile>();
  // The first line has no newline before it.
  let chars = -1;
  for (const { file, symbol } of symbols) {
    if (!headed.has(file)) chars += 1 + showPath(file.path).length;
    headed.add(file);
    chars += 1 + showSymbol(symbol).length;
    if (chars > maxChars) break;
    chosen.add(symbol);
  }
  return onlyThese(files, chosen);
}

type Shown = CentralFile["symbols"][number];

function onlyThese(files: readonly CentralFile[], chosen: ReadonlySet<Shown>): CentralFile[] {
  return files.flatMap((file) => {
    const symbols = file.symbols.filter((symbol) => chosen.has(symbol));
    return symbols.length === 0
      ? []
      : [{ ...file, symbols: symbols.sort((one, other) => one.firstLine - other.firstLine) }];
  });
}

const maxSignatureChars = 120;

function showFile({ path, symbols }: CentralFile): string {
  return [showPath(path), ...symbols.map(showSymbol)].join("\n");
}

function showSymbol({ signature, name, within, firstLine, lastLine }: Shown): string {
  const head =
    signature.length > maxSignatureChars ? `${signature.slice(0, maxSignatureChars)} …` : signature;
  return `  ${"  ".repeat(within.length)}${printableLine(head || name)} [${firstLine}-${lastLine}]`;
}

function nothing(path: string): string {
  return `No symbols found ${path === "." ? "here" : `in ${path}`}. List files with search.glob or file.list.`;
}

function notes({ index: { files, indexed } }: CodeMapData): string[] {
  if (indexed === files) return [];
  return [`[Indexed so far: ${indexed} of ${counted(files, "file")}. Search again later for the rest.]`];
}
