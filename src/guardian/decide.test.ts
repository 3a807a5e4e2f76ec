import { expect, it } from "vitest";
import type { Access } from "../contract/access.ts";
import { decide } from "./decide.ts";
import { modes } from "./mode.ts";

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
    Object.keys(accesses).filter(
      (risk) => decide({ mode, accesses: [accesses[risk]!], risk: "read" }).verdict === "allow",
    ),
  ]);
  expect(Object.fromEntries(allowed)).toEqual({
    safe: ["read"],
    cautious: ["read", "write"],
    paranoid: [],
    yolo: ["read", "write", "execute", "network", "destructive"],
  });
});

it("judges a call by its most harmful access and says which one it is", () => {
  const touched = [accesses.read!, accesses.execute!, accesses.write!];
  const decision = decide({ mode: "cautious", accesses: touched, risk: "destructive" });
  expect(decision).toEqual({
    verdict: "ask",
    risk: "execute",
    rule: "mode cautious: execute",
    reason: "it would run `make`",
  });
});

it("judges a call that names nothing it would touch by what its tool can do", () => {
  expect(decide({ mode: "safe", accesses: [], risk: "read" })).toEqual({
    verdict: "allow",
    risk: "read",
    rule: "mode safe: read",
  });
  expect(decide({ mode: "safe", accesses: [], risk: "execute" })).toEqual({
    verdict: "ask",
    risk: "execute",
    rule: "mode safe: execute",
    reason: "it would run a tool",
  });
});
