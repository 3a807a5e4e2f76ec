import { expect, it } from "vitest";
import { verdictOn } from "../../test/support/policy/decide.ts";
import type { SandboxLevel } from "../contract/call.ts";

const lines = "allow run **";
const verdicts = (command: string, more = "") =>
  (["bwrap", "landlock", "seatbelt"] as const satisfies readonly SandboxLevel[]).map((sandbox) =>
    verdictOn(command, `${lines}${more}`, { sandbox }),
  );

it("does not ask about temporary files that belong to the session", () => {
  expect([
    verdicts("make > /tmp/log; cat /tmp/log"),
    verdicts("cat /tmp/*.log"),
    verdicts("cat /tmp/../etc/hosts"),
    verdicts("cat /tmpx"),
    verdicts('cat "/tmp/$X"'),
    verdicts("cat /var/tmp/x"),
    verdicts("cat /tmp/.env"),
    verdicts("cat /tmp/a", "\ndeny read /tmp/**"),
    verdicts("cat /tmp/a", "\nunconfined run cat **"),
  ]).toEqual([
    ["allow", "ask", "ask"],
    ["allow", "ask", "ask"],
    ["allow", "ask", "ask"],
    ["ask", "ask", "ask"],
    ["allow", "ask", "ask"],
    ["ask", "ask", "ask"],
    ["deny", "deny", "deny"],
    ["deny", "deny", "deny"],
    ["ask", "ask", "ask"],
  ]);
});
