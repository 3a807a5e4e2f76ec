import { readFileSync } from "node:fs";
import type { CodeService } from "../../src/contract/code.ts";
import { Random } from "../data/random.ts";
import type { MeasuredLanguage } from "./corpus.ts";
import type { Tag } from "./ctags.ts";

export function showMisses(misses: readonly Tag[]): void {
  for (const { kind, name, path, line } of misses) process.stdout.write(`${kind} ${name} ${path}:${line}\n`);
}

/** Prints some symbols with their lines, the same ones every time, to be checked by eye. */
export async function showSample(
  code: CodeService,
  language: MeasuredLanguage,
  files: readonly string[],
): Promise<void> {
  const random = new Random(11);
  for (let shown = 0; shown < 60; shown++) {
    const path = random.pick(files);
    const text = readFileSync(path, "utf8");
    const { symbols } = await code.outline(
      { path, text, language },
      { signal: new AbortController().signal },
    );
    if (symbols.length === 0) continue;
    const { kind, name, parent, firstLine, lastLine, line, start, end } = random.pick(symbols);
    const holder = parent === undefined ? "" : ` in ${symbols[parent]!.kind} ${symbols[parent]!.name}`;
    const block = text.slice(start, end).split("\n");
    const lines = block.length > 4 ? [...block.slice(0, 3), "…", block.at(-1)!] : block;
    const after = text.slice(end, end + 20).split("\n")[0];
    process.stdout.write(
      `${kind} ${name}${holder} [${firstLine}-${lastLine}] @${line} ${path.split("/").at(-1)}\n`,
    );
    for (const shownLine of lines) process.stdout.write(`    ${shownLine.slice(0, 100)}\n`);
    if (after) process.stdout.write(`    then: ${after}\n`);
  }
}
