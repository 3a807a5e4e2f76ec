import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { serveTurns } from "../../examples/loopback.ts";
import { startProvider } from "../providers/start-provider.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { messagesModel } from "./adapters/messages.ts";
import { installed, nodes, runProgram, whyClaudeCodeCannotStart } from "./support.ts";

const folder = join(import.meta.dirname, "programs");
/** The programs that use Toolcrib and zod alone, whose types are checked, too. */
const plain = ["own-tool", "own-backend", "approvals", "history", "typed-calls", "agent", "workers"];
const others = [
  "standard-schema",
  "ai-sdk",
  "mastra",
  "openai-agents",
  "langchain",
  "claude-agent-sdk",
  "mcp-server",
];
const programs = [...plain, ...others];
const reasonToSkip = whyClaudeCodeCannotStart();
if (reasonToSkip) process.stderr.write(`Skipped: the Claude Agent SDK, because ${reasonToSkip}\n`);
const started = programs.filter((name) => name !== "claude-agent-sdk" || !reasonToSkip);

describe.each(nodes)("on Node $version", ({ path: node }) => {
  it.each([...started.map((name) => `${name}.ts`), "rpc.py"])("%s prints what it says", async (name) => {
    await using project = temporaryFolder();
    const cwd = join(project.path, "work");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "poem.txt"), "one\ntwo\n");
    await using model = await startModels();
    const file = join(folder, name);
    const env = { ...model.variables, ...commandOnPath(project.path, node) };
    const output = await runProgram([file], { cwd, env, program: name.endsWith(".py") ? "python3" : node });
    const promised = [...readFileSync(file, "utf8").matchAll(/(?:\/\/|#) prints: (.*)/g)].map(
      ([, line]) => line,
    );
    expect(output.trimEnd().split("\n")).toEqual(promised);
  });
});

describe("the programs compile strictly", () => {
  const strict = [
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--noEmit",
    "--declaration",
  ];
  const modern = ["--module", "nodenext", "--target", "es2022"];
  it.each([
    ["7", "--skipLibCheck", programs],
    ["5.9", "--skipLibCheck", programs],
    ["7", "with the types of the package", plain],
    ["5.9", "with the types of the package", plain],
    ["7", "without the types of Node", ["own-tool", "own-backend"]],
    // It cannot infer the input of a tool from JSON Schema.
    ["5.0", "--skipLibCheck", plain.filter((name) => name !== "own-tool")],
  ] as const)("with TypeScript %s, %s", async (version, how, names) => {
    const compiler = join(import.meta.dirname, `node_modules/typescript-${version}/bin/tsc`);
    const files = names.map((name) => `${name}.ts`);
    const options = [
      ...[...strict, ...modern, "--lib", version === "5.0" ? "es2023" : "es2023,esnext.disposable,dom"],
      ...["--types", how === "without the types of Node" ? "" : "node"],
      ...(version === "7" ? ["--ignoreConfig"] : []),
      ...(how === "with the types of the package" ? [] : ["--skipLibCheck"]),
    ];
    const checked = promisify(execFile)(process.execPath, [compiler, ...options, ...files], { cwd: folder });
    expect(await checked.catch(({ stdout }) => ({ stdout }))).toMatchObject({ stdout: "" });
  });
});

/** Variables for a program in Python: the command `toolcrib`, and its client. */
function commandOnPath(project: string, node: string): NodeJS.ProcessEnv {
  const command = join(project, "bin/toolcrib");
  mkdirSync(join(project, "bin"));
  writeFileSync(command, `#!/bin/sh\nexec "${node}" "${installed}/bin/toolcrib.js" "$@"\n`, { mode: 0o755 });
  return {
    PATH: `${join(project, "bin")}:${process.env.PATH}`,
    PYTHONPATH: join(installed, "examples/python"),
    PYTHONDONTWRITEBYTECODE: "1",
  };
}

/** Models on this machine, as variables for the programs. */
async function startModels() {
  const session = await startProvider("anthropic", [
    { calls: [{ name: "Read", input: { file_path: "poem.txt" } }] },
    { text: '{"lines": 2, "first": "one"}' },
  ]);
  const read = { name: "file_read", arguments: '{"path": "poem.txt"}' };
  const chat = await serveTurns([
    () => completion({ content: null, tool_calls: [{ id: "call_1", type: "function", function: read }] }),
    ({ messages }) => {
      expect(messages.at(-1)).toMatchObject({ role: "tool", content: "1 | one\n2 | two" });
      return completion({ content: "It has two lines." });
    },
  ]);
  const claude = await messagesModel([
    [["mcp__toolcrib__file_read", { path: "poem.txt" }]],
    "It has two lines.",
  ]);
  return {
    variables: {
      CLAUDE_URL: claude.url,
      TOOLCRIB_MODEL: session.model,
      ANTHROPIC_BASE_URL: session.url,
      ANTHROPIC_API_KEY: session.settings.providers?.anthropic?.apiKey,
      MODEL_URL: chat.url,
    },
    [Symbol.asyncDispose]: async () => {
      await session.close();
      await claude[Symbol.asyncDispose]();
      await chat[Symbol.asyncDispose]();
    },
  };
}

function completion(message: { content: string | null; tool_calls?: readonly object[] }) {
  const finish_reason = message.tool_calls ? "tool_calls" : "stop";
  const choices = [{ index: 0, finish_reason, message: { role: "assistant", ...message } }];
  // LangGraph replaces a message by another one with its id.
  return { id: `chatcmpl_${randomUUID()}`, object: "chat.completion", created: 0, model: "any", choices };
}
