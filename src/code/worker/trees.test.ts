import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import { findLanguage } from "../languages/find-language.ts";
import { changeBetween } from "./sent-texts.ts";
import { type SentText, Trees } from "./trees.ts";

const samples = {
  typescript:
    "export class A<T> {\n  b(c: T) { return 'x' + c; }\n}\n\nconst d = [1, 2].map((e) => e + 1);\n",
  python: 'class A:\n    def b(self):\n        """Doc."""\n        return [c for c in self]\n\n\nx = 1\n',
  rust: 'impl A {\n    /// Doc.\n    fn b(&self) -> u8 { match self { _ => 1 } }\n}\n\nconst C: &str = r#"😀"#;\n',
  json: '{\n  "a": [1, { "b": "😀" }],\n  "c": null\n}\n',
};

describe("trees", () => {
  it("equal those of a fresh parse, regardless of earlier changes", { tags: "slow" }, async () => {
    const edit = fc.record({
      at: fc.nat(),
      length: fc.nat({ max: 12 }),
      text: fc.constantFrom(
        "",
        " ",
        "\n",
        "x",
        "{",
        "}",
        '"',
        "'",
        "(a)",
        "😀",
        "/*",
        "def f(): pass\n",
        "fn g() {}\n",
      ),
    });
    const language = fc.constantFrom(...(Object.keys(samples) as (keyof typeof samples)[]));
    await fc.assert(
      fc.asyncProperty(language, fc.array(edit, { maxLength: 6 }), async (name, edits) => {
        const trees = new Trees<string>();
        const others = new Trees<string>();
        let text = samples[name].repeat(3);
        await trees.parse(sent(name, 1, text));
        for (const [index, { at, length, text: inserted }] of edits.entries()) {
          const start = at % (text.length + 1);
          const before = text;
          text = before.slice(0, start) + inserted + before.slice(start + length);
          const change = { ...changeBetween(before, text), base: index + 1 };
          const changed = await trees.parse(sent(name, index + 2, change));
          const fresh = await others.parse(sent(name, index + 2, text));
          expect([changed?.text, changed?.tree.rootNode.toString()]).toEqual([
            text,
            fresh?.tree.rootNode.toString(),
          ]);
        }
      }),
      { numRuns: rounds(20) },
    );
  });

  it("report where they differ from the previous ones, and what was known then", async () => {
    const trees = new Trees<string>();
    const first = await trees.parse(sent("json", 1, "[1, 2, 3]"));
    first!.known = "three numbers";
    const second = await trees.parse(sent("json", 2, { base: 1, start: 4, oldEnd: 5, text: "20" }));
    expect(second).toMatchObject({
      text: "[1, 20, 3]",
      known: undefined,
      previous: {
        text: "[1, 2, 3]",
        known: "three numbers",
        changed: { start: 4, oldEnd: 5, newEnd: 6 },
      },
    });
    expect(await trees.parse(sent("json", 2, { base: 2, start: 0, oldEnd: 0, text: "" }))).toBe(second);
  });

  it("are dropped after a while, and then need the whole text", async () => {
    const trees = new Trees<string>();
    await trees.parse(sent("json", 1, "[]"));
    for (let other = 0; other < 12; other += 1)
      await trees.parse({ ...sent("json", 1, "{}"), path: `other${other}` });
    expect(await trees.parse(sent("json", 2, { base: 1, start: 1, oldEnd: 1, text: "1" }))).toBeUndefined();
    expect(await trees.parse(sent("json", 2, "[1]"))).toMatchObject({ text: "[1]", previous: undefined });
    expect(await trees.parse(sent("json", 4, { base: 3, start: 1, oldEnd: 1, text: "1" }))).toBeUndefined();
  });

  it("take no more memory after many parses than after some", { tags: "slow" }, async () => {
    const trees = new Trees<string>();
    const text = samples.python.repeat(20);
    const parseMany = async (from: number) => {
      for (let version = from; version < from + 300; version += 1)
        await trees.parse({ ...sent("python", version, text), path: `${version % 30}.py` });
      return process.memoryUsage().external + process.memoryUsage().arrayBuffers;
    };
    const some = await parseMany(0);
    const more = await parseMany(300);
    // The memory of WebAssembly counts as external. It grows only when memory is not freed.
    expect(more).toBeLessThan(some + 4_000_000);
  });
});

function sent(language: string, version: number, text: SentText["sent"]): SentText {
  return { path: "a", language, grammar: findLanguage(language).grammar, version, sent: text };
}
