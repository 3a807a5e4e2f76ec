import { expect, it } from "vitest";
import { terseDialect } from "../examples/add-a-dialect/terse.ts";
import { refuseRepeats } from "../examples/add-a-stage/refuse-repeats.ts";
import { countWords } from "../examples/add-a-tool/count-words.ts";
import type { ToolCall } from "../src/contract/call.ts";
import { MemoryEnvironment } from "../src/environment/memory/memory-environment.ts";
import { runTool } from "../src/pipeline/run-tool.ts";
import { compose } from "../src/pipeline/stage.ts";
import { catchErrors } from "../src/pipeline/stages/catch-errors.ts";
import { openToolcrib } from "../src/toolcrib/index.ts";
import { noServices } from "./support/no-services.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const environment = () => new MemoryEnvironment({ files: { "poem.txt": "Two roads\ndiverged\n" } });

it("a new tool works in the pipeline", async () => {
  await using folder = temporaryFolder();
  const crib = await openToolcrib({
    environment: environment(),
    tools: [countWords],
    stateDirectory: folder.path,
  });
  const result = await crib.call("text.count_words", { path: "poem.txt" });
  await crib.close();
  expect([result.content, result.data]).toEqual(["poem.txt has 3 words.", { words: 3 }]);
});

it("a new dialect renames the canonical tools", async () => {
  await using folder = temporaryFolder();
  const crib = await openToolcrib({
    environment: environment(),
    dialect: terseDialect,
    stateDirectory: folder.path,
  });
  const names = (await crib.definitions()).map((definition) => definition.name);
  const result = await crib.call("cat", { file: "poem.txt" });
  const wrong = await crib.call("cat", { path: "poem.txt" });
  await crib.close();
  expect([names, result.content, wrong.error?.message]).toEqual([
    ["cat", "grep", "rm"],
    "Two roads\ndiverged\n",
    "cat: `file` is missing; unknown key `path`",
  ]);
});

it("a new stage applies to every call", async () => {
  const memory = environment();
  const pipeline = compose([catchErrors(undefined), refuseRepeats()], runTool(memory, noServices));
  const call = (path: string): ToolCall => ({
    id: "call_1",
    tool: countWords,
    input: { path },
    accesses: [],
    environment: memory,
    account: {},
    signal: new AbortController().signal,
    timeoutMs: undefined,
    outlivedBy: () => {},
    notify: () => {},
  });
  const outcomes = [await pipeline(call("poem.txt")), await pipeline(call("poem.txt"))];
  expect(outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.error.code))).toEqual(["ok", "denied"]);
});
