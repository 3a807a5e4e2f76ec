import { attempt } from "./attempt.ts";
import { applyChanges, encodeDocument, parseDocument } from "./document.ts";
import { type Hunk, hunkOf, mapLines } from "./hunk.ts";
import { judge, type Verdict } from "./judge.ts";
import type { Engine, Form, Task } from "./task.ts";
import { writeCall } from "./write-call.ts";

export type BigFileCase = "clean" | "tolerant" | "miss";

export interface BigFileFigures {
  readonly form: Form;
  readonly name: BigFileCase;
  /** The middle one of three, or the only one where an engine takes very long. */
  readonly ms: number;
  readonly verdict: Verdict;
}

const megabytes = 10;
const path = "big.ts";

/** One edit in the middle of a file of 10 MB: as it should be, indented otherwise, and of lines that are not there. */
export async function measureBigFile(engine: Engine, tasks: readonly Task[]): Promise<BigFileFigures[]> {
  const half = Math.ceil(megabytes / 2) * 1e6;
  const filling = fillingFrom(tasks);
  const lines = [
    ...filling.slice(0, lineAfter(filling, half)),
    ...target,
    ...filling.slice(lineAfter(filling, half)),
  ];
  const document = { ...parseDocument(""), lines, ends: lines.map(() => "\n") };
  const at = lineAfter(filling, half) + 5;
  const changes = [{ at, removed: [target[5]!], added: ["    return limit - 1;", "    // one less"] }];
  const hunk = hunkOf(document, changes, at - 3, at + 4);
  const calls: Readonly<Record<BigFileCase, Hunk>> = {
    clean: hunk,
    tolerant: mapLines(hunk, ({ text }) => (text === "" ? text : `  ${text}`)),
    miss: mapLines(hunk, ({ text }) => text.replace("limit", "bound").replace("total", "sum")),
  };
  const before = encodeDocument(document);
  const after = encodeDocument(applyChanges(document, changes));
  const figures: BigFileFigures[] = [];
  for (const form of engine.forms) {
    for (const [name, called] of Object.entries(calls) as [BigFileCase, Hunk][]) {
      const task: Pick<Task, "call" | "files" | "category"> = {
        category: name === "miss" ? "refuse" : "clean",
        call: writeCall(form, path, document, [called]),
        files: [{ path, before, after }],
      };
      figures.push({ form, name, ...(await measureThrice(engine, task)) });
    }
  }
  return figures;
}

async function measureThrice(engine: Engine, task: Pick<Task, "call" | "files" | "category">) {
  const times: number[] = [];
  let verdict: Verdict = "wrong";
  for (let lap = 0; lap < 3 && (times[0] ?? 0) < 5000; lap++) {
    const { answer, microseconds } = await attempt(engine, task);
    times.push(microseconds / 1000);
    verdict = judge(task, answer);
  }
  times.sort((a, b) => a - b);
  return { ms: times[times.length >> 1]!, verdict };
}

const target = [
  "",
  "export function chargeWithinLimit(first: number, second: number): number {",
  "  const total = first + second;",
  "  const limit = readLimitOfAccount();",
  "  if (total > limit) {",
  "    return limit;",
  "  }",
  "  recordCharge(total);",
  "  return total;",
  "}",
  "",
];

/** Files of the tasks, one after the other. */
function fillingFrom(tasks: readonly Task[]): string[] {
  const lines: string[] = [];
  let bytes = 0;
  const seen = new Set<string>();
  for (const { files, kind } of tasks) {
    const text = kind === "one change" ? Buffer.from(files[0]!.before!).toString("utf8") : "";
    if (text === "" || seen.has(text)) continue;
    seen.add(text);
    lines.push(...text.split("\n"));
    bytes += text.length;
    if (bytes > megabytes * 1e6) return lines;
  }
  // There are too few to fill it.
  while (bytes < megabytes * 1e6) {
    const copy = [...lines];
    lines.push(...copy);
    bytes *= 2;
  }
  return lines.slice(0, lineAfter(lines, megabytes * 1e6));
}

function lineAfter(lines: readonly string[], bytes: number): number {
  let seen = 0;
  return lines.findIndex((line) => {
    seen += line.length + 1;
    return seen >= bytes;
  });
}
