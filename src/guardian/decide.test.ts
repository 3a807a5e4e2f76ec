import { expect, it } from "vitest";
import type { Access } from "../contract/access.ts";
import { modes } from "./mode.ts";
import { judge } from "./trials/judge.ts";

const accesses: Record<string, Access> = {
  read: { kind: "read", path: "a" },
  write: { kind: "write", path: "a" },
  execute: { kind: "execute", command: "make" },
  network: { kind: "network", host: "example.org" },
  destructive: { kind: "delete", path: "a" },
};

it("lets each mode pass exactly what it promises", () => {
  const allowed = modes.map((mode) => [
    mode,
    Object.keys(accesses).filter((risk) => judge([accesses[risk]!], [], { mode }).verdict === "allow"),
  ]);
  expect(Object.fromEntries(allowed)).toEqual({
    safe: ["read"],
    cautious: ["read", "write"],
    paranoid: [],
    yolo: ["read", "write", "execute", "network", "destructive"],
  });
});

it("judges a call by its most harmful part and says which one it is", () => {
  const touched = [accesses.read!, accesses.execute!, accesses.write!];
  const { verdict, risk, record } = judge(touched, []);
  expect({ verdict, risk, record }).toEqual({
    verdict: "ask",
    risk: "execute",
    record: {
      verdict: "ask",
      rule: "mode cautious: execute",
      source: "mode cautious",
      reason: "it would run `make`",
    },
  });
});

it("judges a call that names nothing it would touch by what its tool can do", () => {
  const record = (risk: "read" | "execute") =>
    judge([], [], { mode: "safe", tool: { name: "x", risk } }).record;
  expect(record("read")).toEqual({
    verdict: "allow",
    rule: "mode safe: read",
    source: "mode safe",
    reason: "it would run a tool",
  });
  expect(record("execute")).toEqual({
    verdict: "ask",
    rule: "mode safe: execute",
    source: "mode safe",
    reason: "it would run a tool",
  });
});
