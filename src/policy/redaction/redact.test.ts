import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomLetters } from "../../../test/support/policy/random-letters.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { hasPrivateKey } from "../../lib/secrets/private-keys.ts";
import { marksIn } from "../../lib/secrets/secret.ts";
import { RedactedStream, redactInTurns, redactionOfRecords, redactText, redactValue } from "./redact.ts";

const random = randomLetters();
const token = `ghp_${random("[A-Za-z0-9]", 36)}`;
const secret = `k3${random("[A-Za-z0-9]", 20)}`;

it("returns the same object when it has no secrets", () => {
  const value = {
    text: "nothing",
    list: [1, "two", { three: null }],
    bytes: new Uint8Array(3),
    at: new Date(0),
  };
  expect(redactValue(value)).toBe(value);
});

it("redacts every string in a copy, also by property names", () => {
  const kinds: string[] = [];
  const same = { untouched: "text" };
  const value = { text: `x ${token}`, list: ["a", [token]], env: { API_KEY: secret, PATH: "/bin" }, same };
  const redacted = redactValue(value, (kind) => kinds.push(kind));
  expect(redacted).toEqual({
    text: "x [redacted: GitHub token]",
    list: ["a", ["[redacted: GitHub token]"]],
    env: { API_KEY: "[redacted: key]", PATH: "/bin" },
    same: { untouched: "text" },
  });
  expect(redacted.same).toBe(same);
  class Answer {
    readonly text = token;
  }
  expect(redactValue(new Answer())).toEqual({ text: "[redacted: GitHub token]" });
  expect(value.text).toBe(`x ${token}`);
  expect(kinds).toEqual(["GitHub token", "GitHub token", "key"]);
});

it("redacts the names of properties", () => {
  const value = { a: 1, [token]: { [`the ${token}`]: 2 }, z: 3 };
  expect(Object.entries(redactValue(value))).toEqual([
    ["a", 1],
    ["[redacted: GitHub token]", { "the [redacted: GitHub token]": 2 }],
    ["z", 3],
  ]);
});

it("evaluates getters only when they are read, and handles cycles", () => {
  let looks = 0;
  const value: Record<string, unknown> = {
    text: token,
    get hash() {
      looks += 1;
      return `hash ${token}`;
    },
  };
  value.self = value;
  const redacted = redactValue(value);
  expect(looks).toBe(0);
  expect([redacted.text, redacted.hash, looks]).toEqual([
    "[redacted: GitHub token]",
    "hash [redacted: GitHub token]",
    1,
  ]);
});

it("finds marks anywhere in a value, but not text that only mentions them", () => {
  const input = { edits: [{ find: "a [redacted: GitHub token] b" }, { find: "[redacted: …]" }], path: "x" };
  expect([...marksIn(input)]).toEqual(["[redacted: GitHub token]"]);
});

it("redacts a text in chunks as if it were whole, however it is cut", () => {
  const key = [
    "-----BEGIN PRIVATE KEY-----",
    ...Array.from({ length: 5 }, () => random("[A-Za-z0-9+/]", 64)),
    "-----END PRIVATE KEY-----",
  ];
  const text = ["first", `token ${token} here`, `API_KEY=${secret}`, ...key, "50 %\r100 %", "last"].join(
    "\n",
  );
  const whole = redactValue(text);
  for (const size of [1, 7, 50, 333, 10_000]) {
    const stream = new RedactedStream();
    let shown = "";
    for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
    expect(shown + stream.end()).toBe(whole);
  }
});

it("buffers no more than it needs", () => {
  const stream = new RedactedStream();
  expect(stream.push("one\ntw")).toBe("one\n");
  expect(stream.push("o\n")).toBe("two\n");
  const long = "word ".repeat(10_000);
  const passed = stream.push(long);
  expect(long.startsWith(passed)).toBe(true);
  expect(long.length - passed.length).toBeLessThan(3000);
});

it.each([
  ["beginnings of private keys", "-----BEGIN PRIVATE KEY-----", 4_000_000],
  ["ends of private keys", "-----END PRIVATE KEY-----", 4_000_000],
  ["beginnings of tokens", "-eyJ", 4_000_000],
  ["names of passwords", "password=", 400_000],
  ["one word", "a1_B-", 8_000_000],
])(
  "lets the event loop run while it searches one line of %s",
  { tags: "slow" },
  async (_name, part, length) => {
    const text = `${part.repeat(length / part.length)} ${token}`;
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const redacted = await redactInTurns({ text });
    clearInterval(timer);
    // A difference between millions of letters would take gigabytes to show.
    expect(redacted.text === text.replace(token, "[redacted: GitHub token]")).toBe(true);
    expect(turns).toBeGreaterThan(0);
  },
);

it("finds keys at every position of a long word", async () => {
  const filler = "ab-".repeat(30_000);
  for (let shift = 0; shift < 60; shift += 7) {
    const word = `${filler.slice(0, 32 * 1024 - shift - 1)}-${token}-${filler}`;
    expect(await redactInTurns(word)).toBe(word.replace(token, "[redacted: GitHub token]"));
  }
});

it("redacts the texts of records each time, by their names", () => {
  const redact = redactionOfRecords();
  const texts = [0, 1].flatMap(() => [
    redact(secret, "path"),
    redact(secret, "API_KEY"),
    redact(`x ${token}`, "path"),
  ]);
  const expected = [secret, "[redacted: key]", "x [redacted: GitHub token]"];
  expect(texts).toEqual([...expected, ...expected]);
  // The same characters, but another name.
  expect([redact(`API_KEY\n${secret}`, "path"), redact(secret, "path\nAPI_KEY")]).toEqual([
    expect.stringContaining("API_KEY"),
    "[redacted: key]",
  ]);
});

describe("a text without secrets", () => {
  it("has none with numbers before its lines either, unless it may have a private key", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 1, max: 3000 }), (pieces, first) => {
        const text = pieces.join("");
        fc.pre(redactText(text) === text && !hasPrivateKey(text));
        const numbered = text.replace(/\r(?=\n|$)/g, "").split("\n");
        const shown = numbered.map((line, index) => `${first + index} | ${line}`).join("\n");
        expect(redactText(shown)).toBe(shown);
      }),
      { numRuns: rounds(100) },
    );
  });

  const randomLetter = randomLetters();
  const word = randomLetter("[A-Za-z0-9]", 64);
  const piece = fc.oneof(
    fc.constantFrom("\n", "\n", "\r\n", " ", ":", "=", '"', "--", "/", "\\n", "12345678", "//user:", "@host"),
    fc.constantFrom("password", "api_key", "token", "Authorization", "bearer", "bot123456789:AA", "AKIA"),
    fc.integer({ min: 1, max: 64 }).map((length) => word.slice(0, length)),
    fc.integer({ min: 1, max: 64 }).map((length) => "0123456789".repeat(7).slice(0, length)),
  );
});
