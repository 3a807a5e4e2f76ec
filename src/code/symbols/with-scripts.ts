import { Parser } from "web-tree-sitter";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { loadGrammar } from "../grammars/load-grammar.ts";
import { outlineOf } from "./outline-of.ts";

const holders: ReadonlySet<string> = new Set(["html", "vue", "svelte", "astro"]);
const most = 20;

export async function withScripts(outline: Outline, text: string): Promise<Outline> {
  if (!holders.has(outline.language)) return outline;
  const scripts = new Map<CodeSymbol, Outline>();
  for (const symbol of outline.symbols) {
    const language = scriptLanguage(symbol, outline.language);
    if (language !== undefined && scripts.size < most)
      scripts.set(symbol, await readScript(symbol, text, language));
  }
  return scripts.size === 0 ? outline : joined(outline, scripts);
}

function scriptLanguage({ kind, name, inside, signature }: CodeSymbol, holder: string): string | undefined {
  if (kind !== "element" || name !== "script" || !inside || inside.start === inside.end) return undefined;
  const type = /\btype\s*=\s*["']?([^"'\s>]+)/i.exec(signature)?.[1]?.toLowerCase();
  if (type !== undefined && !/^(module|text\/babel|(text|application)\/(java|ecma|type)script)$/.test(type)) {
    return undefined;
  }
  const written = /\blang\s*=\s*["']?(\w+)/i.exec(signature)?.[1]?.toLowerCase();
  if (written === "tsx" || written === "jsx") return "tsx";
  return written?.startsWith("t") || holder === "astro" ? "typescript" : "javascript";
}

async function readScript({ inside }: CodeSymbol, text: string, language: string): Promise<Outline> {
  const { start, end } = inside!;
  // Blanks replace the text before the script, so that all offsets and lines stay the same.
  const alone = text.slice(0, start).replace(/[^\r\n]/g, " ") + text.slice(start, end);
  const grammar = await loadGrammar(language);
  parser ??= new Parser();
  parser.setLanguage(grammar);
  const tree = parser.parse(alone);
  if (!tree) return { language, symbols: [], faults: [] };
  try {
    return outlineOf(tree, alone, language);
  } finally {
    tree.delete();
  }
}

let parser: Parser | undefined;

function joined({ language, symbols, faults }: Outline, scripts: ReadonlyMap<CodeSymbol, Outline>): Outline {
  const all: CodeSymbol[] = [];
  const indexes: number[] = [];
  for (const symbol of symbols) {
    const index = all.length;
    indexes.push(index);
    all.push(symbol.parent === undefined ? symbol : { ...symbol, parent: indexes[symbol.parent] });
    for (const held of scripts.get(symbol)?.symbols ?? []) {
      all.push({ ...held, parent: held.parent === undefined ? index : index + 1 + held.parent });
    }
  }
  const inScripts = [...scripts.values()].flatMap((script) => script.faults);
  return {
    language,
    symbols: all,
    faults: [...faults, ...inScripts].sort((one, other) => one.start - other.start),
  };
}
