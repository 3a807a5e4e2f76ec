import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseGreeting, parseLogin, parseRequest } from "./socks-proxy.ts";

const port443 = [0x01, 0xbb];

describe("parseRequest", () => {
  it.each([
    ["a name", named("Example.com."), { command: 1, target: { host: "example.com", port: 443 } }],
    [
      "an address",
      [5, 1, 0, 1, 8, 8, 4, 4, ...port443],
      { command: 1, target: { host: "8.8.4.4", port: 443 } },
    ],
    [
      "an IPv6 address",
      [5, 1, 0, 4, ...Array(15).fill(0), 1, ...port443],
      { command: 1, target: { host: "::1", port: 443 } },
    ],
    ["another command", [5, 3, 0, 1, 0, 0, 0, 0, 0, 1], { command: 3, target: { host: "0.0.0.0", port: 1 } }],
    ["a name with a NUL", named("evil\u0000.allowed.com"), { command: 1, target: undefined }],
    ["a name with a newline", named("allowed.com\r\n.evil.com"), { command: 1, target: undefined }],
    ["a name beyond ASCII", named("b\u00fccher.example"), { command: 1, target: undefined }],
    ["an empty name", named(""), { command: 1, target: undefined }],
    ["a name with a port", named("allowed.com:80"), { command: 1, target: undefined }],
    ["a zone", named("fe80::1%eth0"), { command: 1, target: undefined }],
    ["port 0", [5, 1, 0, 1, 8, 8, 4, 4, 0, 0], { command: 1, target: undefined }],
  ])("reads %s", (_what, bytes, value) => {
    expect(parseRequest(Buffer.from(bytes))).toEqual({ value, bytes: bytes.length });
  });

  it.each([
    ["another version", [4, 1, 0, 1, 8, 8, 4, 4]],
    ["a reserved field", [5, 1, 1, 1, 8, 8, 4, 4]],
    ["an unknown address type", [5, 1, 0, 2, 8, 8, 4, 4]],
  ])("rejects %s", (_what, bytes) => {
    expect(parseRequest(Buffer.from(bytes))).toBe("broken");
  });

  it("waits for the whole request, and leaves the bytes after it", () => {
    const whole = named("example.com");
    const states = whole.map((_, length) => parseRequest(Buffer.from(whole.slice(0, length))));
    expect(states).toEqual(whole.map(() => "more"));
    expect(parseRequest(Buffer.from([...whole, 1, 2, 3]))).toEqual(parseRequest(Buffer.from(whole)));
  });
});

describe("parseGreeting and parseLogin", () => {
  it("parse the first messages of a program", () => {
    expect(parseGreeting(Buffer.from([5, 2, 0, 2, 9]))).toEqual({ value: [0, 2], bytes: 4 });
    expect(parseGreeting(Buffer.from([5, 2, 0]))).toBe("more");
    expect(parseGreeting(Buffer.from([5, 0]))).toBe("broken");
    expect(parseGreeting(Buffer.from([71]))).toBe("broken");
    expect(parseLogin(Buffer.from("\u0001\u0002ab\u0001cd"))).toEqual({
      value: { name: "ab", password: "c" },
      bytes: 6,
    });
    expect(parseLogin(Buffer.from("\u0001\u0002ab\u0002c"))).toBe("more");
    expect(parseLogin(Buffer.from([2]))).toBe("broken");
  });

  it("never throw on any input", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        for (const parse of [parseGreeting, parseLogin, parseRequest]) {
          const parsed = parse(Buffer.from(bytes));
          if (typeof parsed !== "string") expect(parsed.bytes).toBeLessThanOrEqual(bytes.length);
        }
      }),
    );
  });
});

function named(host: string): number[] {
  const bytes = Buffer.from(host, "latin1");
  return [5, 1, 0, 3, bytes.length, ...bytes, ...port443];
}
