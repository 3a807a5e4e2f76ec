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

/** `toolcrib policy test [FILE …]` */
export async function testPolicy(given: Arguments): Promise<number> {
  const named = given.operands.length > 0 ? given.operands.flatMap(examplesIn) : undefined;
  const results = await withPolicy(withRulesOf(given), async (room) => {
    const examples = named ?? room.rules.current.examples;
    // Examples are about the rules: what this machine has would make them fail on the next.
    const sandbox = given.options.has("sandbox") ? room.sandbox : async () => "bwrap" as const;
    return Promise.all(examples.map((example) => runExample(example, { ...room, sandbox })));
  });
  const failed = results.filter(({ example, decision }) => example.verdict !== decision.verdict);
  if (given.options.has("json")) printJson(results.map(toReport));
  else {
    for (const result of failed) print(showFailure(result));
    print(
      results.length === 0
        ? "There are no `expect` lines in the rules.\n"
        : `${counted(results.length, "example")}, ${failed.length} failed.\n`,
    );
  }
  return failed.length > 0 ? 1 : 0;
}

interface Result {
  readonly example: Example;
  readonly decision: Decision;
}

/** A file is tested with its own rules, as if it were given with `--rules`. */
function withRulesOf(given: Arguments): Arguments {
  const files = [given.options.get("rules") ?? [], given.operands].flat();
  return files.length === 0
    ? given
    : { ...given, options: new Map([...given.options, ["rules", files.join("\n")]]) };
}

/** The examples of a file that need not be in force. */
function examplesIn(file: string): readonly Example[] {
  const text = readPolicyFile(file);
  if (text === undefined)
    throw new ToolError("not-found", `There is no file ${file}`, {
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
  const { origin: place, verdict, mode } = example;
  return printable(
    [
      paint(1, "red", `${place.name}:${place.line}: ${place.text}`),
      `  expected ${verdict} in mode ${mode}, got ${decision.verdict}: ${describeRecord(decision)}\n`,
    ].join("\n"),
  );
}

function toReport({ example, decision }: Result): object {
  const { verdict: expected, mode, origin: place } = example;
  return {
    ...place,
    mode,
    expected,
    passed: expected === decision.verdict,
    decision: reportDecision(decision),
  };
}
