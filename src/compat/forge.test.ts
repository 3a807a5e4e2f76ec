import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loudAgents } from "../../test/conformance/agents.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import {
  AnthropicProviderProfile,
  buildAnthropicTools,
  buildGeminiTools,
  buildOpenAiTools,
  type CustomTool,
  GeminiProviderProfile,
  LocalExecutionEnvironment,
  OpenAiProviderProfile,
} from "./forge.ts";

let folder: ReturnType<typeof temporaryFolder>;
let environment: LocalExecutionEnvironment;

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(workspace());
  environment = open();
});
afterEach(async () => {
  await environment.cleanup();
  await folder[Symbol.asyncDispose]();
});

function workspace(): string {
  return join(folder.path, "workspace");
}

function open(more: ConstructorParameters<typeof LocalExecutionEnvironment>[1] = {}) {
  return new LocalExecutionEnvironment(workspace(), {
    mode: "yolo",
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    ...more,
  });
}

const shared = ["read_file", "write_file", "shell", "grep", "glob"];
const agents = ["spawn_agent", "send_input", "wait", "close_agent"];

it("gives OpenAI models apply_patch instead of edit_file, and all others edit_file", async () => {
  const registries = [buildOpenAiTools(), buildAnthropicTools(), buildGeminiTools()];
  expect(registries.map((registry) => registry.names())).toEqual([
    [...shared, "apply_patch", ...agents],
    [...shared, "edit_file", ...agents],
    [...shared, "edit_file", "read_many_files", "list_dir", "web_search", "web_fetch", ...agents],
  ]);
});

it("offers agent tools only when agents are available", async () => {
  const registry = buildOpenAiTools();
  const names = async (having?: { agents: boolean }) =>
    (await registry.definitions(having)).map(({ name }) => name);
  expect([await names(), await names({ agents: true })]).toEqual([
    [...shared, "apply_patch"],
    [...shared, "apply_patch", ...agents],
  ]);
});

it("makes profiles with default tools", async () => {
  const profiles = [
    OpenAiProviderProfile.withDefaultTools("gpt-5.2-codex"),
    AnthropicProviderProfile.withDefaultTools("claude-opus-4-5", { contextWindowSize: 1_000_000 }),
    GeminiProviderProfile.withDefaultTools("gemini-3-pro", { supportsReasoning: false }),
  ];
  const told = profiles.map(async ({ toolRegistry, ...profile }, index) => ({
    ...profile,
    tools: (await profiles[index]!.tools()).map(({ name }) => name),
  }));
  const abilities = { supportsReasoning: true, supportsStreaming: true, supportsParallelToolCalls: true };
  expect(await Promise.all(told)).toEqual([
    {
      id: "openai",
      model: "gpt-5.2-codex",
      ...abilities,
      contextWindowSize: 400_000,
      tools: [...shared, "apply_patch"],
    },
    {
      id: "anthropic",
      model: "claude-opus-4-5",
      ...abilities,
      contextWindowSize: 1_000_000,
      tools: [...shared, "edit_file"],
    },
    {
      id: "gemini",
      model: "gemini-3-pro",
      ...abilities,
      supportsReasoning: false,
      contextWindowSize: 1_048_576,
      tools: [...shared, "edit_file", "read_many_files", "list_dir", "web_search", "web_fetch"],
    },
  ]);
});

it("executes calls in an environment, from writing a file to patching it", async () => {
  const registry = buildOpenAiTools();
  const say = async (name: string, args: unknown) => {
    const { content, isError } = await registry.execute(name, args, environment);
    return [content, isError];
  };
  expect([
    await say("write_file", { file_path: "src/a.txt", content: "one\ntwo\n" }),
    await say("read_file", { file_path: "src/a.txt", offset: 2 }),
    await say("apply_patch", {
      patch: "*** Begin Patch\n*** Update File: src/a.txt\n@@\n one\n-two\n+2\n*** End Patch",
    }),
    await say("grep", { pattern: "2", path: "src" }),
    await say("edit_file", { file_path: "src/a.txt", old_string: "2", new_string: "two" }),
  ]).toEqual([
    ["Created src/a.txt: 8 bytes written.", false],
    ["2 | two", false],
    ["M src/a.txt", false],
    ["src/a.txt:2:2", false],
    ['Unknown tool "edit_file"\nDid you mean "write_file"?', true],
  ]);
});

