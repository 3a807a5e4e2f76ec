import type { ToolAccess } from "../../../src/contract/access.ts";
import { readCommand } from "../../../src/engine/policy/commands/read-command.ts";
import { BoundedCache } from "../../../src/lib/bounded-cache.ts";
import { builtInRules } from "../../../src/policy/built-in-rules.ts";
import { decideCall } from "../../../src/policy/decide.ts";
import type {
  Decision,
  Level,
  PathContext,
  PolicyMode,
  Question,
  RuleSource,
} from "../../../src/policy/policy.ts";
import { compilePolicy, type Policy } from "../../../src/policy/rules/compile-policy.ts";

/** The paths that policy tests use. */
export const testContext: PathContext = {
  workspace: "/home/ada/work",
  home: "/home/ada",
  own: ["/home/ada/.local/state/toolcrib"],
};

/** A rule file of some level. Default: the user's. */
export function rules(text: string, level: Level = "user"): RuleSource {
  return { level, name: level === "project" ? ".toolcrib/rules" : "rules", text };
}

export interface Circumstances {
  readonly mode?: PolicyMode;
  readonly isPlanning?: boolean;
  readonly tool?: Question["tool"];
  readonly sandbox?: Question["sandbox"];
  readonly asksBeforeCommands?: true;
  readonly reachesOwnServers?: boolean;
  readonly realPaths?: Readonly<Record<string, string>>;
  readonly seenOutside?: readonly string[];
  readonly notCovered?: Readonly<Record<string, string>>;
  readonly holdsSecrets?: boolean;
  readonly undoLacks?: string;
  readonly shells?: Question["shells"];
}

/** Decides about some accesses by the built-in rules and others. */
export function decideOn(
  accesses: readonly ToolAccess[],
  sources: readonly RuleSource[] = [],
  circumstances: Circumstances = {},
): Decision {
  const question: Question = {
    mode: circumstances.mode ?? "cautious",
    isPlanning: circumstances.isPlanning ?? false,
    tool: circumstances.tool ?? { name: "shell.run", risk: "execute" },
    accesses,
    sandbox: circumstances.sandbox ?? "landlock",
    asksBeforeCommands: circumstances.asksBeforeCommands,
    reachesOwnServers: circumstances.reachesOwnServers,
    realPaths: new Map(Object.entries(circumstances.realPaths ?? {})),
    seenOutside: new Set(circumstances.seenOutside),
    notCovered: new Map(Object.entries(circumstances.notCovered ?? {})),
    holdsSecrets: circumstances.holdsSecrets,
    undoLacks: circumstances.undoLacks,
    ...(circumstances.shells && { shells: circumstances.shells }),
  };
  return decide(question, policyOf(sources));
}

/** Decides with the command analysis, as the pipeline does for calls that run commands. */
export function decide(question: Question, policy: Policy): Decision {
  return decideCall(question, policy, readCommand);
}

const compiled = new BoundedCache<string, Policy>({ maxEntries: 50 });

/** The built-in rules and others, compiled once. */
export function policyOf(sources: readonly RuleSource[]): Policy {
  const key = JSON.stringify(sources);
  const policy = compiled.get(key) ?? compilePolicy([builtInRules, ...sources], testContext);
  compiled.set(key, policy);
  return policy;
}

/** The verdict on a command, given the lines of one rule file. */
export function verdictOn(
  command: string,
  lines = "",
  circumstances: Circumstances = {},
): Decision["verdict"] {
  return decideOn([{ kind: "execute", command }], lines === "" ? [] : [rules(lines)], circumstances).verdict;
}
