import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCode } from "../../src/code/open-code.ts";
import { openToolcrib } from "../../src/toolcrib/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { loudAgents } from "./agents.ts";
import { foreignNames } from "./foreign-names.ts";
import { fillIn, runVector } from "./run-vector.ts";
import { type NamedVector, readVectors } from "./vector.ts";
import { expectedEntries, makeWorkspace, readEntries } from "./vector-workspace.ts";

const vectors = readVectors();
const withCode = vectors.filter(({ title }) => /^\w+\/(?:blocks|reading):|: smart_edit /.test(title));

for (const vector of vectors.filter((each) => !withCode.includes(each)))
  it.concurrent(vector.title, {
    tags: vector.slow ? ["slow"] : [],
    fails: isExpectedToFail(vector),
  }, async () => {
    await using folder = temporaryFolder();
    await testVector(vector, join(folder.path, "workspace"), folder.path);
  });

describe("in one workspace, whose instances share a parser,", () => {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  const code = openCode({
    workspace,
    directory: join(folder.path, "index"),
    reads: () => ({ key: "", guard: () => undefined }),
  });
  // Starts the parser, which takes longer than most vectors.
  beforeAll(async () => {
    await code.outline({ path: "a.rs", text: "" }, { signal: new AbortController().signal });
  });
  afterAll(async () => {
    await code.close();
    await folder[Symbol.asyncDispose]();
  });

  for (const vector of withCode)
    it(vector.title, { fails: isExpectedToFail(vector) }, async () => {
      await using home = temporaryFolder();
      rmSync(workspace, { recursive: true, force: true });
      await testVector(vector, workspace, home.path);
    });
});

function isExpectedToFail({ fails }: NamedVector): boolean {
  return fails !== undefined;
}

async function testVector(vector: NamedVector, workspace: string, home: string): Promise<void> {
  makeWorkspace(workspace, vector);
  const crib = await openToolcrib({
    workspace,
    dialect: vector.dialect,
    mode: vector.mode ?? "yolo",
    rules: vector.rules ?? [],
    ...(vector.tools && { onlyTools: vector.tools }),
    ...(vector.agents && { agents: loudAgents() }),
    stateDirectory: join(home, "state"),
    configDirectory: join(home, "config"),
  });
  const definitions = await crib.definitions();
  const answers: { tool: string; content: string }[] = [];
  const { actual, expected } = await runVector(vector, workspace, {
    call: async (tool, input) => {
      const { content, isError, images } = await crib.call(tool, input);
      answers.push({ tool, content });
      return { content, isError, images: images.map(({ mediaType }) => mediaType) };
    },
    close: () => crib.close(),
  });
  expect(actual).toEqual(expected);
  // A caller that uses a canonical name gets canonical names in answers.
  if (vector.dialect !== "toolcrib") expect(await foreignNames(vector, definitions, answers)).toEqual([]);
}

it("gives each vector a unique name, and a reason to those with a partial comparison", () => {
  const titles = vectors.map(({ title }) => title);
  const unexplained = vectors.filter(
    ({ calls, why }) =>
      why === undefined &&
      calls.some(({ answer }) => [answer.content].flat().some((text) => text.includes("{{any}}"))),
  );
  expect([titles.filter((title, at) => titles.indexOf(title) !== at), unexplained]).toEqual([[], []]);
});

it("detects every difference between the workspace and a vector", async () => {
  await using folder = temporaryFolder();
  const before = { "a.txt": "a", "dir/": null, "dir/b.txt": "b", "gone/c.txt": "c" };
  const vector = { name: "", calls: [], workspace: before, after: { "a.txt": "A", gone: null } };
  makeWorkspace(folder.path, { ...vector, workspace: { "a.txt": "a", "dir/b.txt": "b", more: "more" } });
  const expected = expectedEntries(vector);
  expect([expected, readEntries(folder.path, expected)]).toEqual([
    { "a.txt": "A", "dir/": null, "dir/b.txt": "b" },
    { "a.txt": "a", "dir/": null, "dir/b.txt": "b", more: "more" },
  ]);
});

it("accepts differences only where a vector marks them", () => {
  const answers = ["took 12.5 ms, call_01-a", "took long, call_01-a", "took 12.5 ms, call_01-a\n"];
  expect(answers.map((answer) => fillIn("took {{number}} ms, {{id}}", answer))).toEqual([
    "took 12.5 ms, call_01-a",
    "took {{number}} ms, {{id}}",
    "took {{number}} ms, {{id}}",
  ]);
});
