import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { Reader } from "../worker/reader.ts";

/** Sources named after their language, each with its expected outline. */
const fixtures = fileURLToPath(new URL("fixtures/", import.meta.url));
const sources = readdirSync(fixtures).filter((name) => !name.endsWith(".outline"));

const reader = new Reader();
afterAll(() => reader.close());

/** The languages of most workspaces. Compiling the grammars of all takes 20 s. */
const usual = [
  "c",
  "css",
  "go",
  "html",
  "java",
  "javascript",
  "json",
  "markdown",
  "python",
  "rust",
  "typescript",
];

describe.each(sources)("the symbols of %s", (name) => {
  const tags = usual.includes(languageOf(name)) ? [] : ["slow"];

  it("are found", { tags }, async () => {
    const { text, outline } = await outlineOf(name);
    await expect(show(text, outline)).toMatchFileSnapshot(`fixtures/${name}.outline`);
  });

  it("are nested and end with their own text", { tags }, async () => {
    const { text, outline } = await outlineOf(name);
    const wrong = outline.symbols.filter((symbol) => !isWellCut(symbol, text, outline));
    expect(wrong).toEqual([]);
  });
});

function languageOf(name: string): string {
  return name.slice(0, name.indexOf("."));
}

interface Read {
  readonly text: string;
  readonly outline: Outline;
}

const known = new Map<string, Promise<Read>>();

function outlineOf(name: string): Promise<Read> {
  const read = known.get(name) ?? readOutline(name);
  known.set(name, read);
  return read;
}

async function readOutline(name: string): Promise<Read> {
  const text = readFileSync(`${fixtures}${name}`, "utf8");
  const language = languageOf(name);
  const { signal } = new AbortController();
  return { text, outline: await reader.outline({ path: name, text, language }, { signal }) };
}

/** One line per symbol: kind, name, block, line of the name, container, signature, doc. Then the syntax faults. */
function show(text: string, { symbols, faults }: Outline): string {
  const depths: number[] = [];
  const lines = symbols.map((symbol) => {
    const { kind, name, parent, start, end, line, inside, signature, doc } = symbol;
    const depth = parent === undefined ? 0 : depths[parent]! + 1;
    depths.push(depth);
    const places = `${place(text, start)}-${place(text, end)} @${line}`;
    const within = inside ? ` in ${place(text, inside.start)}-${place(text, inside.end)}` : "";
    return `${"  ".repeat(depth)}${kind} ${name} ${places}${within} | ${signature}${doc ? ` | ${doc}` : ""}`;
  });
  const wrong = faults.map(({ line, column, message }) => `! ${line}:${column} ${message}`);
  return `${[...lines, ...wrong].join("\n")}\n`;
}

function place(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${before.at(-1)!.length + 1}`;
}

function isWellCut(symbol: CodeSymbol, text: string, { symbols }: Outline): boolean {
  const { start, end, declarationStart, inside, parent, firstLine, lastLine, line } = symbol;
  const holder = parent === undefined ? { start: 0, end: text.length } : symbols[parent]!;
  const block = text.slice(start, end);
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  return (
    block === block.trim() &&
    block !== "" &&
    start <= declarationStart &&
    declarationStart < end &&
    holder.start <= start &&
    end <= holder.end &&
    firstLine === lineAt(start) &&
    lastLine === lineAt(end - 1) &&
    firstLine <= line &&
    line <= lastLine &&
    (inside === undefined || (start <= inside.start && inside.start <= inside.end && inside.end <= end))
  );
}
