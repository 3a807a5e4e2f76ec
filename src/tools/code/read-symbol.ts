import * as z from "zod/mini";
import { blockHash, spanOf } from "../../code/blocks/block-text.ts";
import { describeBlock } from "../../code/blocks/describe-block.ts";
import { findBlock, findBlocks, holdersOf } from "../../code/blocks/find-block.ts";
import { kindsCalled } from "../../code/blocks/kind-words.ts";
import type { CodeSymbol } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { showPath } from "../../lib/text/printable.ts";
import { refuseFault } from "../edit/replace-fields.ts";
import { flag, string } from "../fields.ts";
import { blockFields, blockWanted } from "./block-fields.ts";
import { type CodeFile, readCode } from "./code-file.ts";
import { patientIndex } from "./mentions.ts";

const { name: _, ...blockContext } = blockFields;

/** Holds the requested blocks in the requested order. */
export interface ReadSymbolData {
  readonly path: string;
  readonly language: string;
  readonly blocks: readonly BlockRead[];
}

interface BlockRead {
  readonly kind: CodeSymbol["kind"];
  readonly name: string;
  /** Names of the parent blocks, outermost first. */
  readonly within: readonly string[];
  readonly firstLine: number;
  readonly lastLine: number;
  /** The text of the block, without other code on its first and last line. */
  readonly text: string;
  /** SHA-256 of the text, which a caller can send back as `expected_old_hash`. */
  readonly hash: string;
}

const fields = z.strictObject({
  name: z.optional(blockFields.name),
  path: string("Needed when several files have the name."),
  ...blockContext,
  names: z.optional(
    z.array(z.string().check(z.minLength(1))).check(z.maxLength(50), z.describe("Instead: several names.")),
  ),
  all: flag("Every block with that name."),
});

export const codeReadSymbol: Tool<z.infer<typeof fields>, ReadSymbolData> = {
  name: "code.read_symbol",
  description:
    "Read a whole function, class or other block by name. Returns its code and hash. List names with code.symbols.",
  risk: "read",
  input: fields.check(
    refuseFault(({ name, names, path }) => {
      if ((name === undefined) === (names === undefined || names.length === 0))
        return "give `name` or `names`";
      return name === undefined && path === undefined ? "`names` needs `path`" : undefined;
    }),
  ),
  limits: { maxChars: 50_000, keep: "both" },
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  async run(input, context) {
    const { path = await findFile(input.name ?? "", input.kind, context) } = input;
    const file = await readCode(path, context);
    const wanted = input.name === undefined ? (input.names ?? []) : [input.name];
    const symbols = wanted.flatMap((name) => {
      const block = blockWanted({ ...input, name });
      return input.all
        ? findBlocks(file.path, file.outline, block)
        : [findBlock(file.path, file.outline, block)];
    });
    for (const symbol of symbols) noteSeen(file, symbol, context);
    const blocks = symbols.map((symbol) => blockRead(file, symbol));
    return {
      data: { path: file.path, language: file.outline.language, blocks },
      text: symbols.map((symbol, index) => show(file, symbol, blocks[index]!)).join("\n\n"),
    };
  },
};

/** Finds the only file of the workspace that has a block of this name. */
async function findFile(name: string, kind: string | undefined, context: ToolContext): Promise<string> {
  const { signal } = context;
  const parts = name.split(/\.|::|#/).filter((part) => part !== "");
  const last = parts.at(-1) ?? name;
  const index = await patientIndex(context);
  const kinds = kind === undefined ? undefined : kindsCalled(kind);
  const found = (await index.symbols({ name: last, limit: 1000 }, { signal })).filter(
    (symbol) =>
      symbol.name === last &&
      (kinds === undefined || kinds.includes(symbol.kind)) &&
      // "Agent.run" is in the class Agent or in an `impl Display for Agent`.
      parts.slice(0, -1).every((part) => symbol.within.some((holder) => holder.split(/\W+/).includes(part))),
  );
  const paths = [...new Set(found.map(({ path }) => path))];
  if (paths.length === 1) return paths[0]!;
  const isIncomplete = index.state.isBuilding === true && index.state.indexed < index.state.files;
  if (paths.length === 0)
    throw new ToolError("not-found", `No file of the workspace has a block named \`${name}\``, {
      hint: isIncomplete
        ? "The index is still being built: give `path`, or try again later."
        : "Give `path`, or find the name with code.search.",
    });
  const places = found.slice(0, mostPlaces).map((symbol) => `  ${showPath(symbol.path)}:${symbol.firstLine}`);
  const more = found.length > mostPlaces ? ["  …"] : [];
  const message = `${paths.length} files have a block named \`${name}\`:`;
  throw new ToolError("ambiguous-match", [message, ...places, ...more].join("\n"), {
    hint: "Give one of them as `path`.",
  });
}

const mostPlaces = 10;

function blockRead({ text, outline }: CodeFile, symbol: CodeSymbol): BlockRead {
  const { kind, name, firstLine } = symbol;
  const { start, end } = spanOf(text, symbol);
  const own = text.slice(start, end);
  return {
    kind,
    name,
    within: holdersOf(outline, symbol).map((holder) => holder.name),
    firstLine,
    lastLine: firstLine + own.split("\n").length - 1,
    text: own,
    hash: blockHash(text, symbol),
  };
}

/** Shows whole lines with their numbers, as file.read does. */
function show(
  { path, text, outline }: CodeFile,
  symbol: CodeSymbol,
  { firstLine, lastLine, hash }: BlockRead,
): string {
  const lines = text.split("\n", lastLine).slice(firstLine - 1);
  const numbered = lines.map((line, index) => `${firstLine + index} | ${line.replace(/\r$/, "")}`);
  return [`${path}: ${describeBlock(outline, symbol)}, block hash ${hash.slice(0, 12)}`, ...numbered].join(
    "\n",
  );
}

/** Notes the shown lines, so that a later edit can report changes by others. */
function noteSeen({ path, bytes, source, text }: CodeFile, symbol: CodeSymbol, { seen }: ToolContext): void {
  const { start, end } = spanOf(text, symbol);
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const to = text.indexOf("\n", end) + 1 || text.length;
  const offset = (units: number) => source.text.fileOffset(Buffer.byteLength(text.slice(0, units)));
  const count = text.slice(from, to).replace(/\n$/, "").split("\n").length;
  seen.note(path, {
    bytes: bytes.subarray(offset(from), offset(to)),
    lines: { first: symbol.firstLine, count },
  });
}
