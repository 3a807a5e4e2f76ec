import type { Access, Risk } from "../../contract/access.ts";
import { type Mode, modes } from "../mode.ts";
import type { RulePlace } from "../policy.ts";
import { readTools } from "./read-tools.ts";
import { endOf, RuleSyntaxError, readWords } from "./read-words.ts";
import type { PathUse } from "./rule.ts";

/** What a call should come to: `expect deny run rm -rf /`. */
export interface Example {
  readonly verdict: "allow" | "ask" | "deny";
  readonly mode: Mode;
  readonly tool: { readonly name: string; readonly server?: string; readonly risk: Risk };
  readonly accesses: readonly Access[];
  readonly place: RulePlace;
}

/** `expect VERDICT [in MODE] CALL`; after `run` the rest of the line is a command, whatever it holds. */
export function readExample(line: string, place: RulePlace): Example {
  const [, head = "", verdict, mode = "cautious", subject, rest = ""] =
    /^(\s*expect\s+)(?:(allow|ask|deny)\s+)?(?:in\s+(\w+)\s+)?(?:(run|read|write|delete|connect|use)\s+)?(.*)$/.exec(
      line,
    ) ?? [];
  const at = { column: line.length - rest.length };
  if (verdict === undefined || subject === undefined)
    throw new RuleSyntaxError(
      "this is no example",
      verdict === undefined ? head.length : at.column,
      "Write: expect allow|ask|deny [in MODE] run|read|write|delete|connect|use …",
    );
  if (!modes.includes(mode as Mode))
    throw new RuleSyntaxError(`there is no mode ${mode}`, line.indexOf(mode), `Modes: ${modes.join(", ")}.`);
  const known = { verdict: verdict as Example["verdict"], mode: mode as Mode, place };
  if (subject === "run")
    return { ...known, tool: exampleTools.run, accesses: [{ kind: "execute", command: rest }] };
  const words = readWords(line, { onlyStars: false, from: at.column });
  if (subject === "use") {
    const [pattern] = readTools(words.length === 0 ? [endOf(line)] : words);
    const server = pattern!.server?.literal;
    const name = pattern!.name.literal ?? pattern!.name.text;
    return { ...known, tool: { name, ...(server && { server }), risk: "execute" }, accesses: [] };
  }
  const target = words[0]?.literal;
  if (target === undefined || words.length > 1)
    throw new RuleSyntaxError(
      "an example names one thing",
      at.column,
      "Quote it if it holds blanks or wildcards.",
    );
  const access: Access =
    subject === "connect" ? { kind: "network", host: target } : { kind: subject as PathUse, path: target };
  return { ...known, tool: exampleTools[subject as keyof typeof exampleTools], accesses: [access] };
}

/** The tools that examples are about. */
const exampleTools = {
  run: { name: "shell.run", risk: "execute" },
  read: { name: "file.read", risk: "read" },
  write: { name: "file.write", risk: "write" },
  delete: { name: "file.delete", risk: "destructive" },
  connect: { name: "web.fetch", risk: "network" },
} as const satisfies Record<string, Example["tool"]>;
