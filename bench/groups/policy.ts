import type { ToolAccess } from "../../src/contract/access.ts";
import { readCommand } from "../../src/engine/policy/commands/read-command.ts";
import { builtInRules } from "../../src/policy/built-in-rules.ts";
import { decideCall } from "../../src/policy/decide.ts";
import type { Question } from "../../src/policy/policy.ts";
import { compilePolicy, type Policy } from "../../src/policy/rules/compile-policy.ts";
import type { Case, Contender, Group } from "../harness.ts";

const directories = {
  workspace: "/home/ada/work",
  home: "/home/ada",
  own: ["/home/ada/.local/state/toolcrib"],
};

/** Four kinds of rules, fifty of each, in addition to the built-in ones. */
const twoHundred = Array.from({ length: 50 }, (_, index) => [
  `allow run npm run task${index} **`,
  `deny  write generated${index}/**`,
  `ask   run deploy${index} --force **`,
  `allow connect *.host${index}.example`,
]);

const kinds = [
  "cat src/file.ts",
  "grep -n TODO src/a.ts",
  "git log --oneline -5",
  "npm run task7 -- --watch",
  "wc -l < out.txt",
  "sed -n 1,5p x.ts > y.txt",
];
const fiftyParts = Array.from({ length: 50 }, (_, index) => kinds[index % kinds.length]).join(" && ");
const fiftyGlobs = Array.from({ length: 50 }, (_, index) => `head -1 src/dir${index}/*.ts`).join(" && ");

export const group: Group = {
  needs: [],
  cases: [
    decided("a call that reads a file", { kind: "read", path: "src/policy/rules/compile-policy.ts" }, 50),
    decided("a call that writes a file", { kind: "write", path: "src/policy/rules/compile-policy.ts" }, 50),
    decided("a command of one part", { kind: "execute", command: "git status --short" }, 50),
    decided("a command of 50 parts", { kind: "execute", command: fiftyParts }, 2000),
    decided("a command of 50 parts, each with a glob", { kind: "execute", command: fiftyGlobs }, 2000),
  ],
};

function decided(name: string, access: ToolAccess, atMostUs: number): Case {
  return {
    name,
    about:
      "From the access to the decision, commands parsed anew each time, by the built-in rules and 200 others.",
    rounds: 20,
    lapsPerRound: atMostUs > 1000 ? 50 : 1000,
    goals: [{ measure: "p50Ms", atMostUs }],
    contenders: { toolcrib: () => decideOn(access) },
  };
}

function decideOn(access: ToolAccess): Contender {
  const text = [...twoHundred.flat(), "allow run @read"].join("\n");
  const policy: Policy = compilePolicy([builtInRules, { level: "user", name: "rules", text }], directories);
  let lap = 0;
  return {
    run: () => {
      lap += 1;
      // The last command is cached, so each lap uses another.
      const command =
        access.kind === "execute" ? { ...access, command: access.command + " ".repeat(lap % 2) } : access;
      const question: Question = {
        mode: "cautious",
        tool: { name: "shell.run", risk: "execute" },
        accesses: [command],
        sandbox: "none",
        realPaths: new Map(),
      };
      return decideCall(question, policy, readCommand).verdict;
    },
  };
}
