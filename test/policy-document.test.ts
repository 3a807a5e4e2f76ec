import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { builtInRules } from "../src/policy/built-in-rules.ts";
import { compilePolicy } from "../src/policy/rules/compile-policy.ts";
import { decide } from "./support/policy/decide.ts";

const text = ["policy", "policy/rules", "recipes"]
  .map((page) => readFileSync(join(import.meta.dirname, `../docs/${page}.md`), "utf8"))
  .join("\n");
const blocks = [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].flatMap(([, language, rules]) =>
  language === "" ? [rules!] : [],
);
const place = { workspace: "/home/ada/work", home: "/home/ada", own: [] };

it.each(blocks)("the rules in the document work as described: %s", (rules) => {
  const policy = compilePolicy([builtInRules, { level: "user", name: "rules", text: rules }], place);
  const verdicts = policy.examples.map(({ mode, tool, accesses, origin: { text: line } }) => {
    const question = { mode, tool, accesses, sandbox: "bwrap", realPaths: new Map() } as const;
    return [decide(question, policy).verdict, line];
  });
  expect(verdicts.length).toBeGreaterThan(0);
  expect(verdicts).toEqual(policy.examples.map(({ verdict, origin: { text: line } }) => [verdict, line]));
});
