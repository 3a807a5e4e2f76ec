import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { rgPath } from "@vscode/ripgrep";
import { openCode } from "../../src/code/open-code.ts";
import type { ProjectIndex } from "../../src/contract/code.ts";
import type { CodeSearchData } from "../../src/tools/code/found-code.ts";
import { dataPath } from "../data/data.ts";
import { type CaseResult, shortNumber, type Verdict } from "../harness.ts";
import { cpuMsOf, residentMbOf } from "../process-tree.ts";
import { openSubject } from "../subject.ts";
import { type CodeTree, ensureCodeTree } from "./code-tree.ts";
import { sampleNames, sampleQuestions } from "./questions.ts";

const { signal } = new AbortController();

/** Measures building, updating and querying the index of 16 000 files. */
export async function* measureIndex(): AsyncGenerator<CaseResult> {
  const tree = await ensureCodeTree();
  const directory = dataPath("code-tree.index");
  rmSync(directory, { recursive: true, force: true });
  const code = openCode({
    workspace: tree.path,
    directory,
    reads: () => ({ key: "", guard: () => undefined }),
  });
  const index = () => code.index({ signal, progress: () => {} });
  try {
    yield await measureBuild(tree, directory, index);
    yield await measureRefresh(tree, index);
    yield await measureLiterals(tree, await index());
    yield await measureRanked(tree, await index());
    yield await measureMap(index);
    yield await measureExact(tree, await index());
  } finally {
    await code.close();
  }
}

async function measureBuild(
  tree: CodeTree,
  directory: string,
  index: () => Promise<ProjectIndex>,
): Promise<CaseResult> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const cpuBegun = cpuMsOf(process.pid);
  let peakMb = 0;
  const sampler = setInterval(() => {
    peakMb = Math.max(peakMb, residentMbOf(process.pid, "VmRSS"));
  }, 50).unref();
  const lexical = untilListed(join(directory, "index.db"), tree.files).then(seconds);
  let { state } = await index();
  if (state.files !== tree.files) throw new Error(`${state.files} of ${tree.files} files were found.`);
  while (state.indexed < state.files && state.problem === undefined) ({ state } = await index());
  const whole = seconds();
  const cpu = (cpuMsOf(process.pid) - cpuBegun) / 1000;
  clearInterval(sampler);
  const size = statSync(join(directory, "index.db")).size;
  const rows = [
    ["trigrams of all files, s", shortNumber(await lexical)],
    ["words and symbols of all files, s", shortNumber(whole)],
    ["processor time of all processes, s", shortNumber(cpu)],
    ["peak memory of all processes, MB", shortNumber(peakMb)],
    ["files with symbols", String(state.outlined)],
    ["text, MB", shortNumber(tree.bytes / 1e6)],
    ["database, MB", shortNumber(size / 1e6)],
  ];
  return {
    ...about("build", "From nothing, with as many workers as cores, questions asked meanwhile."),
    table: [["", "measured"], ...rows],
    verdicts: [
      verdict("trigrams within 3 s", await lexical, 3, "s"),
      verdict("words and symbols within 15 s", whole, 15, "s"),
      verdict("database at most as large as the text", size / tree.bytes, 1, "×"),
    ],
  };
}

/** Another process can read the recorded state. */
async function untilListed(database: string, files: number): Promise<void> {
  for (;;) {
    // An error elsewhere must end the process.
    await sleep(20, undefined, { ref: false });
    if (!existsSync(database)) continue;
    const reader = new DatabaseSync(database, { readOnly: true, timeout: 1000 });
    try {
      const { count } = reader.prepare("SELECT count(*) AS count FROM files").get() as { count: number };
      if (count >= files) return;
    } catch {
      // The build has just begun.
    } finally {
      reader.close();
    }
  }
}

async function measureRefresh(tree: CodeTree, index: () => Promise<ProjectIndex>): Promise<CaseResult> {
  const unchanged = await times(30, index);
  const paths = execFileSync(rgPath, ["--files", "--no-config"], {
    cwd: tree.path,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  })
    .split("\n")
    .filter((path) => /\.(?:go|hpp|rs|py|ts|js)$/.test(path))
    .sort();
  const touched = Array.from({ length: 10 }, (_, number) => join(tree.path, paths[number * 1000]!));
  const sizes = touched.map((path) => statSync(path).size);
  const changed: number[] = [];
  for (let round = 0; round < 10; round++) {
    for (const path of touched) appendFileSync(path, "\n");
    const [ms] = await times(1, async () => {
      let { state } = await index();
      while (state.indexed < state.files) ({ state } = await index());
    });
    changed.push(ms!);
  }
  for (const [number, path] of touched.entries()) truncateSync(path, sizes[number]!);
  await index();
  const extra = percentile(changed, 0.5) - percentile(unchanged, 0.5);
  return {
    ...about("refresh", "One question after the other; then with ten files of several languages changed."),
    table: [
      ["ms", "p50", "p95"],
      ["nothing changed", ...shown(unchanged)],
      ["10 files changed, words and symbols included", ...shown(changed)],
    ],
    verdicts: [
      verdict("nothing changed: p50 within 200 ms", percentile(unchanged, 0.5), 200, "ms"),
      verdict("10 files changed: p50 at most 50 ms more", extra, 50, "ms"),
    ],
  };
}

