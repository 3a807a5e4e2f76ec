import { expect, it } from "vitest";
import type { CachedPage } from "../contract/web.ts";
import { PageCache } from "./page-memory.ts";

const page = (bytes: number, checkedMs = 0): CachedPage => ({
  checkedMs,
  answer: { status: 200, headers: {}, body: new Uint8Array(bytes), isCut: false },
});

it("drops the oldest pages when memory is full", () => {
  const pages = new PageCache({ maxBytes: 10_000 });
  for (const [index, url] of ["a", "b", "c"].entries()) pages.keep(url, page(3000, index));
  expect(["a", "b", "c"].map((url) => pages.get(url)?.checkedMs)).toEqual([undefined, 1, 2]);
});

it("counts headers towards the limit", () => {
  const pages = new PageCache({ maxBytes: 10_000 });
  const { answer } = page(10);
  for (const url of ["a", "b"])
    pages.keep(url, { checkedMs: 0, answer: { ...answer, headers: { etag: "x".repeat(6000) } } });
  expect(["a", "b"].map((url) => pages.get(url)?.answer.body.length)).toEqual([undefined, 10]);
});

it("counts a page that is stored again once, and as the newest", () => {
  const pages = new PageCache({ maxBytes: 10_000 });
  pages.keep("a", page(3000, 1));
  pages.keep("b", page(3000, 2));
  pages.keep("a", page(4000, 3));
  pages.keep("c", page(3000, 4));
  expect(["a", "b", "c"].map((url) => pages.get(url)?.checkedMs)).toEqual([3, undefined, 4]);
});

it("does not store a page larger than the limit, and drops the older version of it", () => {
  const pages = new PageCache({ maxBytes: 10_000 });
  pages.keep("a", page(10));
  pages.keep("a", page(20_000));
  pages.keep("b", page(10));
  pages.forget("b");
  expect([pages.get("a"), pages.get("b")]).toEqual([undefined, undefined]);
});
