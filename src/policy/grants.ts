import { quoteForRule } from "../lib/text/rule-text.ts";
import type { Decision, Part, Question } from "./policy.ts";
import { bindingText, codeKey } from "./rules/binding.ts";

/**
 * Returns the rules that would allow exactly this call, one per line; undefined if a part cannot be granted. Rules about commands
 * are bound to the program text that the command names, as it is now.
 */
export function grantsFor(
  decision: Decision,
  { tool, codeRun }: Pick<Question, "codeRun"> & { readonly tool: Pick<Question["tool"], "name" | "server"> },
): readonly string[] | undefined {
  const asked = decision.parts.filter(({ verdict }) => verdict === "ask");
  const lines = asked.flatMap(({ part, firm, bare }) => {
    const line = firm ? undefined : grant(part, codeRun);
    return bare ? [line, line?.replace(/^allow/, "unconfined")] : [line];
  });
  if (lines.length === 0 || !lines.every(isOneLine)) return undefined;
  return [...new Set(lines.map((line) => `${line} by ${named(tool.name, tool.server)}`))];
}

function grant(part: Part, codeRun: Question["codeRun"]): string | undefined {
  switch (part.kind) {
    case "use":
      return `allow use ${named(part.tool, part.server)}`;
    case "connect":
      return part.host === undefined ? undefined : `allow connect ${quoteForRule(part.host)}`;
    case "run": {
      const { words, assignments } = part.command;
      const values = [...words, ...assignments.map(({ value }) => value)].map((word) => word?.value);
      const code = codeRun?.get(codeKey(part.command));
      if (values.includes(undefined) || code?.rewritten !== undefined) return undefined;
      const sets = assignments.map(({ name, value }) => `${name}=${quoteForRule(value!.value!)}`);
      const [program, ...rest] = words.map(({ value }) => quoteForRule(value!));
      // The quotes keep a program of that name from being read as a variable.
      const isName = /^[A-Za-z_]\w*=/.test(program ?? "");
      return (
        ["allow run", ...sets, isName ? `'${program}'` : program, ...rest].join(" ") +
        (code ? bindingText(code) : "")
      );
    }
    case "unclear":
      return undefined;
    default:
      if (part.target.kind !== "known") return undefined;
      return `allow ${part.kind} ${quoteForRule(part.target.real ?? part.target.path)}`;
  }
}

/** Returns a tool as rules name it. Without a server it is a built-in tool. */
function named(tool: string, server: string | undefined): string {
  return server === undefined ? quoteForRule(tool) : `${quoteForRule(tool)} of ${quoteForRule(server)}`;
}

/** Returns whether a rule is on one line. A word with a line end would split it into two rules. */
function isOneLine(line: string | undefined): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  return line !== undefined && !/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(line);
}