async function measureLiterals(tree: CodeTree, index: ProjectIndex): Promise<CaseResult> {
  const all = await index.candidates({ kind: "literal", text: "", ignoreCase: false }, { signal });
  const names = sampleNames(tree.path, all, 200);
  const find = async (text: string) => {
    const candidates = await index.candidates({ kind: "literal", text, ignoreCase: false }, { signal });
    return candidates.filter((path) => readFileSync(join(tree.path, path)).includes(text));
  };
  const asked: number[] = [];
  const found: number[] = [];
  const reference: number[] = [];
  let different = 0;
  for (const name of names) {
    asked.push(
      ...(await times(1, () =>
        index.candidates({ kind: "literal", text: name, ignoreCase: false }, { signal }),
      )),
    );
    let ours: readonly string[] = [];
    found.push(...(await times(1, async () => (ours = await find(name)))));
    let theirs: readonly string[] = [];
    reference.push(...(await times(1, async () => (theirs = ripgrep(tree.path, name)))));
    if (ours.join("\n") !== theirs.join("\n")) different++;
  }
  const ratio = percentile(reference, 0.5) / percentile(found, 0.5);
  return {
    ...about(
      "literal",
      "200 names of what the files define, each looked for with `rg -l -F` too. In the second row all candidates are read to see whether they hold the name.",
    ),
    table: [
      ["ms", "p50", "p95"],
      ["candidates", ...shown(asked)],
      ["files that hold it", ...shown(found)],
      ["ripgrep", ...shown(reference)],
    ],
    verdicts: [
      verdict("candidates: p95 within 10 ms", percentile(asked, 0.95), 10, "ms"),
      verdict("files that hold it: p95 within 30 ms", percentile(found, 0.95), 30, "ms"),
      { ...verdict("ripgrep takes 15 times as long", -ratio, -15, "×"), measured: `${shortNumber(ratio)} ×` },
      verdict("names with other files than ripgrep's", different, 0, ""),
    ],
  };
}

/** Measures the whole tool. It has its own index, and stops when it has enough results. */
async function measureExact(tree: CodeTree, index: ProjectIndex): Promise<CaseResult> {
  const all = await index.candidates({ kind: "literal", text: "", ignoreCase: false }, { signal });
  const names = sampleNames(tree.path, all, 200);
  const subject = await openSubject({ workspace: tree.path });
  const search = async (name: string) => {
    const { data } = await subject.call("code.search", { query: JSON.stringify(name) });
    const { results, index: state } = data as CodeSearchData;
    if (results.length === 0 || state === undefined || state.problem !== undefined)
      throw new Error(`${name}: ${results.length} results, ${state?.problem ?? "no index"}`);
    return state;
  };
  try {
    while ((await search(names[0]!)).isBuilding) await sleep(100);
    const found: number[] = [];
    for (const name of names) found.push(...(await times(1, () => search(name))));
    return {
      ...about(
        "exact",
        "`code.search` of the same 200 names in quotes: up to ten results, confirmed in the files.",
      ),
      table: [
        ["ms", "p50", "p95"],
        ["code.search", ...shown(found)],
      ],
      verdicts: [verdict("p95 within 30 ms", percentile(found, 0.95), 30, "ms")],
    };
  } finally {
    await subject.close();
  }
}

async function measureRanked(tree: CodeTree, index: ProjectIndex): Promise<CaseResult> {
  const all = await index.candidates({ kind: "literal", text: "", ignoreCase: false }, { signal });
  const asked: number[] = [];
  for (const words of sampleQuestions(tree.path, all, 200)) {
    asked.push(...(await times(1, () => index.search({ words, limit: 10 }, { signal }))));
  }
  return {
    ...about("ranked", "200 questions of three or four words that stand near each other."),
    table: [
      ["ms", "p50", "p95"],
      ["search", ...shown(asked)],
    ],
    verdicts: [verdict("p95 within 20 ms", percentile(asked, 0.95), 20, "ms")],
  };
}

async function measureMap(index: () => Promise<ProjectIndex>): Promise<CaseResult> {
  const ask = async () => (await index()).central({ limit: 400 }, { signal });
  const [first] = await times(1, ask);
  const later = await times(20, ask);
  return {
    ...about(
      "map",
      "The most central files, with the check of all files: computed once, then from the index.",
    ),
    table: [
      ["ms", "p50", "p95"],
      ["first", shortNumber(first!), ""],
      ["later", ...shown(later)],
    ],
    verdicts: [verdict("later: p50 within 50 ms", percentile(later, 0.5), 50, "ms")],
  };
}

function ripgrep(cwd: string, text: string): readonly string[] {
  const args = ["-l", "-F", "--no-config", "-g", "!.git", "-e", text, "./"];
  const output = execFileSync(rgPath, args, { cwd, encoding: "utf8", maxBuffer: 2 ** 26 });
  return output
    .split("\n")
    .slice(0, -1)
    .map((path) => path.slice(2))
    .sort();
}

async function times(count: number, act: () => Promise<unknown>): Promise<number[]> {
  const measured: number[] = [];
  for (let round = 0; round < count; round++) {
    const started = performance.now();
    await act();
    measured.push(performance.now() - started);
  }
  return measured;
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * part)]!;
}

function shown(values: readonly number[]): readonly string[] {
  return [shortNumber(percentile(values, 0.5)), shortNumber(percentile(values, 0.95))];
}

function about(name: string, text: string) {
  return { group: "index", name, about: text, contenders: [] } as const;
}

function verdict(goal: string, value: number, limit: number, unit: string): Verdict {
  return { goal, value, measured: `${shortNumber(value)} ${unit}`.trim(), met: value <= limit };
}
