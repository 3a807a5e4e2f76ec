import { describe, expect, it } from "vitest";
import { stem, termsOf } from "./terms.ts";

describe("terms of a text", () => {
  it.each<[string, string[]]>([
    ["parseHTTPResponse2", ["pars", "http", "respons", "=parsehttpresponse2"]],
    ["parse_http_response", ["pars", "http", "respons", "=parse_http_response"]],
    ["MAX_URLS", ["max", "url", "=max_urls"]],
    ["the URLs of sha256", ["the", "url", "=urls", "of", "sha", "256", "=sha256"]],
    ["Parser", ["parser", "=parser"]],
    ["a + b * 1", []],
    ["12 1234567", ["12"]],
    ["größe Straße", ["größe", "straße", "=straße"]],
    ["読み込み中", ["読み", "み込", "込み", "み中"]],
    ["“quoted”—dash", ["quot", "dash"]],
    [`${"x".repeat(81)} y2`, ["=y2"]],
    ["", []],
  ])("for %s", (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });
});

describe("a stem", () => {
  it.each([
    [["parse", "parses", "parsed", "parsing"], "pars"],
    [["map", "maps", "mapped", "mapping"], "map"],
    [["query", "queries"], "query"],
    [["box", "boxes"], "box"],
    [["class", "classes"], "class"],
    [["cache", "caches", "cached", "caching"], "cach"],
    [["status"], "status"],
    [["string"], "string"],
    [["bus"], "bus"],
  ])("of %j is the same", (words, expected) => {
    expect(words.map(stem)).toEqual(words.map(() => expected));
  });
});
