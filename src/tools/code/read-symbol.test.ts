import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import { blockFixture } from "../../../test/support/code-tools/block-fixture.ts";
import { untilIndexed } from "../../../test/support/code-tools/until-indexed.ts";
import { schemaFaults } from "../../../test/support/tool-fixture.ts";
import { codeReadSymbol } from "./read-symbol.ts";

const { opened, answered, refused } = blockFixture();

const python =
  "# ü 🙂\n\nclass A:\n    @dec\n    def f(self):\n        return 1\n\n    def g(self): ...\n\n\ndef f(): ...\n";

describe("code.read_symbol", () => {
  it("shows a block in whole lines, with its hash and its parent", async () => {
    const text = "@dec\n    def f(self):\n        return 1";
    const block = {
      kind: "method",
      name: "f",
      within: ["A"],
      firstLine: 4,
      lastLine: 6,
      text,
      hash: hash("sha256", text),
    };
    expect(await answered(codeReadSymbol, python, { path: "a.py", name: "A.f" })).toEqual({
      data: { path: "a.py", language: "python", blocks: [block] },
      text: `a.py: Method f [4-6] in Class A, block hash ${block.hash.slice(0, 12)}\n4 |     @dec\n5 |     def f(self):\n6 |         return 1`,
    });
  });

  it("shows several blocks by name, or all with one name", async () => {
    const lines = async (input: object) => {
      const { data } = await answered(codeReadSymbol, python, { path: "a.py", ...input });
      return data.blocks.map(({ firstLine }) => firstLine);
    };
    expect([await lines({ names: ["g", "A"] }), await lines({ name: "f", all: true })]).toEqual([
      [8, 3],
      [4, 11],
    ]);
  });

  it("lists the candidates of an ambiguous name", async () => {
    expect(await refused(codeReadSymbol, python, { path: "a.py", name: "f" })).toEqual({
      code: "ambiguous-match",
      message: "a.py has 2 blocks that match `f`:\n  Method f [4-6] in Class A\n  Function f [11-11]",
      hint: "Choose one with `line_hint`, 5 for the first, or with `module_path`, its container.",
    });
  });

  it("remembers what was shown, in any encoding", async () => {
    const text = "// ü\r\n\r\nfn a() {}\r\n\r\nfn b() {}";
    const encoded = Buffer.from(`\ufeff${text}`, "utf16le");
    writeFileSync(opened.at("seen.rs"), encoded);
    await opened.run(codeReadSymbol, { path: "seen.rs", names: ["a", "b"] });
    expect(await opened.context.seen.recall("seen.rs")).toEqual([
      { bytes: Buffer.from("fn a() {}\r\n", "utf16le"), lines: { first: 3, count: 1 } },
      { bytes: Buffer.from("fn b() {}", "utf16le"), lines: { first: 5, count: 1 } },
    ]);
  });

  it("accepts one name, or several with a path", () => {
    const fault = ": give `name` or `names`";
    expect(
      [{}, { name: "a", names: ["b"] }, { name: "a" }, { names: ["a"] }].map((input) =>
        schemaFaults(codeReadSymbol, { path: "a", ...input }),
      ),
    ).toEqual([[fault], [fault], [], []]);
    expect(schemaFaults(codeReadSymbol, { names: ["a"] })).toEqual([": `names` needs `path`"]);
  });
});

describe("code.read_symbol without a path", () => {
  const indexed = codeFixture({
    "src/agent.ts": "export class Agent {\n  run() {}\n}\nexport function only() {}\n",
    "src/task.ts": "export class Task {\n  run() {}\n}\nexport function onlyOnce() {}\n",
  });
  afterAll(() => indexed[Symbol.asyncDispose]());
  const read = async (name: string, kind?: string) => {
    await untilIndexed(indexed);
    const { data } = await indexed.run(codeReadSymbol, { name, kind });
    return [data.path, ...data.blocks.map(({ text }) => text)];
  };

  it("finds a name that only one file has", { tags: "slow" }, async () => {
    expect([await read("only"), await read("Task.run"), await read("Agent", "class")]).toEqual([
      ["src/agent.ts", "export function only() {}"],
      ["src/task.ts", "run() {}"],
      ["src/agent.ts", "export class Agent {\n  run() {}\n}"],
    ]);
  });

  it("names the files when several have it, and says when none has", { tags: "slow" }, async () => {
    await expect(read("run")).rejects.toMatchObject({
      code: "ambiguous-match",
      message: "2 files have a block named `run`:\n  src/agent.ts:2\n  src/task.ts:2",
      hint: "Give one of them as `path`.",
    });
    await expect(read("Agent.only")).rejects.toMatchObject({
      code: "not-found",
      message: "No file of the workspace has a block named `Agent.only`",
    });
  });
});
