import { expect, it } from "vitest";
import { domains, isWanted, queryFor } from "./search.ts";

it("adds the sites to the query", () => {
  expect([
    queryFor("a b", { only: [], without: [] }),
    queryFor("a", { only: ["x.org", "y.org"], without: ["z.x.org"] }),
  ]).toEqual(["a b", "a site:x.org OR site:y.org -site:z.x.org"]);
});

it.each([
  ["https://x.org/a", { only: [], without: [] }, true],
  ["https://x.org/a", { only: ["x.org"], without: [] }, true],
  ["https://docs.X.org:8080/a", { only: ["x.org"], without: [] }, true],
  ["https://notx.org/", { only: ["x.org"], without: [] }, false],
  ["https://docs.x.org/", { only: ["x.org"], without: ["docs.x.org"] }, false],
  ["https://xn--mnchen-3ya.de/", { only: ["münchen.de"], without: [] }, true],
  ["no address", { only: ["x.org"], without: [] }, false],
])("decides whether %s matches %j", (url, wanted, is) => {
  expect(isWanted(url, wanted)).toBe(is);
});

it("accepts only host names as domains", () => {
  const takes = (text: string) => domains("").safeParse([text]).success;
  expect(["docs.rs", "localhost", "https://docs.rs", "docs.rs/a", "a b", "-x", ""].map(takes)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
