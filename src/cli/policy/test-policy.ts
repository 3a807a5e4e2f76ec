import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printable } from "../../lib/text/printable.ts";
import type { Decision } from "../../policy/policy.ts";
import { type Example, parseRules } from "../../policy/rules/parse-rules.ts";
import { readPolicyFile } from "../../system/policy-files.ts";
import { previewDecision } from "../../toolcrib/replay-calls.ts";
import type { Arguments } from "../command.ts";
import { printJson } from "../report.ts";
import { paint, print } from "../terminal.ts";
import { type PolicyContext, withPolicy } from "./open-policy.ts";
import { describeRecord, reportDecision } from "./report-decision.ts";

export async function testPolicy(given: Arguments): Promise<number> {
  const named = given.operands.length > 0 ? given.operands.flatMap(examplesIn) : undefined;
  const results = await withPolicy(withRulesOf(given), async (context) => {
    const examples = named ?? context.rules.current.examples;
    // Examples must not depend on the sandbox of this machine.
    const sandbox = given.options.has("sandbox") ? context.sandbox : async () => "bwrap" as const;
    return Promise.all(examples.map((example) => runExample(example, { ...context, sandbox })));
  });
  const failed = results.filter(({ example, decision }) => example.verdict !== decision.verdict);
  if (given.options.has("json")) printJson(results.map(toReport));
  else {
    for (const result of failed) print(showFailure(result));
    print(
      results.length === 0
        ? "The rules have no `expect` lines.\n"
        : `${counted(results.length, "example")}, ${failed.length} failed.\n`,
    );
  }
  return failed.length > 0 ? 1 : 0;
}

interface Result {
  readonly example: Example;
  readonly decision: Decision;
}

/** Adds the rules of named files, which are tested with their own rules, as with `--rule-file`. */
function withRulesOf(given: Arguments): Arguments {
  const files = [given.options.get("rule-file") ?? [], given.operands].flat();
  return files.length === 0
    ? given
    : { ...given, options: new Map([...given.options, ["rule-file", files.join("\n")]]) };
}

function examplesIn(file: string): readonly Example[] {
  const text = readPolicyFile(file);
  if (text === undefined)
    throw new ToolError("not-found", `The file ${file} does not exist`, {
      hint: "Name a file with rules and `expect` lines.",
    });
  return parseRules({ level: "command line", name: file, text }).examples;
}

async function runExample(example: Example, { rules, environment, sandbox }: PolicyContext): Promise<Result> {
  const { tool, accesses, mode } = example;
  const settings = { policy: rules.current, mode, environment, sandbox };
  return { example, decision: await previewDecision({ tool, accesses }, settings) };
}

function showFailure({ example, decision }: Result): string {
  const { origin, verdict, mode } = example;
  return printable(
    [
      paint(1, "red", `${origin.name}:${origin.line}: ${origin.text}`),
      `  expected ${verdict} in mode ${mode}, got ${decision.verdict}: ${describeRecord(decision)}\n`,
    ].join("\n"),
  );
}

function toReport({ example, decision }: Result): object {
  const { verdict: expected, mode, origin } = example;
  const passed = expected === decision.verdict;
  return { ...origin, mode, expected, passed, decision: reportDecision(decision) };
}
