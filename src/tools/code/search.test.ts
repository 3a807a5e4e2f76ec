import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { rgPath } from "@vscode/ripgrep";
import { afterAll, describe, expect, it, vi } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import { untilIndexed } from "../../../test/support/code-tools/until-indexed.ts";
import type { CodeService } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { type CodeSearchInput, codeSearch } from "./search.ts";

const shop = {
  "src/cart.ts": `import { priceOf } from "./prices.ts";

/** Adds up what is in a cart. */
export function cartTotal(items: readonly Item[]): number {
  let total = 0;
  for (const item of items) total += priceOf(item) * item.count;
  return total;
}

export class Cart {
  readonly items: Item[] = [];

  /** Takes an item out again. */
  removeItem(name: string): void {
    const place = this.items.findIndex((item) => item.name === name);
    if (place >= 0) this.items.splice(place, 1);
  }
}
`,
  "src/prices.ts": `const prices = new Map<string, number>();

export function priceOf(item: { name: string }): number {
  return prices.get(item.name) ?? 0;
}

/** Fetches the price list from the server again. */
export async function refreshPrices(url: string): Promise<void> {
  const answer = await fetch(url);
  for (const [name, price] of Object.entries(await answer.json())) prices.set(name, Number(price));
}
`,
  "src/cart.test.ts": `import { cartTotal } from "./cart.ts";

test("adds up the cart total", () => {
  expect(cartTotal([{ name: "a", count: 2 }])).toBe(0);
});
`,
  "tools/report.py": `def total_per_day(orders):
    """Adds up orders by their day."""
    totals = {}
    for order in orders:
        totals[order.day] = totals.get(order.day, 0) + order.price
    return totals
`,
  "README.md": "# Shop\n\nThe cart total is the sum of all prices.\n",
};

