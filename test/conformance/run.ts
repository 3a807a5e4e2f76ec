/**
 * Runs the vectors against any MCP server that speaks over stdio, one server a vector:
 *
 *     node test/conformance/run.ts --dialect omega -- npx toolcrib mcp --dialect omega --workspace {} {options}
 *
 * `{}` becomes the vector's workspace; `{options}` its mode, rules and tools as our own command line takes them. Vectors
 * that need what the command does not ask for are left out, and named.
 */

import { join } from "node:path";
import { inspect, isDeepStrictEqual, parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Ending, runVector } from "./run-vector.ts";
import { type Answer, type NamedVector, readVectors, type Vector } from "./vector.ts";
import { makeWorkspace } from "./vector-workspace.ts";

const { values, positionals } = parseArgs({
  options: { dialect: { type: "string" } },
  allowPositionals: true,
});
const [program, ...args] = positionals;
if (program === undefined) {
  console.error(
    "Which server? node test/conformance/run.ts --dialect omega -- npx toolcrib mcp --workspace {} …",
  );
  process.exit(2);
}

let failed = 0;
let leftOut = 0;
let failedAsExpected = 0;
const vectors = readVectors(values.dialect);
if (vectors.length === 0) {
  console.error(`There are no vectors of "${values.dialect}": name a folder of test/conformance.`);
  process.exit(2);
}
for (const vector of vectors) {
  if (!canRun(vector)) {
    leftOut += 1;
    console.log(`left out  ${vector.title}`);
    continue;
  }
  const { actual, expected } = await runOnServer(vector).catch((error: Error) => {
    console.error(`${program} does not answer: ${error.message}`);
    process.exit(1);
  });
  const passed = isDeepStrictEqual(actual, expected);
  if (vector.fails !== undefined && !passed) {
    failedAsExpected += 1;
    console.log(`expected  ${vector.title} does not pass yet: ${vector.fails}`);
    continue;
  }
  const isGood = passed && vector.fails === undefined;
  if (!isGood) failed += 1;
  console.log(`${isGood ? "passed   " : "FAILED   "} ${vector.title}`);
  if (!passed) console.log(inspect({ expected, actual }, { depth: null, breakLength: 120 }));
  else if (!isGood) console.log("It passes now: remove its field `fails`.");
}
const passed = vectors.length - failed - failedAsExpected - leftOut;
console.log(
  `${passed} passed, ${failed} failed, ${failedAsExpected} failed as expected, ${leftOut} left out`,
);
process.exitCode = failed === 0 ? 0 : 1;

function canRun({ mode = "yolo", rules = [], tools, agents }: Vector): boolean {
  if (agents) return false;
  return args.includes("{options}") || (mode === "yolo" && rules.length === 0 && tools === undefined);
}

async function runOnServer(vector: NamedVector): Promise<{ actual: Ending; expected: Ending }> {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  makeWorkspace(workspace, vector);
  const client = new Client({ name: "toolcrib-conformance", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: program!,
      args: args.flatMap((arg) =>
        arg === "{options}" ? optionsOf(vector) : arg.replaceAll("{}", workspace),
      ),
      env: {
        ...getDefaultEnvironment(),
        XDG_STATE_HOME: join(folder.path, "state"),
        XDG_CONFIG_HOME: join(folder.path, "config"),
      },
    }),
  );
  return await runVector(vector, workspace, {
    call: (tool, input) => callOn(client, tool, input),
    close: () => client.close(),
  });
}

function optionsOf({ mode = "yolo", rules = [], tools = [] }: Vector): readonly string[] {
  return [
    `--mode=${mode}`,
    ...rules.map((rule) => `--rule=${rule}`),
    ...(tools.length === 0 ? [] : [`--only-tools=${tools.join(",")}`]),
  ];
}

async function callOn(client: Client, name: string, input: unknown): Promise<Answer> {
  const asked = client.callTool({ name, arguments: input as Record<string, unknown> });
  const result = await asked.catch((error: unknown) => error as Error);
  // An unknown tool is a protocol error with a message of one line.
  if (result instanceof Error) return { content: result.message.replace(". ", "\n"), isError: true };
  const { content, isError = false } = result as ServerAnswer;
  return {
    content: content.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join("\n"),
    isError,
    images: content.flatMap((block) => (block.type === "image" ? [block.mimeType ?? ""] : [])),
  };
}

interface ServerAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly mimeType?: string }[];
}
