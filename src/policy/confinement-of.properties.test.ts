/** @module-tag slow */
import fc from "fast-check";
import { expect, it } from "vitest";
import { decide, policyOf, rules, testContext } from "../../test/support/policy/decide.ts";
import { rounds } from "../../test/support/rounds.ts";
import { confinementOf } from "./confinement-of.ts";
import { guardPaths } from "./guard-paths.ts";
import { type Decision, policyModes, type Question } from "./policy.ts";

const hosts = ["a.example", "b.a.example", "c.org", "127.0.0.1", "10.1.2.3", "localhost", "8.8.8.8"];
const paths = ["x", "src/a", ".env", "secrets/a", ".vscode/tasks.json", ".git/config", ".git/hooks/a", "y/z"];

const lines = fc.array(
  fc.oneof(
    fc
      .tuple(fc.constantFrom("allow", "ask", "deny"), fc.constantFrom("*", "*.example", ...hosts))
      .map(([effect, host]) => `${effect} connect ${host}`),
    fc
      .tuple(
        fc.constantFrom("allow", "ask", "deny"),
        fc.constantFrom("read", "write", "touch"),
        fc.constantFrom("**", "src/**", "/srv/**", ".vscode/**", ...paths),
      )
      .map((words) => words.join(" ")),
    fc
      .tuple(
        fc.constantFrom("secret", "protected", "open"),
        fc.constantFrom("src", "y/**", ".env", ".git/config"),
      )
      .map((words) => words.join(" ")),
    fc.constantFrom("allow run **", "unconfined run cat **", "deny connect *.example by other.tool"),
  ),
  { maxLength: 8 },
);

const command = fc
  .array(
    fc.oneof(
      fc.constantFrom("npm test", "make", "cat /srv/a", "tee /srv/b"),
      fc.constantFrom(...hosts).map((host) => `curl http://${host}/`),
      fc.constantFrom(...paths).map((path) => `tee ${path}`),
      fc.constantFrom(...paths).map((path) => `cat ${path}`),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((list) => list.join("; "));

const setup = fc.record({
  lines: lines.map((list) => list.join("\n")),
  command,
  mode: fc.constantFrom(...policyModes),
  answer: fc.constantFrom("approved" as const, "not asked" as const),
});

function decideOn({ lines, command, mode }: { lines: string; command: string; mode: Question["mode"] }) {
  const policy = policyOf([rules(lines)]);
  const ask = (accesses: Question["accesses"]): Question => ({
    mode,
    tool: { name: "shell.run", risk: "execute" },
    accesses,
    sandbox: "bwrap",
    realPaths: new Map(),
  });
  const question = ask([{ kind: "execute", command }]);
  const verdictOn = (access: Question["accesses"][number]): Decision["verdict"] =>
    decide(ask([access]), policy).verdict;
  return { policy, question, decision: decide(question, policy), verdictOn };
}

it("never gives a command access to what the rules deny", () => {
  fc.assert(
    fc.property(setup, (given) => {
      const { policy, question, decision, verdictOn } = decideOn(given);
      fc.pre(decision.verdict !== "deny" && !decision.unconfined);
      const { mayConnect, isHidden, isReadOnly } = confinementOf(decision, question, policy, given.answer);
      for (const host of hosts)
        if (verdictOn({ kind: "network", host }) === "deny")
          expect(mayConnect?.(host, 443) ?? false).toBe(false);
      const guard = guardPaths(policy);
      for (const path of paths) {
        const real = `${testContext.workspace}/${path}`;
        if (guard("read", real)) expect([path, isHidden!(real)]).toEqual([path, true]);
        const isHeld = isHidden!(real) || isReadOnly!(real);
        if (guard("write", real)) expect([path, isHeld]).toEqual([path, true]);
      }
    }),
    { numRuns: rounds(40) },
  );
});

it("gives a command without approval only what the mode or a rule allows without asking", () => {
  fc.assert(
    fc.property(setup, (given) => {
      const { policy, question, decision, verdictOn } = decideOn(given);
      fc.pre(decision.verdict === "allow" && !decision.unconfined);
      const { mayConnect, readable, writable } = confinementOf(decision, question, policy, "not asked");
      for (const host of hosts)
        if (mayConnect?.(host, 443) && host !== "127.0.0.1")
          expect([host, verdictOn({ kind: "network", host })]).toEqual([host, "allow"]);
      for (const path of readable!) expect([path, path.startsWith("/srv")]).toEqual([path, true]);
      for (const path of writable!) expect([path, path.startsWith("/srv")]).toEqual([path, true]);
    }),
    { numRuns: rounds(40) },
  );
});

it("gives an approved command at least what the same command gets without approval", () => {
  fc.assert(
    fc.property(setup, (given) => {
      const { policy, question, decision } = decideOn(given);
      fc.pre(decision.verdict !== "deny" && !decision.unconfined);
      const [before, after] = (["not asked", "approved"] as const).map((answer) =>
        confinementOf(decision, question, policy, answer),
      );
      const reached = hosts.filter((host) => before!.mayConnect?.(host, 443));
      expect(reached.filter((host) => !after!.mayConnect?.(host, 443))).toEqual([]);
      expect(before!.readable!.filter((path) => !after!.readable!.includes(path))).toEqual([]);
      expect(before!.writable!.filter((path) => !after!.writable!.includes(path))).toEqual([]);
    }),
    { numRuns: rounds(40) },
  );
});
