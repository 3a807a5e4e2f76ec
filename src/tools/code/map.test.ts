import { afterAll, describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import { untilIndexed } from "../../../test/support/code-tools/until-indexed.ts";
import { type CodeMapInput, codeMap } from "./map.ts";

const project = {
  "src/money.ts": `/** An amount in cents. */
export interface Money {
  readonly cents: number;
}

export function addMoney(one: Money, other: Money): Money {
  return { cents: one.cents + other.cents };
}

export function neverUsed(): void {}
`,
  "src/cart.ts": `import { addMoney, type Money } from "./money.ts";

export function cartTotal(items: readonly Money[]): Money {
  return items.reduce(addMoney, { cents: 0 });
}
`,
  "src/order.ts": `import { cartTotal } from "./cart.ts";
import type { Money } from "./money.ts";

export function placeOrder(items: readonly Money[]): Money {
  return cartTotal(items);
}
`,
  "src/order.test.ts": `import { placeOrder } from "./order.ts";

function testOrder() {
  placeOrder([]);
}
`,
  "tools/report.py": "def print_report(orders):\n    print(len(orders))\n",
};

describe("code.map", () => {
  const opened = codeFixture(project);
  afterAll(() => opened[Symbol.asyncDispose]());
  const map = async (input: CodeMapInput) => {
    await untilIndexed(opened);
    return opened.run(codeMap, input);
  };

  it("lists the most used files first, each with its symbols in order, without tests", {
    tags: "slow",
  }, async () => {
    expect(await map({})).toMatchObject({
      text: `src/money.ts
  export interface Money [1-4]
  export function addMoney(one: Money, other: Money): Money [6-8]
  export function neverUsed(): void [10-10]
src/cart.ts
  export function cartTotal(items: readonly Money[]): Money [3-5]
src/order.ts
  export function placeOrder(items: readonly Money[]): Money [4-6]
tools/report.py
  def print_report(orders) [1-2]`,
    });
  });

  it("returns a weight for each file and symbol, and the state of the index", { tags: "slow" }, async () => {
    const { data } = await map({});
    const weights = data.files.map(({ weight }) => weight);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1);
    expect(weights).toEqual(weights.toSorted((one, other) => other - one));
    expect([data.symbols, data.knownFiles, data.index]).toEqual([
      6,
      4,
      { files: 5, indexed: 5, outlined: 5, outlinable: 5 },
    ]);
  });

  it("keeps the most central symbols when space is short", async () => {
    const { text, continuation } = await map({ tokens: 50 });
    expect([text, continuation]).toEqual([
      `src/money.ts
  export interface Money [1-4]
  export function addMoney(one: Money, other: Money): Money [6-8]
src/cart.ts
  export function cartTotal(items: readonly Money[]): Money [3-5]`,
      "3 of 6 symbols shown; raise tokens, or give the path of a folder, for more.",
    ]);
  });

  it.each<[string, CodeMapInput, string]>([
    ["a folder", { path: "tools" }, "tools/report.py\n  def print_report(orders) [1-2]"],
    ["a language", { language: "py" }, "tools/report.py\n  def print_report(orders) [1-2]"],
  ])("restricts the map to %s", async (_name, input, text) => {
    expect((await map(input)).text).toBe(text);
  });

  it("returns the same each time", async () => {
    expect(await map({})).toEqual(await map({}));
  });

  it("suggests where to look when nothing is indexed", async () => {
    const { text } = await map({ language: "rust" });
    expect(text).toBe("No symbols found here. List files with search.glob or file.list.");
  });

  it("ignores words at the start of comments", { tags: "slow" }, async () => {
    const expected = Array.from({ length: 8 }, (_, number) => [
      `said${number}.ts`,
      `// Note: this is ${number}.\nlet a;\n`,
    ]);
    const using = Array.from({ length: 3 }, (_, number) => [`using${number}.ts`, "readToken();\n"]);
    await using words = codeFixture({
      "note.ts": "export interface Note {}\n",
      "token.ts": "export function readToken() {}\n",
      ...Object.fromEntries([...expected, ...using]),
    });
    await untilIndexed(words);
    const { data } = await words.run(codeMap, {});
    expect(data.files.map(({ path }) => path).slice(0, 2)).toEqual(["token.ts", "note.ts"]);
  });
});
