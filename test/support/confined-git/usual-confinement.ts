import type { Confinement } from "../../../src/contract/confinement.ts";
import { builtInRules } from "../../../src/policy/built-in-rules.ts";
import { confinementOf } from "../../../src/policy/confinement-of.ts";
import type { Question } from "../../../src/policy/policy.ts";
import { compilePolicy } from "../../../src/policy/rules/compile-policy.ts";
import { inGit } from "../../../src/system/in-git.ts";
import { decide } from "../policy/decide.ts";

/** The confinement of a command by the built-in rules: protected files are read-only, secrets are hidden. */
export function usualConfinement(workspace: string): Confinement {
  const policy = compilePolicy([builtInRules], { workspace, home: "/nonexistent", own: [], inGit });
  const question: Question = {
    mode: "cautious",
    tool: { name: "shell.run", risk: "execute" },
    accesses: [{ kind: "execute", command: "make" }],
    sandbox: "bwrap",
    realPaths: new Map(),
  };
  return confinementOf(decide(question, policy), question, policy, "approved");
}
