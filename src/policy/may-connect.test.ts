import { expect, it } from "vitest";
import { decide, policyOf, rules } from "../../test/support/policy/decide.ts";
import { mayConnect } from "./may-connect.ts";
import type { Question } from "./policy.ts";

it("allows only names that a rule spells out to resolve to this machine", () => {
  const policy = policyOf([rules("allow connect localhost 10.*\nallow connect my.test")]);
  const question: Question = {
    mode: "yolo",
    tool: { name: "web.fetch", risk: "network" },
    accesses: [{ kind: "network", host: "theirs.example" }],
    sandbox: "none",
    realPaths: new Map(),
  };
  const approved = decide(question, policy).parts.map(({ part }) => part);
  const may = mayConnect(approved, question, policy)!;
  const names = ["localhost", "sub.localhost", "127.0.0.1", "my.test", "theirs.example", "other.example"];
  expect(names.map((name) => [name, may("127.0.0.1", 80, name), may("::1", 80, name)])).toEqual([
    ["localhost", true, true],
    ["sub.localhost", true, true],
    ["127.0.0.1", true, true],
    ["my.test", true, true],
    ["theirs.example", false, false],
    ["other.example", false, false],
  ]);
  expect(may("10.1.2.3", 80, "theirs.example")).toBe(true);
});
