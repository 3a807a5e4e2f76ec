import { expect, it } from "vitest";
import { decideOn, policyOf, rules, verdictOn } from "../../test/support/policy/decide.ts";
import type { SandboxLevel } from "../contract/call.ts";
import { grantsFor } from "./grants.ts";
import type { Decision, PolicyMode } from "./policy.ts";

function decisionOn(
  command: string,
  lines: string,
  { mode = "cautious", sandbox = "bwrap" }: { mode?: PolicyMode; sandbox?: SandboxLevel } = {},
): Decision {
  return decideOn([{ kind: "execute", command }], [rules(lines)], { mode, sandbox });
}

const allowed = "allow run npm test\nallow run docker **";
const outside = `${allowed}\nunconfined run docker **`;

it("asks about every command without a sandbox, regardless of allow rules", () => {
  const verdicts = (mode: PolicyMode) =>
    (["bwrap", "landlock", "seatbelt", "none"] as const).map((sandbox) =>
      verdictOn("npm test", allowed, { mode, sandbox }),
    );
  expect([verdicts("cautious"), verdicts("safe"), verdicts("paranoid"), verdicts("yolo")]).toEqual([
    ["allow", "allow", "allow", "ask"],
    ["allow", "allow", "allow", "ask"],
    ["ask", "ask", "ask", "ask"],
    ["allow", "allow", "allow", "allow"],
  ]);
});

it("states that there is no sandbox, and offers a grant that says so", () => {
  const { record } = decisionOn("npm test", allowed, { sandbox: "none" });
  expect(record).toEqual({
    verdict: "ask",
    rule: "mode cautious: execute",
    source: "mode cautious",
    reason: "it would run `npm test`: no sandbox is available, so every command needs approval",
  });
  const offered = (command: string, lines = "") =>
    grantsFor(decisionOn(command, lines, { sandbox: "none" }), { tool: { name: "shell.run" } });
  const grants = offered("mkdir a");
  expect(grants).toEqual(["allow run mkdir a by shell.run", "unconfined run mkdir a by shell.run"]);
  expect(verdictOn("mkdir a", grants!.join("\n"), { sandbox: "none" })).toBe("allow");
  expect(offered("mkdir a", "ask run mkdir **")).toEqual(grants);
  // It runs code of the workspace, which nothing would limit.
  expect(offered("npm test")).toBeUndefined();
  expect(grantsFor(decisionOn("npm test", "", { mode: "safe" }), { tool: { name: "shell.run" } })).toEqual([
    "allow run npm test by shell.run",
  ]);
});

it("runs a call outside the sandbox when a rule covers each command in it", () => {
  const of = (command: string, lines = outside, mode?: PolicyMode) => {
    const { verdict, sandbox, unconfined = false } = decisionOn(command, lines, mode ? { mode } : {});
    return [verdict, sandbox, unconfined];
  };
  expect([
    of("docker ps"),
    of("docker ps && docker images"),
    of("docker ps; npm test"),
    of("docker ps | head -1"),
    of("docker ps | head -1", outside, "safe"),
    of("head -1 a", "unconfined run @read"),
    of("docker ps | head -1", `${outside}\nallow run @read\nunconfined run @read`),
    of("cd sub && docker compose up", `${outside}\nallow run @read\nunconfined run @read`),
    of("docker ps $(evil)"),
    of("docker ps; npm test", outside, "yolo"),
    of("docker ps; eval $X", outside, "yolo"),
    of("docker ps", outside, "yolo"),
    of("docker ps", "unconfined run docker **"),
    of("docker ps", `${outside}\ndeny run docker ps`),
    of("docker ps", `${outside} by other.tool`),
    of("./docker ps"),
    of("PATH=. docker ps"),
    of("cat .env", "allow run cat **\nunconfined run cat **"),
    of("docker exec web ls"),
    // These programs can run others, so outside the sandbox a class does not cover them.
    of("awk 1 a", "allow run @read\nunconfined run @read"),
  ]).toEqual([
    ["allow", "none", true],
    ["allow", "none", true],
    ["allow", "bwrap", false],
    ["allow", "bwrap", false],
    ["ask", "bwrap", false],
    ["ask", "none", true],
    ["allow", "none", true],
    ["allow", "none", true],
    ["ask", "bwrap", false],
    ["allow", "bwrap", false],
    ["allow", "bwrap", false],
    ["allow", "none", true],
    ["ask", "none", true],
    ["deny", "none", true],
    ["allow", "bwrap", false],
    ["ask", "bwrap", false],
    ["ask", "bwrap", false],
    ["deny", "none", true],
    ["allow", "none", true],
    ["allow", "bwrap", false],
  ]);
});

it("does not ask or deny because of rules about leaving the sandbox", () => {
  const { commands, unconfined } = policyOf([rules("unconfined run rm **")]);
  expect([commands.highestFirst.some(({ effect }) => effect === "unconfined"), unconfined.length]).toEqual([
    false,
    1,
  ]);
  expect(verdictOn("rm x", "unconfined run rm **", { mode: "safe" })).toBe("ask");
});
