import fc from "fast-check";
import { expect, it } from "vitest";
import { policyOf, rules, testContext } from "../../../test/support/policy/decide.ts";
import { expandBraces } from "../../lib/glob/glob.ts";
import { builtInRules } from "../built-in-rules.ts";
import { filedBuiltInRules } from "../rules/parsed-built-in-rules.ts";
import { namesOf } from "./path-names.ts";
import { isAbout, isExactly, rulesNear } from "./refuse-path.ts";

// A few names and pieces, so that rules and paths meet often. Some fold into others, some have two code units.
const pieces = ["a", "b", "A", ".", "key", "KEY", "é", "e\u0301", "ſ", "𝒂", "secret", "-1"];
const name = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 }).map((all) => all.join(""));
const wild = fc
  .array(fc.constantFrom(...pieces, "*", "?", "[ab]", "[!k]", "{key,a}"), { minLength: 1, maxLength: 5 })
  .map((all) => all.join(""));
const segment = fc.oneof(name, wild, fc.constantFrom("**", "*"));
const glob = fc
  .tuple(fc.constantFrom("", "/", "~/", "**/"), fc.array(segment, { minLength: 1, maxLength: 4 }))
  .map(([start, segments]) => `${start}${segments.join("/")}`);
const line = fc
  .tuple(fc.constantFrom("deny read", "ask write", "allow read", "secret", "open", "protected"), glob)
  .map((words) => words.join(" "));
const path = fc
  .tuple(
    fc.constantFrom("", testContext.workspace, testContext.home),
    fc.array(name, { minLength: 1, maxLength: 4 }),
  )
  .map(([start, names]) => `${start}/${names.join("/")}`);

it("finds every rule that matches when all are compared one by one", { tags: "slow" }, () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 40 }),
      fc.array(path, { minLength: 1, maxLength: 20 }),
      (lines, paths) => {
        const policy = policyOf([rules(lines.filter((one) => !/ \.*$/.test(one)).join("\n"))]);
        for (const each of paths) {
          const names = namesOf(each, policy.context);
          const near = new Set(rulesNear(policy, names));
          const matching = policy.paths.highestFirst.filter(
            (rule) => isAbout(rule, "read", names) || isAbout(rule, "write", names) || isExactly(rule, names),
          );
          expect(matching.filter((rule) => !near.has(rule)).map(({ glob: missed }) => missed)).toEqual([]);
        }
      },
    ),
  );
});

it("finds built-in rules under no name of the home or the workspace", () => {
  expect(filedBuiltInRules.others).toEqual([]);
  const names = [...filedBuiltInRules.literals, ...filedBuiltInRules.grams].map(([name]) => name);
  expect(names.filter((name) => name.includes("\0"))).toEqual([]);
});

it("finds the built-in rules that match when all are compared one by one", { tags: "slow" }, () => {
  const policy = policyOf([rules("secret *.private"), builtInRules, rules("open notes.private")]);
  const own = policy.paths.highestFirst.flatMap(({ glob }) => expandBraces(glob));
  const paths = own.flatMap((glob) => {
    const path = glob.replaceAll("**", "x/y").replaceAll("*", "z").replace(/^~/, testContext.home);
    return [path, `${path}/below`, path.toUpperCase(), `/other/${path}`, `${testContext.workspace}/${path}`];
  });
  const matches = paths.map((path) => {
    const names = namesOf(path, policy.context);
    const near = rulesNear(policy, names);
    const matching = policy.paths.highestFirst.filter(
      (rule) => isAbout(rule, "read", names) || isAbout(rule, "write", names) || isExactly(rule, names),
    );
    expect(near).toEqual(expect.arrayContaining(matching));
    return matching.length;
  });
  expect(matches.filter((count) => count > 0).length).toBeGreaterThan(own.length);
});

it.each([
  ["a character that only an invisible one separates", "e\u00ad\u0301x", "e\u00ad\u0301x"],
  ["the same character in one piece", "éx", "e\u00ad\u0301x"],
  ["a sigma at the end of the pattern", "ΟΔΟΣ*", "ΟΔΟΣ.txt"],
  ["a final sigma", "οδος*", "οδοσ.txt"],
])("applies a rule to names with %s", (_, pattern, given) => {
  const policy = policyOf([rules(`deny read ${pattern}`)]);
  const names = namesOf(`${policy.context.workspace}/${given}`, policy.context);
  expect(rulesNear(policy, names).filter((rule) => isAbout(rule, "read", names))).toHaveLength(1);
});

it("splits a path the same way whatever path was asked about before", () => {
  const { workspace } = testContext;
  const all = [
    "/",
    "/a",
    "/a/",
    "//a",
    "/a//b",
    "/A/é",
    "/A/É",
    workspace,
    `${workspace}/x`,
    `${workspace}x/y`,
  ];
  const split = (each: string) => {
    const { exact, folded, inside } = namesOf(each, testContext);
    return { exact, folded, inside };
  };
  const alone = new Map(
    all.map((each) => {
      split("/somewhere/else");
      return [each, split(each)];
    }),
  );
  for (const first of all)
    for (const second of all) {
      split(first);
      expect([second, split(second)]).toEqual([second, alone.get(second)]);
    }
});

it.each([
  ["by beginning", (at: number) => `deny read gen${at}-*`],
  ["by end", (at: number) => `deny read *-gen${at}.key`],
  ["by a text inside", (at: number) => `deny read **/*-gen${at}-*`],
  ["in one directory", (at: number) => `deny read src/**/*gen${at}*.txt`],
  ["by directory", (at: number) => `deny read src/gen${at}/*.ts`],
])("compares few of a thousand rules %s with a path", (_, ruleAt) => {
  const policy = policyOf([rules(Array.from({ length: 1000 }, (_each, at) => ruleAt(at)).join("\n"))]);
  const near = (below: string) => {
    const found = rulesNear(policy, namesOf(`${policy.context.workspace}/${below}`, policy.context));
    return found.filter(({ origin }) => origin.level !== "built-in").length;
  };
  expect(near("src/main.ts")).toBe(0);
  expect(near("src/gen500-/x-gen500.key-gen500-.txt")).toBeLessThan(60);
});
