import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { translateRegex } from "../../../lib/rust-regex/rust-regex.ts";
import { toSearchableText } from "../../../lib/text/searchable-text.ts";
import { hasOddCase, searchableBytes, TrigramCollector } from "../build/build-lexical.ts";
import { SegmentReader } from "../storage/segment.ts";
import { trigramsOfLiteral, trigramsOfRegex } from "./required-trigrams.ts";
import { documentsFor, rarestFirst, type TrigramQuery, trigramTerm } from "./trigrams.ts";

const exact = { ignoreCase: false };

const collector = new TrigramCollector();

/** Which of these texts can match. */
function candidates(query: TrigramQuery, texts: readonly string[]): readonly string[] {
  for (const text of texts) collector.add(searchableBytes(Buffer.from(text)).bytes);
  const { pages, ...head } = collector.write();
  const segment = new SegmentReader(head, (page) => pages[page]!);
  const countOf = (trigram: number) => segment.count(trigramTerm(trigram));
  const documents = query === "all" ? "all" : documentsFor(rarestFirst(query, countOf), segment);
  return texts.filter((text, index) => {
    if (hasOddCase(Buffer.from(text))) return true;
    return documents === "all" || documents.includes(index);
  });
}

/** The trigrams of a query as letters. */
function show(query: TrigramQuery): unknown {
  if (query === "all") return "all";
  if ("trigram" in query) return Buffer.from(trigramTerm(query.trigram)).toString();
  return "every" in query ? { every: query.every.map(show) } : { some: query.some.map(show) };
}

describe("trigramsOfRegex", () => {
  const asked = (pattern: string, ignoreCase = false) => show(trigramsOfRegex(pattern, { ignoreCase }));

  it("requires all trigrams of a literal, in lower case", () => {
    expect(asked("Token")).toEqual({ every: ["tok", "oke", "ken"] });
    expect(show(trigramsOfLiteral("a.b*", exact))).toEqual({ every: ["a.b", ".b*"] });
  });

  it("requires the text on both sides of a wildcard", () => {
    expect(asked("fn .*init")).toEqual({ every: ["fn ", "ini", "nit"] });
    expect(asked(String.raw`\bclass\s+Foo\b`)).toEqual({ every: ["cla", "las", "ass", "foo"] });
  });

  it("requires one of several alternatives", () => {
    expect(asked("abc|xyz")).toEqual({ some: ["abc", "xyz"] });
    expect(asked("ab[cd]e?")).toEqual({
      some: [{ every: ["abc", "bce"] }, "abc", { every: ["abd", "bde"] }, "abd"],
    });
  });

  it("requires nothing when nothing is certain", () => {
    const patterns = ["", "ab", "a*", "(?:abc)?", "[a-z]+", "abc|x", ".", "(?-u:\\xff)abc", "(unclosed"];
    expect(patterns.map((pattern) => asked(pattern))).toEqual(patterns.map(() => "all"));
  });

  it("leaves out letters whose other case has other bytes", () => {
    expect(asked("straße", true)).toEqual({ every: ["str", "tra"] });
    expect(candidates(trigramsOfRegex("kelvin", { ignoreCase: true }), ["\u212aelvin", "celsius"])).toEqual([
      "\u212aelvin",
    ]);
  });

  it("looks for the rarest trigrams first", () => {
    const counts: Readonly<Record<string, number>> = { tok: 9, oke: 2, ken: 5, abc: 1, bcd: 3 };
    const countOf = (trigram: number) => counts[Buffer.from(trigramTerm(trigram)).toString()]!;
    const ordered = (pattern: string) => {
      const query = trigramsOfRegex(pattern, exact);
      return query === "all" ? query : show(rarestFirst(query, countOf));
    };
    expect(ordered("token")).toEqual({ every: ["oke", "ken", "tok"] });
    expect(ordered("ken.*(?:abc|bcd)")).toEqual({ every: [{ some: ["abc", "bcd"] }, "ken"] });
  });

  it("never misses a matching text", { tags: "slow" }, () => {
    const letters = fc.constantFrom(..."abcABCksKSéÉßſ\u212aΣς文字 .-\n");
    const text = fc.string({ unit: letters, maxLength: 24 });
    const atom = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(..."abcABCkséÉß文") },
      fc.constantFrom(
        ".",
        "[a-c]",
        "[ab]",
        "[^a]",
        "\\w",
        "\\s",
        "^",
        "$",
        "\\b",
        "(?i:ab)",
        "abc",
        "(?i)Bc",
      ),
    );
    const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
      piece: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        atom,
        fc
          .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "{0}", "+?"))
          .map(([inner, count]) => `(?:${inner})${count}`),
        fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`),
      ),
      pattern: fc.array(tie("piece"), { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join("")),
    }));
    const property = fc.property(
      pattern,
      fc.boolean(),
      fc.array(text, { minLength: 1, maxLength: 12 }),
      (source, ignoreCase, texts) => {
        const regex = translateRegex(source, { ignoreCase, multiline: true });
        fc.pre(regex.untranslatable === undefined && !regex.mayBacktrack);
        const matching = texts.filter((given) => {
          const { text: searchable, traits } = toSearchableText(Buffer.from(given));
          const expression = regex.compile(traits);
          expression.lastIndex = 0;
          return expression.test(searchable);
        });
        const found = candidates(trigramsOfRegex(source, { ignoreCase }), texts);
        expect(matching.filter((given) => !found.includes(given))).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: rounds(20) });
  });
});
