import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import { ActionReader } from "./action-reader.ts";

const call = '{"action": "tool_call", "tool": "read_file", "args": {"path": "a.ts"}}';
const called = { action: "tool_call", tool: "read_file", args: { path: "a.ts" } };

describe("shows the user", () => {
  it.each([
    ["prose before and after a call", `First this.\n\n${call}\n\nThen that.`, "First this.\n\nThen that."],
    ["no fence or list around calls", `See:\n\`\`\`json\n[${call},\n${call}]\n\`\`\`\n`, "See:"],
    [
      "the message of a response",
      'Well.\n{"action": "respond", "message": "Hello {you}"}',
      "Well.\n\nHello {you}",
    ],
    ["the summary at the end", '{"action": "done", "summary": "All is well."}', "All is well."],
    ["a notice that it is done, when there is no text", '{"action": "done", "summary": ""}', "Done."],
    ["code unchanged", "Use `{}` as in\n```js\nif (x) { y({ a: 1 }); }\n```\nand so on.", undefined],
    ["objects that are not actions", 'The file holds {"name": "x"}, as it should.', undefined],
    ["no broken object", `Now:\n{"action": "done", "summary": "x`, "Now:"],
    ["no thoughts", `<think>{"action": 1}</think>\n\nSo: ${call}`, "So:"],
  ])("%s", (_, reply, shown) => {
    expect(read([...reply]).shown).toBe(shown ?? reply);
    expect(read([reply]).shown).toBe(shown ?? reply);
  });
});

it("shows prose at once, up to a brace that begins an object", () => {
  const reader = new ActionReader(call);
  const given = ["I read ", "it: ", "f(x) {", " y", "}.", " \n\n```js", "on\n{", '"act', 'ion": 1}', " so"];
  expect(given.map((text) => reader.add(text))).toEqual([
    "I read",
    " it:",
    " f(x)",
    " { y",
    "}.",
    "",
    "",
    "",
    "",
    "",
  ]);
});

it("separates thoughts from text", () => {
  expect(read([...`<thinking>Hm,\nwell.</thinking> ${call}`])).toEqual({
    shown: "",
    thoughts: "Hm,\nwell.",
    calls: [called],
    fault: undefined,
    isProse: false,
  });
});

it("shows no unclosed thoughts, and makes no call in them", () => {
  const { fault, ...others } = read([...`<think>Perhaps ${call}? No`]);
  expect(fault).toMatch(/^Your thoughts are not closed/);
  expect(others).toEqual({ shown: "", thoughts: `Perhaps ${call}? No`, calls: [], isProse: false });
});

describe("recognizes a reply that", () => {
  it.each([
    ["is prose", "It is done.", true],
    ["is prose that shows an object", 'Put {"strict": true} there.', true],
    ["calls in another format", '<tool_call>{"name": "read_file"}</tool_call>', false],
    ["calls by another object", '{"name": "read_file", "arguments": {"path": "a"}}', false],
    ["is a broken call", '{"action": "tool_call", "tool": }', false],
    ["is a call", call, false],
  ])("%s", (_, reply, isProse) => {
    expect(read([reply]).isProse).toBe(isProse);
  });
});

const word = fc.constantFrom(
  "alpha",
  "{",
  "}",
  "{}",
  "{ x }",
  '{"a", "b"}',
  "{action",
  "{ tool",
  "`",
  "```",
  "[",
  "]",
  ",",
  "<think>",
  "é€😀",
  "\n",
  '"',
  ":",
  "{'",
  "{`",
);
const prose = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
const object = fc.oneof(
  fc.record({
    action: fc.constant("tool_call"),
    tool: fc.string({ minLength: 1 }),
    args: fc.constantFrom({}, { path: "{\n```" }, { a: { b: ["}"] } }),
  }),
  fc.record({ action: fc.constant("respond"), message: fc.string() }),
  fc.record({ action: fc.constant("done"), summary: fc.string() }),
  fc.record({ name: fc.string() }),
);
const piece = fc.oneof(
  prose,
  fc.tuple(object, fc.nat(2)).map(([value, indent]) => JSON.stringify(value, null, indent)),
);
const reply = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("\n"));

it("reads the same however a reply is split, and never retracts shown text", { tags: "slow" }, () => {
  fc.assert(
    fc.property(reply, fc.nat(), (text, cut) => {
      const whole = read([text]);
      const at = cut % (text.length + 1);
      const { shown, ...one } = read([...text]);
      const { shown: shownWhole, ...other } = whole;
      const { shown: shownHalved, ...third } = read([text.slice(0, at), text.slice(at)]);
      expect([one, third]).toEqual([other, other]);
      expect([squeezed(shown), squeezed(shownHalved)]).toEqual([squeezed(shownWhole), squeezed(shownWhole)]);
    }),
    { numRuns: rounds(500) },
  );
});

it("never shows any of an action", () => {
  const actions = fc.array(
    fc.tuple(
      fc.constantFrom("One word.", "Some `code` here.", "A list:", ""),
      fc.constantFrom("\n", "\n```json\n", " ", "\n[", "\n\n```\n"),
      fc.nat(2),
      fc.constantFrom("\n", "\n```\n", "]\n", ",\n"),
    ),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(actions, (parts) => {
      const text = parts
        .map(
          ([words, before, indent, after]) =>
            `${words}${before}${JSON.stringify(called, null, indent)}${after}`,
        )
        .join("");
      const { shown, calls } = read([...text]);
      const texts = parts.map(([words]) => words).filter((words) => words !== "");
      expect([shown, calls]).toEqual([texts.join("\n\n"), parts.map(() => called)]);
    }),
  );
});

it("is fast with long replies in small chunks", { tags: "slow" }, () => {
  for (const piece of ["prose ", "{", '{"a', "`", "\n", "<think>"]) {
    const { shown, isProse } = read(Array.from({ length: 50_000 }, () => piece));
    expect([shown.length > 0 || ["\n", "<think>"].includes(piece), typeof isProse]).toEqual([
      true,
      "boolean",
    ]);
  }
});

function read(pieces: readonly string[]) {
  const reader = new ActionReader(call);
  const shown = pieces.map((text) => reader.add(text)).join("");
  const { rest, ...others } = reader.end();
  return { shown: shown + rest, ...others };
}

/** Blanks between prose and an object may have been shown before the object was detected. */
function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
