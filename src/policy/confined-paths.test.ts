import fc from "fast-check";
import { expect, it } from "vitest";
import { decide, policyOf, rules, testContext } from "../../test/support/policy/decide.ts";
import { rounds } from "../../test/support/rounds.ts";
import { confinedPaths } from "./confined-paths.ts";
import { confinementOf } from "./confinement-of.ts";
import { policyModes, type Question } from "./policy.ts";

const globs = [
  "**",
  "src/**",
  "*.key",
  "secrets/**",
  ".env",
  "~/.ssh/**",
  "/srv/**",
  "y/{a,b}",
  ".git/config",
  "É*",
];
const line = fc
  .tuple(
    fc.constantFrom("allow read", "ask write", "deny read", "deny write", "secret", "protected", "open"),
    fc.constantFrom(...globs),
    fc.constantFrom("", " by shell.*", " by file.read"),
  )
  .map(([effect, glob, by]) => `${effect} ${glob}${by}`);
const paths = [
  "",
  "src/a",
  "b.key",
  "B.KEY",
  "secrets/x",
  ".env",
  ".env.local",
  "y/a",
  "y/c",
  ".git/config",
  "é1",
]
  .map((path) => `${testContext.workspace}/${path}`.replace(/\/$/, ""))
  .concat(["/srv/x", `${testContext.home}/.ssh/id`, "/etc/shadow", testContext.own[0]!]);

it("decides on another machine exactly as here", { tags: "slow" }, () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 8 }),
      fc.constantFrom(...policyModes),
      fc.constantFrom("npm test", "tee y/a", "tee .git/config", "tee src/a"),
      (lines, mode, command) => {
        const policy = policyOf([rules(lines.join("\n"))]);
        const question: Question = {
          mode,
          tool: { name: "shell.run", risk: "execute" },
          accesses: [{ kind: "execute", command }],
          sandbox: "bwrap",
          realPaths: new Map(),
        };
        const here = confinementOf(decide(question, policy), question, policy, "approved");
        fc.pre(here.isHidden !== undefined);
        const there = confinedPaths(JSON.parse(JSON.stringify(here.pathRules!())));
        const decided = (one: Pick<typeof here, "isHidden" | "isReadOnly" | "isReadOnlyByRules">) =>
          paths.map((path) => [
            path,
            one.isHidden!(path),
            one.isReadOnly!(path),
            one.isReadOnlyByRules!(path),
          ]);
        expect(decided(there)).toEqual(decided(here));
      },
    ),
    { numRuns: rounds(60) },
  );
});

it("refuses data of another form", () => {
  expect(() => confinedPaths(undefined)).toThrow("unknown form");
  expect(() => confinedPaths({ rules: [] })).toThrow("unknown form");
});
