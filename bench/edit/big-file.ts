import { attempt } from "./attempt.ts";
import { applyChanges, type Document, encodeDocument } from "./document.ts";
import { type Hunk, hunkOf, mapLines } from "./hunk.ts";
import { judge, type Verdict } from "./judge.ts";
import type { Engine, Form, Task } from "./task.ts";
import { writeCall } from "./write-call.ts";

export type BigFileCase = "clean" | "tolerant" | "miss";

export interface BigFileFigures {
  readonly form: Form;
  readonly name: BigFileCase;
  /** The median of three, or the only one where an engine takes very long. */
  readonly ms: number;
  readonly verdict: Verdict;
}

const megabytes = 10;
const path = "big.ts";

/** One edit in the middle of a 10 MB file: exact, with other indentation, and of lines that do not exist. */
export async function measureBigFile(engine: Engine, tasks: readonly Task[]): Promise<BigFileFigures[]> {
  const filling = fillingFrom(tasks);
  const middle = lineAfter(filling, (megabytes * 1e6) / 2);
  const lines = [...filling.slice(0, middle), ...target, ...filling.slice(middle)];
  const document: Document = { lines, ends: lines.map(() => "\n"), encoding: "utf-8" };
  const at = middle + 5;
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

/** Files of the tasks, concatenated. */
function fillingFrom(tasks: readonly Task[]): string[] {
  const texts = tasks
    .filter(({ kind }) => kind === "one change")
    .map(({ files }) => Buffer.from(files[0]!.before!).toString("utf8"));
  const all = [...new Set(texts)].join("\n");
  const lines = all.repeat(Math.ceil((megabytes * 1e6) / all.length)).split("\n");
  return lines.slice(0, lineAfter(lines, megabytes * 1e6));
}

function lineAfter(lines: readonly string[], bytes: number): number {
  let seen = 0;
  return lines.findIndex((line) => {
    seen += line.length + 1;
    return seen >= bytes;
  });
}
