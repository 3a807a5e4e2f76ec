import fc from "fast-check";
import { expect, it } from "vitest";
import { parsePatch } from "../edit/parse/patch.ts";
import { patchGrammar } from "./openai.ts";

const accepts = recogniserOf(patchGrammar);

const word = fc.string({ unit: fc.constantFrom(..."abé/.*@ -+\t{}"), maxLength: 8 });
const path = fc
  .string({ unit: fc.constantFrom(..."ab/._- "), minLength: 1, maxLength: 8 })
  .map((name) => `a${name}z`);
const line = fc.tuple(fc.constantFrom(" ", "-", "+"), word).map(([mark, text]) => `${mark}${text}`);
const place = fc.oneof(
  fc.constant("@@"),
  path.map((text) => `@@ ${text}`),
);
const hunk = fc
  .tuple(fc.array(place, { minLength: 1, maxLength: 2 }), fc.array(line, { minLength: 1 }), fc.boolean())
  .map(([places, lines, isLast]) => [...places, ...lines, ...(isLast ? ["*** End of File"] : [])]);
const section = fc.oneof(
  fc
    .tuple(path, fc.array(word))
    .map(([name, lines]) => [`*** Add File: ${name}`, ...lines.map((text) => `+${text}`)]),
  path.map((name) => [`*** Delete File: ${name}`]),
  fc
    .tuple(path, fc.option(path), fc.array(hunk, { minLength: 1, maxLength: 3 }))
    .map(([name, to, hunks]) => [
      `*** Update File: ${name}`,
      ...(to === null ? [] : [`*** Move to: ${to}`]),
      ...hunks.flat(),
    ]),
);
const patch = fc
  .array(section, { minLength: 1, maxLength: 4 })
  .map((sections) => ["*** Begin Patch", ...sections.flat(), "*** End Patch"].join("\n"));

it("accepts every patch that the strict parser reads", () => {
  fc.assert(
    fc.property(patch, (text) => {
      expect(() => parsePatch(text, "strict")).not.toThrow();
      expect([accepts(text), accepts(`${text}\n`)]).toEqual([true, true]);
    }),
  );
});

it("accepts no patch that cannot be parsed", () => {
  const broken = fc
    .tuple(patch, fc.nat(), fc.constantFrom("", "x\n", "*** ", "@@\n"))
    .map(([text, at, noise]) => {
      const lines = text.split("\n");
      const index = at % lines.length;
      return [
        ...lines.slice(0, index),
        ...(noise === "" ? [] : [`${noise}${lines[index]}`]),
        ...lines.slice(index + 1),
      ].join("\n");
    });
  fc.assert(
    fc.property(broken, (text) => {
      if (accepts(text)) expect(() => parsePatch(text, "strict")).not.toThrow();
    }),
  );
});

it.each([
  ["nothing", ""],
  ["a patch without a file", "*** Begin Patch\n*** End Patch"],
  ["a patch without an end", "*** Begin Patch\n*** Delete File: a"],
  ["text before the patch", "Here it is:\n*** Begin Patch\n*** Delete File: a\n*** End Patch"],
  ["a new file with context", "*** Begin Patch\n*** Add File: a\n b\n*** End Patch"],
  ["an empty update", "*** Begin Patch\n*** Update File: a\n*** End Patch"],
])("refuses %s", (_, text) => {
  expect(accepts(text)).toBe(false);
});

/** Reads a lark grammar without recursive rules, which is a regular expression. */
function recogniserOf(grammar: string): (text: string) => boolean {
  const rules = new Map(
    grammar
      .trim()
      .split("\n")
      .map((rule) => rule.split(/: (.*)/s, 2) as [string, string]),
  );
  const tokens = /"((?:[^"\\]|\\.)*)"|\/((?:[^/\\]|\\.)+)\/|([A-Za-z_]+)|([()|?*+])|\s+/gy;
  const expand = (name: string): string => {
    const rule = rules.get(name);
    if (rule === undefined) throw new Error(`no rule ${name}`);
    const parts = [...rule.matchAll(tokens)];
    expect(parts.map(([whole]) => whole).join("")).toBe(rule);
    const pieces = parts.map(([, text, expression, other, sign]) => {
      if (text !== undefined) return `(?:${text.replace(/[*+?.()|[\]\\]/g, "\\$&")})`;
      if (expression !== undefined) return `(?:${expression})`;
      return other === undefined ? (sign ?? "") : expand(other);
    });
    return `(?:${pieces.join("")})`;
  };
  const whole = new RegExp(`^${expand("start")}$`, "u");
  return (text) => whole.test(text);
}
