import { expect, it } from "vitest";
import { heldBytes, OutputTape, showOutput } from "./show-output.ts";

it("shows both streams in order of arrival, and separately", () => {
  const tape = tapeOf([
    ["stdout", "one\n"],
    ["stderr", "two\n"],
    ["stdout", "three"],
  ]);
  expect(showOutput(tape)).toEqual({
    text: "one\n[stderr]\ntwo\n[stdout]\nthree",
    stdout: "one\nthree",
    unmarked: "one\ntwo\nthree",
    stderr: "two\n",
    gaps: [],
    remarks: [],
  });
});

it("marks nothing with a single stream, or when streams alternate all the time", () => {
  expect(showOutput(tapeOf([["stderr", "only\n"]])).text).toBe("only\n");
  const turns = Array.from(
    { length: 20 },
    (_, turn) => [turn % 2 === 0 ? "stdout" : "stderr", `${turn}\n`] as const,
  );
  expect(showOutput(tapeOf(turns)).text).toBe(turns.map(([, text]) => text).join(""));
});

it("joins a character that arrived in two pieces, also with the other stream between", () => {
  const [first, second] = [Buffer.from("ä").subarray(0, 1), Buffer.from("ä").subarray(1)];
  const tape = new OutputTape();
  tape.add("stdout", first);
  tape.add("stderr", Buffer.from("x\n"));
  tape.add("stdout", second);
  expect(showOutput(tape).stdout).toBe("ä");
});

it("keeps both ends of a long stream, and all of the other", () => {
  const tape = new OutputTape();
  const line = "0123456789abcde\n";
  const piece = Buffer.from(line.repeat(1000));
  tape.add("stdout", Buffer.from("first\n"));
  for (let count = 0; count < 100; count += 1) tape.add("stdout", piece);
  tape.add("stderr", Buffer.from("a warning\n"));
  for (let count = 0; count < 100; count += 1) tape.add("stdout", piece);
  tape.add("stdout", Buffer.from("last\n"));
  const { stdout, stderr, gaps, text } = showOutput(tape);
  expect(stderr).toBe("a warning\n");
  const [{ mark, bytes } = { mark: "", bytes: 0 }] = gaps;
  expect(gaps).toEqual([{ mark: `\n[… ${bytes} bytes of stdout cut …]\n`, bytes, chars: bytes }]);
  const [head, tail] = stdout.split(mark) as [string, string];
  expect([head.slice(0, 22), head.length]).toEqual([`first\n${line}`, heldBytes]);
  expect(head.length + bytes + tail.length).toBe(200 * piece.length + 11);
  expect(tail.endsWith(`${line}last\n`)).toBe(true);
  expect(tail.length).toBeGreaterThanOrEqual(heldBytes - line.length);
  expect(tail.length).toBeLessThan(heldBytes + piece.length);
  expect(text).toContain("[stderr]\na warning\n");
});

it("handles many small pieces like few large ones", { tags: "slow" }, () => {
  const small = new OutputTape();
  const text = Array.from({ length: 200_000 }, (_, line) => `${line}\n`).join("");
  for (let at = 0; at < text.length; at += 7) small.add("stdout", Buffer.from(text.slice(at, at + 7)));
  const { stdout, gaps } = showOutput(small);
  const [head, tail] = stdout.split(gaps[0]!.mark) as [string, string];
  expect(text.startsWith(head)).toBe(true);
  expect(text.endsWith(tail)).toBe(true);
  expect(head.length + tail.length + gaps[0]!.bytes).toBe(text.length);
});

it("reports binary data instead of showing it", () => {
  const picture = Buffer.from(Array.from({ length: 2000 }, (_, index) => (index * 37) % 256));
  expect(showOutput(tapeOf([["stdout", picture]]))).toEqual({
    text: "[stdout: 2.0 kB of binary data, not shown; redirect it to a file to use it]\n",
    stdout: "[stdout: 2.0 kB of binary data, not shown; redirect it to a file to use it]\n",
    stderr: "",
    unmarked: "[stdout: 2.0 kB of binary data, not shown; redirect it to a file to use it]\n",
    gaps: [],
    remarks: [],
  });
});

it("reports bytes that are not valid UTF-8, and shows lists separated by NUL", () => {
  const shown = showOutput(
    tapeOf([["stdout", Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x61, 0, 0x62, 0])]]),
  );
  expect(shown).toEqual({
    text: "caf\ufffd\na␀b␀",
    stdout: "caf\ufffd\na␀b␀",
    stderr: "",
    unmarked: "caf\ufffd\na␀b␀",
    gaps: [],
    remarks: ["Some bytes of the output are not valid UTF-8 and are shown as \ufffd"],
  });
  expect(showOutput(tapeOf([["stdout", "said so: \ufffd\n"]])).remarks).toEqual([]);
});

function tapeOf(pieces: readonly (readonly ["stdout" | "stderr", string | Buffer])[]): OutputTape {
  const tape = new OutputTape();
  for (const [stream, text] of pieces) tape.add(stream, Buffer.from(text as string));
  return tape;
}
