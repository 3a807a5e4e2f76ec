import fc from "fast-check";
import { expect, it } from "vitest";
import { decide, decideOn, rules, testContext } from "../../test/support/policy/decide.ts";
import { rounds } from "../../test/support/rounds.ts";
import type { ToolAccess } from "../contract/access.ts";
import { shellQuote } from "../lib/text/shell-quote.ts";
import {
  type Decision,
  type Level,
  levels,
  type PolicyMode,
  policyModes,
  type RuleSource,
} from "./policy.ts";
import { compilePolicy } from "./rules/compile-policy.ts";

const strictness: Record<Decision["verdict"], number> = { allow: 0, ask: 1, deny: 2 };
const atLeast = (one: Decision["verdict"], other: Decision["verdict"]) =>
  strictness[one] >= strictness[other];

const simple = fc.constantFrom(
  ...[
    "ls",
    "ls -la src",
    "cat a.ts",
    "cat .env",
    "cat *",
    "cat src/*.ts",
    'cat "$x"',
    "npm test",
    "npm run build",
    "make all",
  ],
  ...[
    "rm -rf x",
    "rm x",
    "git push",
    "git log -5",
    "git -C x status",
    "curl https://a.example/",
    "sort -o out a",
    "sed 1e a",
  ],
  ...[
    "grep -r x src",
    "mv a b",
    "echo hi > .git/config",
    "tee /etc/x",
    "./build.sh",
    "touch migrations/1",
    "find . -delete",
  ],
);
const commands = fc
  .tuple(
    simple,
    fc.array(fc.tuple(fc.constantFrom(" | ", " && ", "; ", " || ", "\n"), simple), { maxLength: 3 }),
  )
  .map(([first, more]) => first + more.map(([sign, next]) => sign + next).join(""));

const globs = fc.constantFrom(
  "**",
  "*",
  "src/**",
  ".env",
  ".env*",
  "*.ts",
  "migrations/**",
  "/etc/**",
  "~/x",
  ".git/**",
  "a.ts",
  "x",
);
const patterns = fc.constantFrom(
  "**",
  "*",
  "ls",
  "ls **",
  "npm *",
  "npm test",
  "rm -rf **",
  "rm",
  "git push",
  "git **",
  "@read",
  "@write",
  "make *",
  "sed **",
  "curl **",
);
const effects = fc.constantFrom("allow", "ask", "deny");
const ruleLines = fc.oneof(
  fc.tuple(effects, patterns).map(([effect, pattern]) => `${effect} run ${pattern}`),
  fc
    .tuple(effects, fc.constantFrom("read", "write", "delete", "touch"), globs)
    .map(([effect, use, glob]) => `${effect} ${use} ${glob}`),
  fc
    .tuple(fc.constantFrom("secret", "protected", "open"), globs)
    .map(([effect, glob]) => `${effect} ${glob}`),
  fc
    .tuple(effects, fc.constantFrom("a.example", "*.example", "**"))
    .map(([effect, host]) => `${effect} connect ${host}`),
  fc
    .tuple(effects, fc.constantFrom("shell.*", "file.read", "*"))
    .map(([effect, tool]) => `${effect} use ${tool}`),
);
const files = fc.array(ruleLines, { maxLength: 6 }).map((lines) => lines.join("\n"));
const accesses: fc.Arbitrary<ToolAccess> = fc.oneof(
  commands.map((command): ToolAccess => ({ kind: "execute", command })),
  fc
    .tuple(
      fc.constantFrom("read", "write", "delete"),
      fc.constantFrom("a.ts", "src/b.ts", ".env", "migrations/1", ".git/config", "x"),
    )
    .map(([kind, path]): ToolAccess => ({ kind: kind as "read", path })),
  fc.constantFrom("a.example", "b.other").map((host): ToolAccess => ({ kind: "network", host })),
);
const mode: fc.Arbitrary<PolicyMode> = fc.constantFrom(...policyModes);
const runs = { numRuns: rounds(50) };

