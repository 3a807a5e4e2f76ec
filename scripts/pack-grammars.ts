import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, zstdCompressSync } from "node:zlib";
import { grammarSource, parserSource } from "../src/code/grammars/load-grammar.ts";

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
  const { version, devDependencies } = JSON.parse(read("tree-sitter-wasm/package.json"));
  const sources = Object.entries(devDependencies)
    .filter(([name]) => name.includes("tree-sitter-") && name !== "tree-sitter-cli")
    .map(([name, source]) => `- ${name} ${source}`);
  return `# What others wrote

This folder holds WebAssembly, compressed with zstd, that others made.

## web-tree-sitter

${read("web-tree-sitter/LICENSE").trim()}

## tree-sitter-wasm ${version}, which compiled the grammars

${read("tree-sitter-wasm/LICENSE").trim()}

## The grammars

Each belongs to its authors, under the licence in its package or repository:

${sources.join("\n")}
`;
}
