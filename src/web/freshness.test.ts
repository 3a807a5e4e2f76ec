import { expect, it } from "vitest";
import type { WebAnswer } from "../contract/web.ts";
import { isFresh, mayBeCached, renewed, validators } from "./freshness.ts";

const answer = (headers: WebAnswer["headers"], status = 200): WebAnswer => ({
  status,
  headers,
  body: Buffer.from("body"),
  isCut: false,
});
const date = "Sun, 15 Nov 2026 12:00:00 GMT";

it("does not store responses marked no-store or failed responses", () => {
  expect([
    mayBeCached(answer({})),
    mayBeCached(answer({ "cache-control": "private, max-age=60" })),
    mayBeCached(answer({ "cache-control": "max-age=60, No-Store" })),
    mayBeCached(answer({ vary: "*" })),
    mayBeCached(answer({}, 404)),
    mayBeCached(answer({}, 206)),
  ]).toEqual([true, true, false, false, false, false]);
});

it.each([
  ["there are no headers", {}, 0, false],
  ["its max-age is not over", { "cache-control": "public, max-age=60" }, 59_000, true],
  ["its max-age is over", { "cache-control": "max-age=60" }, 60_000, false],
  ["it was already old on arrival", { "cache-control": 'max-age="60"', age: "30" }, 30_000, false],
  ["it requires revalidation", { "cache-control": "max-age=60, no-cache" }, 0, false],
  ["it expires later", { date, expires: "Sun, 15 Nov 2026 12:01:00 GMT" }, 59_000, true],
  ["it has expired", { date, expires: "0" }, 0, false],
  ["its max-age is not a number", { "cache-control": "max-age=soon" }, 0, false],
  [
    "max-age takes precedence over expires",
    { "cache-control": "max-age=0", date, expires: "Sun, 15 Nov 2027 12:01:00 GMT" },
    0,
    false,
  ],
])("decides whether a response is fresh when %s", (_when, headers, passedMs, holds) => {
  expect(isFresh({ checkedMs: 1_000_000, answer: answer(headers) }, 1_000_000 + passedMs)).toBe(holds);
});

it("revalidates with the validators the server sent", () => {
  expect([validators(answer({})), validators(answer({ etag: 'W/"a"', "last-modified": date }))]).toEqual([
    {},
    { "if-none-match": 'W/"a"', "if-modified-since": date },
  ]);
});

it("takes over new headers from a revalidation, except those about the missing body", () => {
  const kept = answer({ "content-type": "text/html", "cache-control": "max-age=1", etag: "a" });
  const now = answer({ "content-length": "0", "content-type": "x", "cache-control": "max-age=9" }, 304);
  expect(renewed(kept, now)).toEqual(
    answer({ "content-type": "text/html", "cache-control": "max-age=9", etag: "a" }),
  );
});
