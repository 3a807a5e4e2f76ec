import { expect, it } from "vitest";
import { MessageLines } from "./stdio-transport.ts";

it("extracts messages from mixed output, however it is split", () => {
  const text = 'hello\n{"a":1}\r\n\n[{"b":2},{"c":3}]\n{"half\n"text"\n{"ä":"ö"}\n';
  const whole = read([Buffer.from(text)]);
  expect(whole).toEqual([
    ["junk"],
    ["message", { a: 1 }],
    ["message", { b: 2 }],
    ["message", { c: 3 }],
    ["junk"],
    ["junk"],
    ["message", { ä: "ö" }],
  ]);
  expect(read([...Buffer.from(text)].map((byte) => Buffer.from([byte])))).toEqual(whole);
});

it("skips a line that is too long, and reports which request it answers", () => {
  const long = "x".repeat(200);
  const lines = [
    `{"jsonrpc":"2.0","id":7,"result":{"text":"${long}"}}`,
    `{"result":{"text":"${long}"},"jsonrpc":"2.0","id":8}`,
    `{"result":{"text":"${long} \\"id\\":9"}}`,
    long,
    '{"after":true}',
  ];
  expect(read([Buffer.from(`${lines.join("\n")}\n`)], 100)).toEqual([
    ["too long", 7],
    ["too long", 8],
    ["too long", undefined],
    ["too long", undefined],
    ["message", { after: true }],
  ]);
});

it("rejects a batch that is too long", () => {
  expect(read([Buffer.from(`[${"0,".repeat(1_000)}0]\n[1]\n`)])).toEqual([["junk"], ["message", 1]]);
});

function read(pieces: readonly Uint8Array[], maxBytes?: number): unknown[] {
  const lines = new MessageLines(maxBytes);
  return pieces.flatMap((piece) =>
    [...lines.take(piece)].map(({ kind, ...more }) => [kind, ...Object.values(more)]),
  );
}
