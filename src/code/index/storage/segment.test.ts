import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { SegmentReader, SegmentWriter } from "./segment.ts";

const documents = 300;
const posting = fc.record({
  document: fc.integer({ min: 0, max: documents - 1 }),
  weight: fc.integer({ min: 0, max: 255 }),
});
const postings = fc
  .uniqueArray(posting, { selector: ({ document }) => document, minLength: 1, maxLength: documents })
  .map((all) => all.sort((one, other) => one.document - other.document));
const term = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("token", "tokens", "to", "tok\u0000en"));
const contents = fc.dictionary(term, postings, { maxKeys: 400, noNullPrototype: true });

describe("a segment", () => {
  for (const weighted of [true, false]) {
    it(`returns what was written, ${weighted ? "with" : "without"} weights`, () => {
      const property = fc.property(contents, fc.array(term, { maxLength: 10 }), (given, others) => {
        const writer = new SegmentWriter(documents, { weighted });
        const terms = Object.keys(given)
          .map((text) => Buffer.from(text))
          .sort(Buffer.compare);
        const expected = new Map(
          terms.map((bytes) => {
            const found = given[bytes.toString()]!;
            const weights = weighted ? found.map(({ weight }) => weight) : [];
            return [bytes.toString(), { documents: found.map(({ document }) => document), weights }];
          }),
        );
        for (const bytes of terms) {
          const found = given[bytes.toString()]!;
          writer.add(
            bytes,
            found.map(({ document }) => document),
            found.map(({ weight }) => weight),
          );
        }
        const { pages, ...head } = writer.done();
        const reader = new SegmentReader(head, (page) => pages[page]!);
        const read = (text: string) => {
          const found = reader.postings(Buffer.from(text));
          return found && { documents: [...found.documents], weights: [...found.weights] };
        };
        expect(new Map([...expected.keys()].map((text) => [text, read(text)]))).toEqual(expected);
        expect(others.map(read)).toEqual(others.map((text) => expected.get(text)));
        const asked = [...new Set([...expected.keys(), ...others])].map((text) => Buffer.from(text));
        const together = Array.from(
          reader.postingsOfAll(asked.sort(Buffer.compare)),
          ({ index, postings: found }) => [
            asked[index]!.toString(),
            { documents: [...found.documents], weights: [...found.weights] },
          ],
        );
        expect(together).toEqual([...expected]);
        const all = Array.from(reader.terms(), ({ term: bytes, postings: found }) => [
          Buffer.from(bytes).toString(),
          { documents: [...found.documents], weights: [...found.weights] },
        ]);
        expect(all).toEqual([...expected]);
        const startingWith = (start: Buffer) =>
          Array.from(reader.terms(start), ({ term: bytes }) => Buffer.from(bytes).toString());
        for (const start of [...others, "tok"].map((text) => Buffer.from(text)))
          expect(startingWith(start)).toEqual(
            terms.filter((bytes) => bytes.subarray(0, start.length).equals(start)).map(String),
          );
      });
      fc.assert(property, { numRuns: rounds(20) });
    });
  }
});
