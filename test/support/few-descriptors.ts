// Run with few descriptors: `bash -c 'ulimit -n 96; node few-descriptors.ts WORKSPACE STATE FREE'`. Makes the same calls
// with each number of free descriptors ("1,2,3"), and prints the answers that are neither right nor an error with a reason.
import { closeSync, openSync } from "node:fs";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { isExhaustion } from "../../src/lib/exhaustion.ts";
import { openToolcrib } from "../../src/toolcrib/index.ts";

const calls = [
  ["file.read", { path: "a/b/one.txt" }],
  ["file.list", { path: "a" }],
  ["search.glob", { pattern: "**/*.ts" }],
  ["search.grep", { pattern: "needle" }],
  ["search.grep", { pattern: "(n+e+)+d.*e" }],
  ["git.status", {}],
  ["shell.run", { command: "echo hi" }],
] as const;

const [workspace = "", TOOLCRIB_HOME = "", list = ""] = process.argv.slice(2);
const numbers = list.split(",").map(Number);
process.env.TOOLCRIB_HOME = TOOLCRIB_HOME;
const toolcrib = await openToolcrib({ workspace, mode: "yolo" });
const answer = async (index: number) => {
  const [name, input] = calls[index]!;
  const { content, error } = await toolcrib.call(name, input);
  return error === null ? content : { code: error.code, content };
};

// Descriptors are released before the answer is printed.
const taken: number[] = [];
const leave = (free: number) => {
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    for (const descriptor of taken.splice(-free, free)) closeSync(descriptor);
  }
};
const release = () => {
  for (const descriptor of taken.splice(0)) closeSync(descriptor);
};

const wrong: unknown[] = [];
for (const [index] of calls.entries()) {
  const right = await answer(index);
  for (const free of numbers) {
    leave(free);
    const got = await answer(index);
    release();
    const says = typeof got === "object" && got.code === "unavailable" && /too many files/i.test(got.content);
    if (!says && got !== right) wrong.push({ free, call: calls[index], got });
  }
  const after = await answer(index);
  if (after !== right) wrong.push({ after: calls[index], got: after });
}
await toolcrib.close();

const environment = openLocalEnvironment({ workspace });
const snapshot = async () => {
  const { entries, leftOut } = await environment.listEntries!();
  return JSON.stringify([[...entries.keys()], [...leftOut]]);
};
const whole = await snapshot();
for (const free of numbers) {
  leave(free);
  const got = await snapshot().catch((error: unknown) => (isExhaustion(error) ? whole : String(error)));
  release();
  if (got !== whole) wrong.push({ free, call: "snapshot", got });
}
await environment.close();
process.stdout.write(JSON.stringify(wrong, null, 1));