describe("code.search", () => {
  const opened = codeFixture(shop);
  const small = codeFixture({
    "a.ts": "export function first() { return marker; }\n",
    "b.ts": "export function second() { return marker; }\n",
    "c.ts": "export function onlyOnOther() {}\n",
    "many.txt": "repeated\n".repeat(201),
    "once.txt": "repeated\n",
  });
  afterAll(() => Promise.all([opened, small].map((fixture) => fixture[Symbol.asyncDispose]())));
  const find = async (input: CodeSearchInput) => {
    await untilIndexed(opened);
    return opened.run(codeSearch, input);
  };
  const locations = async (input: CodeSearchInput) =>
    (await find(input)).data.results.map(({ path, symbol }) => `${path} ${symbol?.name ?? "-"}`);

  it("gives no reason when a name consists only of stop words", { tags: "slow" }, async () => {
    await untilIndexed(small);
    const { text } = await small.run(codeSearch, { query: "onlyOnOther" });
    expect(text).toBe("c.ts:1 function onlyOnOther\n  1| export function onlyOnOther() {}");
  });

  it("answers a question with the most relevant code, and why", { tags: "slow" }, async () => {
    expect(await find({ query: "fetch the price list from the server", limit: 1 })).toEqual({
      data: {
        way: "words",
        results: [
          {
            path: "src/prices.ts",
            firstLine: 7,
            lastLine: 11,
            symbol: {
              kind: "function",
              name: "refreshPrices",
              within: [],
              firstLine: 7,
              lastLine: 11,
              signature: "export async function refreshPrices(url: string): Promise<void>",
            },
            why: "name: price; comment: fetch, list, server",
            matches: [],
            excerpt: [
              { line: 7, text: "/** Fetches the price list from the server again. */" },
              { line: 8, text: "export async function refreshPrices(url: string): Promise<void> {" },
              { line: 9, text: "  const answer = await fetch(url);" },
              {
                line: 10,
                text: "  for (const [name, price] of Object.entries(await answer.json())) prices.set(name, Number(price));",
              },
              { line: 11, text: "}" },
            ],
          },
        ],
        limited: true,
        index: { files: 5, indexed: 5, outlined: 5, outlinable: 5 },
      },
      text: `src/prices.ts:7-11 function refreshPrices  (name: price; comment: fetch, list, server)
  7| /** Fetches the price list from the server again. */
  8| export async function refreshPrices(url: string): Promise<void> {
  9|   const answer = await fetch(url);
  10|   for (const [name, price] of Object.entries(await answer.json())) prices.set(name, Number(price));
  11| }`,
      continuation:
        "There may be more: use more words, or raise `limit`, or give `path`, or give `kind`, or give `language`.",
    });
  });

  it("ranks the definition of an identifier before its uses, and code before tests and prose", {
    tags: "slow",
  }, async () => {
    const found = await locations({ query: "cartTotal" });
    const order = ["src/cart.ts cartTotal", "src/cart.test.ts -", "README.md Shop"];
    expect([found[0], found.filter((location) => order.includes(location))]).toEqual([order[0], order]);
  });

  it("finds tests when the query asks for them", async () => {
    expect((await locations({ query: "test of the cart total" }))[0]).toBe("src/cart.test.ts -");
  });

  it("finds synonyms", async () => {
    expect((await locations({ query: "delete an item" }))[0]).toBe("src/cart.ts removeItem");
  });

  it.each<[string, CodeSearchInput, string[]]>([
    ["a kind", { query: "item", kind: "method" }, ["src/cart.ts removeItem"]],
    ["fields", { query: "items of the cart", kind: "field" }, ["src/cart.ts items"]],
    ["a language", { query: "adds up", language: "py" }, ["tools/report.py total_per_day"]],
    ["a folder", { query: "adds up", path: "tools" }, ["tools/report.py total_per_day"]],
    ["a file", { query: "total", path: "README.md" }, ["README.md Shop"]],
    ["a glob", { query: "adds up", path: "**/*.py" }, ["tools/report.py total_per_day"]],
  ])("restricts the search to %s", async (_name, input, expected) => {
    expect(await locations(input)).toEqual(expected);
  });

  it("finds quoted text exactly, each symbol once, its definition first", async () => {
    expect(await find({ query: '"cartTotal"' })).toMatchObject({
      data: { way: "literal", limited: false },
      text: `src/cart.ts:4 function cartTotal  (1 matching line)
  4| export function cartTotal(items: readonly Item[]): number {
src/cart.test.ts:1-4  (2 matching lines)
  1| import { cartTotal } from "./cart.ts";
  4|   expect(cartTotal([{ name: "a", count: 2 }])).toBe(0);`,
    });
  });

  it("finds quoted text first in the file that defines it", async () => {
    const { data } = await find({ query: '"priceOf"' });
    expect(data.results.map(({ path }) => path)).toEqual(["src/prices.ts", "src/cart.ts", "src/cart.ts"]);
  });

  it("takes the symbols of unchanged files from the index, and parses changed ones", {
    tags: "slow",
  }, async () => {
    await untilIndexed(small);
    const parsed: string[] = [];
    const code: CodeService = {
      ...small.context.code,
      outline: (source, options) => {
        parsed.push(source.path);
        return small.context.code.outline(source, options);
      },
      index: async (waiting) => {
        const index = await small.context.code.index(waiting);
        writeFileSync(small.at("b.ts"), "\n\nexport function changed() { return marker; }\n");
        return index;
      },
    };
    const { data } = await codeSearch.run({ query: '"marker"' }, { ...small.context, code });
    expect(data.results.map(({ path, symbol }) => [path, symbol?.name, symbol?.firstLine])).toEqual([
      ["a.ts", "first", 1],
      ["b.ts", "changed", 3],
    ]);
    expect(parsed).toEqual(["b.ts"]);
  });

  it("requests all candidates when the first ones contain too few results", { tags: "slow" }, async () => {
    await untilIndexed(small);
    const first = Array.from({ length: 1000 }, (_, number) => `missing${number}.ts`);
    const asked: unknown[] = [];
    const code: CodeService = {
      ...small.context.code,
      index: async (waiting) => ({
        ...(await small.context.code.index(waiting)),
        candidates: async ({ limit }) => {
          asked.push(limit);
          return ["b.ts", ...first, "a.ts"].slice(0, limit);
        },
      }),
    };
    const find = async (limit: number) => {
      const { data } = await codeSearch.run({ query: '"marker"', limit }, { ...small.context, code });
      return { paths: data.results.map(({ path }) => path), limited: data.limited };
    };
    expect(await find(1)).toEqual({ paths: ["b.ts"], limited: true });
    expect(await find(2)).toEqual({ paths: ["b.ts", "a.ts"], limited: false });
    expect(asked).toEqual([1000, undefined, 1000, undefined]);
  });

  describe("when the index ends before it returns all candidates", () => {
    const missing = Array.from({ length: 1000 }, (_, number) => `missing${number}.ts`);
    /** Searches while the index returns only the first candidates. */
    const search = async (query: string, first: readonly string[], language?: string) => {
      await untilIndexed(small);
      const code: CodeService = {
        ...small.context.code,
        index: async (waiting) => ({
          ...(await small.context.code.index(waiting)),
          candidates: async ({ limit }) => {
            if (limit === undefined) throw new ToolError("unavailable", "The index has ended");
            return [...first, ...missing].slice(0, limit);
          },
        }),
      };
      const { data, text } = await codeSearch.run({ query, limit: 2, language }, { ...small.context, code });
      return { found: { paths: data.results.map(({ path }) => path), limited: data.limited }, text };
    };

    it("searches the other files with ripgrep", { tags: "slow" }, async () => {
      const { found } = await search('"marker"', ["b.ts"]);
      expect(found).toEqual({ paths: ["b.ts", "a.ts"], limited: false });
    });

    it.each<[string, string[]]>([
      ["another file", []],
      ["a file that was already searched", ["many.txt"]],
    ])("says that there may be more when ripgrep stops in %s", { tags: "slow" }, async (_, first) => {
      const { found } = await search('"repeated"', first);
      expect(found).toEqual({ paths: ["many.txt"], limited: true });
    });

    it("says that there may be more when ripgrep finds only files in other languages", {
      tags: "slow",
    }, async () => {
      expect(await search('"repeated"', [], "typescript")).toEqual({
        found: { paths: [], limited: true },
        text: 'Nothing found for "repeated", but not all files were searched. Give `path`, or use search.grep.',
      });
    });
  });

  it("does not start ripgrep when too many files are open", async () => {
    await untilIndexed(small);
    const cause = Object.assign(new Error("EMFILE"), { code: "EMFILE" });
    const error = new ToolError("unavailable", "Too many files are open", { cause });
    using _ = vi.spyOn(small.context.environment, "readFile").mockRejectedValue(error);
    await expect(small.run(codeSearch, { query: '"marker"' })).rejects.toBe(error);
  });

  it("finds a regular expression in slashes, in symbols of a kind", async () => {
    const { data } = await find({ query: "/ITEMS\\./i", kind: "method" });
    expect(data.results.map(({ path, matches }) => [path, matches])).toEqual([["src/cart.ts", [15, 16]]]);
  });

  it.each([
    '"total"',
    '"the cart total"',
    "/prices?\\b/",
    "/^export (async )?function/",
    "/TOTAL/i",
    '"}"',
    "/\\s$/",
    '"."',
    '"zebra"',
  ])("finds the same lines as ripgrep for %s", async (query) => {
    const { data } = await find({ query, limit: 1000 });
    const found = data.results.flatMap(({ path, matches }) => matches.map((line) => `${path}:${line}`));
    expect(found.toSorted()).toEqual(linesByRipgrep(query, opened.workspace));
  });

  it("suggests the next step when nothing is found", async () => {
    expect(await find({ query: "zebra", kind: "class" })).toEqual({
      data: {
        way: "words",
        results: [],
        limited: false,
        index: { files: 5, indexed: 5, outlined: 5, outlinable: 5 },
      },
      text: "Nothing found for zebra. Try this: leave out kind; or use other words.",
    });
  });

  it.each<[string, CodeSearchInput, string, unknown]>([
    ["an unknown kind", { query: "a", kind: "gadget" }, "invalid-input", 'Unknown symbol kind "gadget"'],
    [
      "an unknown language",
      { query: "a", language: "klingon" },
      "unsupported",
      'There is no grammar for the language "klingon"',
    ],
    ["a missing folder", { query: "a", path: "missing" }, "not-found", "missing does not exist"],
    [
      "a path outside",
      { query: "a", path: "../.." },
      "outside-workspace",
      "../.. leads outside the workspace",
    ],
    ["an invalid expression", { query: "/(a/" }, "invalid-input", expect.any(String)],
    [
      "text of two lines",
      { query: '"a\nb"' },
      "invalid-input",
      expect.stringContaining("line ends can be matched only with multiline"),
    ],
  ])("refuses %s", async (_name, input, code, message) => {
    expect(await opened.refusal(codeSearch, input)).toMatchObject({ code, message });
  });

  it("returns a hint for an invalid expression", async () => {
    expect((await opened.refusal(codeSearch, { query: "/[/" })).hint).toBe(
      'Correct the expression, or put plain text in "quotes". Across lines: search.grep with multiline.',
    );
  });

  it.each(['""', "//", " ", "?!", "\0"])("finds nothing for the empty query %j", async (query) => {
    expect((await find({ query })).data.results).toEqual([]);
  });
});

function linesByRipgrep(query: string, workspace: string): string[] {
  const [, pattern, flags] = /^["/](.*)["/](i?)$/.exec(query)!;
  const how = [...(query.startsWith('"') ? ["-F"] : []), ...(flags ? ["-i"] : [])];
  try {
    const found = execFileSync(rgPath, ["-n", "--color=never", ...how, "-e", pattern!, "."], {
      cwd: workspace,
    });
    return Array.from(found.toString().matchAll(/^\.\/([^:]*:\d+):/gm), ([, location]) => location!).sort();
  } catch {
    return [];
  }
}