const verdict = (access: ToolAccess, sources: readonly RuleSource[], inMode: PolicyMode) =>
  decideOn([access], sources, { mode: inMode }).verdict;
const command = (text: string, sources: readonly RuleSource[], inMode: PolicyMode) =>
  verdict({ kind: "execute", command: text }, sources, inMode);

it("a deny, ask or protected rule never loosens the policy, wherever it is added", { tags: "slow" }, () => {
  const tightening = ruleLines.filter((line) => !/^(?:allow|open)/.test(line));
  const level: fc.Arbitrary<Level> = fc.constantFrom(...levels);
  fc.assert(
    fc.property(accesses, files, tightening, level, mode, (access, file, line, where, inMode) =>
      atLeast(
        verdict(access, [rules(file), rules(line, where)], inMode),
        verdict(access, [rules(file)], inMode),
      ),
    ),
    runs,
  );
});

it("an untrusted project file never loosens the policy", { tags: "slow" }, () => {
  fc.assert(
    fc.property(accesses, files, files, mode, (access, file, project, inMode) => {
      const untrusted: RuleSource = { ...rules(project, "project"), onlyTightens: true };
      return atLeast(
        verdict(access, [rules(file), untrusted], inMode),
        verdict(access, [rules(file)], inMode),
      );
    }),
    runs,
  );
});

it("the order in which sources are read does not matter", () => {
  fc.assert(
    fc.property(accesses, files, files, files, mode, (access, user, project, session, inMode) => {
      const sources = [rules(user), rules(project, "project"), rules(session, "session")];
      const question = {
        mode: inMode,
        tool: { name: "shell.run", risk: "execute" },
        accesses: [access],
        sandbox: "none",
        realPaths: new Map(),
      } as const;
      const decided = (given: readonly RuleSource[]) =>
        decide(question, compilePolicy(given, testContext)).record;
      expect(decided([...sources].reverse())).toEqual(decided(sources));
    }),
    { numRuns: rounds(25) },
  );
});

it("combined commands get a verdict at least as strict as each alone", { tags: "slow" }, () => {
  const signs = fc.constantFrom(" | ", " && ", " ; ", " || ", "\n", " & ");
  fc.assert(
    fc.property(simple, simple, signs, files, mode, (one, other, sign, file, inMode) => {
      const together = command(one + sign + other, [rules(file)], inMode);
      return (
        atLeast(together, command(one, [rules(file)], inMode)) &&
        atLeast(together, command(other, [rules(file)], inMode))
      );
    }),
    runs,
  );
});

it("wrapping a command never makes it pass", { tags: "slow" }, () => {
  const wrap = fc.constantFrom<(text: string) => string>(
    (text) => `sh -c ${shellQuote(text)}`,
    (text) => `bash -c ${shellQuote(text)}`,
    (text) => `env sh -c ${shellQuote(text)}`,
    (text) => `timeout 5 bash -c ${shellQuote(text)}`,
    (text) => `( ${text}\n)`,
    (text) => `{ ${text}\n}`,
    (text) => `echo $( ${text}\n)`,
    (text) => `x=$( ${text}\n)`,
    (text) => `cat <( ${text}\n)`,
    (text) => `if ${text}\nthen :; fi`,
    (text) => `f() { ${text}\n}; f`,
    (text) => `eval ${shellQuote(text)}`,
    (text) => `bash <<'E'\n${text}\nE`,
    (text) => `${"true;".repeat(50)}${text}`,
  );
  fc.assert(
    fc.property(commands, wrap, files, mode, (text, wrapped, file, inMode) =>
      atLeast(command(wrapped(text), [rules(file)], inMode), command(text, [rules(file)], inMode)),
    ),
    runs,
  );
});

it("has no cap on the number of parts", { tags: "slow" }, () => {
  const many = Array.from({ length: 2000 }, (_, index) => `ls a${index}`).join("; ");
  const lines = "allow run ls *\ndeny run rm";
  expect([
    command(many, [rules(lines)], "cautious"),
    command(`${many}; rm x`, [rules(lines)], "yolo"),
  ]).toEqual(["allow", "deny"]);
});