const shout: CustomTool = {
  definition: {
    name: "grep",
    description: "Say it loud.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  executor: async ({ text }, { workingDirectory }) =>
    `${String(text).toUpperCase()}${workingDirectory === workspace() ? "!" : ""}`,
};

it("reports the error message of a custom tool unchanged", async () => {
  const executor = () => {
    throw new Error("too loud");
  };
  const registry = buildOpenAiTools().register({ ...shout, executor });
  const { content, isError } = await registry.execute("grep", { text: "hello" }, environment);
  expect([content, isError]).toEqual(["too loud", true]);
});

it("replaces a tool by the latest registration of its name, also while the environment is in use", async () => {
  const registry = buildAnthropicTools();
  await environment.writeFile("a.txt", "hello\n");
  const calls = async () => {
    const { content } = await registry.execute("grep", { pattern: "hello" }, environment);
    const loud = await registry.execute("grep", { text: "hello" }, environment);
    return [content, loud.content];
  };
  const before = await calls();
  registry.register({ ...shout, executor: () => "never" }).register(shout);
  const definition = await registry.get("grep");
  expect([before, await calls(), definition?.description, definition?.inputSchema]).toEqual([
    [
      "a.txt:1:hello",
      "grep: `pattern` is missing; unknown key `text`\nIt takes: pattern, path, glob_filter, case_insensitive, max_results, output_mode.",
    ],
    ["grep: `text` is missing\nIt takes: text.", "HELLO!"],
    "Say it loud.",
    { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  ]);
  expect(registry.unregister("grep").names()).toEqual([
    ...shared.filter((name) => name !== "grep"),
    "edit_file",
    ...agents,
  ]);
});

it("checks a custom tool by its risk", async () => {
  await environment.cleanup();
  environment = open({ mode: "cautious" });
  const registry = buildAnthropicTools().register(shout);
  const { error } = await registry.execute("grep", { text: "hello" }, environment);
  registry.register({ ...shout, risk: "read" });
  const { content } = await registry.execute("grep", { text: "hello" }, environment);
  expect([error?.code, content]).toEqual(["needs-approval", "HELLO!"]);
});

it("runs other agents when the environment has them", async () => {
  await environment.cleanup();
  environment = open({ agents: loudAgents() });
  const registry = buildGeminiTools();
  await registry.execute("spawn_agent", { task: "say hello" }, environment);
  const { content } = await registry.execute("wait", { agent_id: "agent_1" }, environment);
  expect(content).toBe("agent_1 completed after 2 turns:\nSAY HELLO");
});

it("lets a running call end while tools change", async () => {
  const registry = buildAnthropicTools();
  const running = registry.execute(
    "shell",
    { command: "until [ -e go ]; do sleep 0.05; done; echo done" },
    environment,
  );
  registry.register(shout);
  await registry.execute("write_file", { file_path: "go", content: "" }, environment);
  expect((await running).content).toMatch(/\bdone\b/);
});

it("returns complete files and matches, not only what a model would be shown", async () => {
  const text = `\u{feff}${"line\n".repeat(5_000)}`;
  await environment.writeFile("many.txt", text);
  await environment.execCommand("for i in $(seq 600); do : > $i.dat; done", { timeoutMs: 60_000 });
  expect([
    (await environment.readFile("many.txt")) === text,
    (await environment.grep("line", "many.txt")).split("\n").length,
    (await environment.glob("*.dat")).length,
  ]).toEqual([true, 5_000, 600]);
});

it("provides an environment that reads, writes, deletes, moves, finds and runs", async () => {
  await environment.writeFile("a/one.txt", "first\nsecond\n");
  await environment.moveFile("a/one.txt", "b/two.txt");
  expect([
    await environment.readFile("b/two.txt"),
    await environment.readFile("b/two.txt", { offset: 2, limit: 1 }),
    await Promise.all(["a/one.txt", "b/two.txt", "b"].map((path) => environment.fileExists(path))),
    await environment.glob("*.txt"),
    await environment.grep("sec"),
  ]).toEqual(["first\nsecond\n", "second\n", [false, true, true], ["b/two.txt"], "b/two.txt:2:second"]);
  await environment.deleteFile("b/two.txt");
  expect(await environment.fileExists("b/two.txt")).toBe(false);
  await expect(environment.readFile("b/two.txt")).rejects.toMatchObject({ code: "not-found" });
  await expect(environment.fileExists("../x")).rejects.toMatchObject({ code: "outside-workspace" });
  const { durationMs, ...run } = await environment.execCommand("echo $GREETING; echo no >&2; exit 3", {
    variables: { GREETING: "hello" },
  });
  const late = await environment.execCommand("echo begun; sleep 60", { timeoutMs: 3_000 });
  expect([run, typeof durationMs, { ...late, stdout: late.stdout.slice(0, 5), durationMs: 0 }]).toEqual([
    { stdout: "hello\n", stderr: "no\n", exitCode: 3, timedOut: false },
    "number",
    { stdout: "begun", stderr: "", exitCode: null, timedOut: true, durationMs: 0 },
  ]);
});
