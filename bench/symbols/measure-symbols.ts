import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCode } from "../../src/code/open-code.ts";
import type { CodeService, Reading } from "../../src/contract/code.ts";
import type { CaseResult } from "../harness.ts";
import { type Comparison, compare } from "./compare.ts";
import { corpusFiles, type MeasuredLanguage, measuredLanguages } from "./corpus.ts";
import { showMisses, showSample } from "./show.ts";

/** The number of files per language. */
const wantedFiles = 300;
const wantedRecall = 99.5;

/** Measures how many symbols of universal-ctags we find, and how long a large file takes. */
export async function* measureSymbols({
  only,
  show,
}: {
  readonly only: string;
  readonly show?: string | undefined;
}): AsyncGenerator<CaseResult> {
  const directory = mkdtempSync(join(tmpdir(), "toolcrib symbols "));
  const code = openCode({
    workspace: directory,
    directory: join(directory, "index"),
    reads: () => ({ key: "", guard: () => undefined }),
  });
  try {
    for (const language of measuredLanguages) {
      if (!language.includes(only)) continue;
      if (show === "sample") await showSample(code, language, await corpusFiles(language, wantedFiles));
      const comparison = await compare(code, language, wantedFiles);
      if (show === "misses") showMisses(comparison.misses);
      yield recallResult(language, comparison);
    }
    for (const language of ["rust", "typescript", "python"] as const) {
      if (`large ${language}`.includes(only)) yield await largeFile(code, language);
    }
  } finally {
    await code.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function recallResult(language: MeasuredLanguage, comparison: Comparison): CaseResult {
  const { files, faulty, symbols, kinds, misses, mistakes } = comparison;
  const all = [...kinds.values()];
  const tags = all.reduce((sum, kind) => sum + kind.tags, 0);
  const recall = (100 * (tags - misses.length)) / tags;
  const rows = [...kinds].map(([kind, { tags: count, found }]) => [
    kind,
    `${count}`,
    `${found}`,
    `${((100 * found) / count).toFixed(2)} %`,
  ]);
  return {
    group: "symbols",
    name: language,
    about: `Functions, methods and types that universal-ctags finds in ${files} real files, by name and line. We list ${symbols} symbols, ctags ${tags} that are compared. Left out as mistakes of ctags: ${listed(mistakes)}. ${faulty} of these files, which compilers accept, have faults to the grammar.`,
    contenders: [],
    table: [["kind, as ctags calls it", "tags", "found", "recall"], ...rows],
    verdicts: [
      {
        goal: `at least ${wantedRecall} % found`,
        value: recall,
        measured: `${recall.toFixed(2)} %`,
        met: recall >= wantedRecall,
      },
    ],
  };
}

function listed(mistakes: ReadonlyMap<string, number>): string {
  const parts = [...mistakes].map(([rule, count]) => `${count} × ${rule}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}

const largeUnits = 200_000;
const rounds = 41;

/** The symbols of 200 KB: of a new text, and of one that was just edited. */
async function largeFile(code: CodeService, language: MeasuredLanguage): Promise<CaseResult> {
  const text = await largeText(code, language);
  const whole: number[] = [];
  const edited: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const path = `large-${round}`;
    const read = (of: string) => timed(() => code.outline({ path, text: of, language }, reading()));
    const own = `${text}\n${" ".repeat(round)}\n`;
    whole.push(await read(own));
    const position = own.indexOf("\n", (text.length * (round + 1)) / (rounds + 1));
    edited.push(await read(`${own.slice(0, position)}\n${own.slice(position)}`));
  }
  const goals = [
    { goal: "at most 50 ms for a new text", value: middle(whole), limit: 50 },
    { goal: "at most 3 ms after an edit", value: middle(edited), limit: 3 },
  ];
  return {
    group: "symbols",
    name: `large ${language}`,
    about: `The outline of ${Math.round(text.length / 1000)} KB in one text, asked of a host that runs, in the middle of ${rounds} rounds; then a line is added somewhere.`,
    contenders: [],
    verdicts: goals.map(({ goal, value, limit }) => ({
      goal,
      value,
      measured: `${value.toFixed(1)} ms`,
      met: value <= limit,
    })),
  };
}

/** Concatenates files as long as the grammar can parse them together. */
async function largeText(code: CodeService, language: MeasuredLanguage): Promise<string> {
  let text = "";
  for (const path of await corpusFiles(language, wantedFiles)) {
    // These are parsed twice, because the grammar does not support all of their types.
    if (path.includes("effect-")) continue;
    const longer = `${text}${readFileSync(path, "utf8").trimEnd()}\n\n`;
    if (longer.length > largeUnits * 1.1) continue;
    const { faults } = await code.outline({ path: "large", text: longer, language }, reading());
    if (faults.length === 0) text = longer;
    if (text.length > largeUnits * 0.9) break;
  }
  return text;
}

function reading(): Reading {
  return { signal: new AbortController().signal };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function middle(values: number[]): number {
  return values.sort((one, other) => one - other)[values.length >> 1]!;
}
