import { describe, expect, it } from "vitest";
import { readQuery } from "./query.ts";

describe("a query", () => {
  it("weighs meaningful words, then whole names, then synonyms", () => {
    const { terms, writtenAs, roles } = readQuery("Where is the cartTotal computed?");
    expect(Object.fromEntries(terms)).toEqual({
      cart: 1,
      total: 1,
      "=carttotal": 0.5,
      comput: 1,
      calculat: 0.15,
      calc: 0.15,
      com: 0.4,
      comp: 0.4,
      compu: 0.4,
    });
    expect([Object.fromEntries(writtenAs), [...roles]]).toEqual([
      { cart: "cart", total: "total", comput: "computed" },
      [],
    ]);
  });

  it('treats "whether" as a hint at "is"', () => {
    expect(readQuery("whether a list is empty").terms.get("is")).toBe(0.15);
  });

  it("weighs a repeated word more", () => {
    expect(readQuery("page of page").terms.get("pag")).toBe(Math.SQRT2);
  });

  it("uses stop words when there are no others", () => {
    expect([...readQuery("what is this").terms.keys()].slice(0, 3)).toEqual(["what", "is", "this"]);
  });

  it.each([
    ["how do the tests mock time", ["test"]],
    ["examples in the readme", ["example", "documentation"]],
    ["contest of attestations", []],
  ])('detects which kinds of files "%s" is about', (words, roles) => {
    expect([...readQuery(words).roles]).toEqual(roles);
  });
});
