import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, zstdCompressSync } from "node:zlib";
import { grammarSource, parserSource } from "../src/code/grammars/load-grammar.ts";
import licences from "./grammar-licences.json" with { type: "json" };

/** A package with grammars, as tree-sitter-wasm 2.0.2 has compiled it. */
export interface GrammarSource {
  readonly package: string;
  /** The version, or the commit for a package from a repository. */
  readonly version: string;
  readonly source: string;
  readonly grammars: readonly string[];
  /** By SPDX. */
  readonly licence: string;
  /** The key of the text of its licence. */
  readonly text: string;
}

export const grammarSources: readonly GrammarSource[] = licences.packages;
const grammarTexts: Readonly<Record<string, string>> = licences.texts;

/** SHA-256 of the parser runtime of web-tree-sitter 0.27.1, and of the grammars of tree-sitter-wasm 2.0.2. */
const hashes = JSON.parse(readFileSync(join(import.meta.dirname, "grammar-hashes.json"), "utf8")) as {
  readonly parser: string;
  readonly grammars: Readonly<Record<string, string>>;
};

/**
 * Copies the grammars into a build, compressed. Each must match its pinned hash, because it runs like our own code.
 */
export function packGrammars(directory: string): void {
  mkdirSync(directory, { recursive: true });
  pack("web-tree-sitter", parserSource(), hashes.parser);
  for (const [name, hash] of Object.entries(hashes.grammars)) pack(name, grammarSource(name), hash);
  writeFileSync(join(directory, "NOTICE.md"), notice());

  function pack(name: string, file: URL, hash: string): void {
    const bytes = readFileSync(file);
    const found = createHash("sha256").update(bytes).digest("hex");
    if (found !== hash) throw new Error(`${fileURLToPath(file)} has the SHA-256 ${found}, not ${hash}`);
    // Higher levels save 1 MB of 8 and take half a minute.
    const options = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };
    writeFileSync(join(directory, `${name}.wasm.zst`), zstdCompressSync(bytes, options));
  }
}

function notice(): string {
  const packages = join(import.meta.dirname, "../node_modules");
  const read = (path: string) => readFileSync(join(packages, path), "utf8");
  const { version } = JSON.parse(read("tree-sitter-wasm/package.json"));
  const byText = Map.groupBy(grammarSources, ({ text }) => text);
  const licences = [...byText].map(([text, sources]) => {
    const names = sources.map(
      (each) => `- ${each.package} ${each.version} (${each.licence}): ${each.source}`,
    );
    return `${names.join("\n")}\n\n${grammarTexts[text]}\n`;
  });
  return `# What others wrote

This folder holds WebAssembly, compressed with zstd, that others made.

## web-tree-sitter

${read("web-tree-sitter/LICENSE").trim()}

## tree-sitter-wasm ${version}, which compiled the grammars

${read("tree-sitter-wasm/LICENSE").trim()}

## The grammars

Each licence follows the grammars that it is for, with the version or the commit that was compiled.

${licences.join("\n---\n\n")}`;
}
