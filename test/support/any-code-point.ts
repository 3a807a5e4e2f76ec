import fc from "fast-check";

const firstSurrogate = 0xd800;
const afterSurrogates = 0xe000;
const surrogates = afterSurrogates - firstSurrogate;

/**
 * A unit for strings of any code points except surrogates. Equals fast-check's "binary", without its table of all
 * code points, which takes 85 MB in every test process and slows down every program that it starts later.
 */
export const anyCodePoint: fc.Arbitrary<string> = fc
  .nat({ max: 0x10_ffff - surrogates })
  .map((index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates), indexOf);

function indexOf(value: unknown): number {
  const code = typeof value === "string" ? value.codePointAt(0) : undefined;
  if (code === undefined || value !== String.fromCodePoint(code)) throw new Error("not one code point");
  if (code < firstSurrogate) return code;
  if (code < afterSurrogates) throw new Error("a surrogate");
  return code - surrogates;
}
