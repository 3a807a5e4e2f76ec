import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loudAgents } from "../../test/conformance/agents.ts";
import { withEnoughTime } from "../../test/support/enough-time.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import {
  AnthropicProviderProfile,
  buildAnthropicTools,
  buildGeminiTools,
  buildOpenAiTools,
  type CustomTool,
  type ExecutionEnvironment,
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
  const described = profiles.map(async ({ toolRegistry, ...profile }, index) => ({
    ...profile,
    tools: (await profiles[index]!.tools()).map(({ name }) => name),
  }));
  const abilities = { supportsReasoning: true, supportsStreaming: true, supportsParallelToolCalls: true };
  expect(await Promise.all(described)).toEqual([
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

it("reports that a tool for agents needs agents where there are none", async () => {
  const registry = buildOpenAiTools();
  const { content, error } = await registry.execute("spawn_agent", { task: "say hello" }, environment);
  expect([registry.has("spawn_agent"), error?.code, content]).toEqual([
    true,
    "unavailable",
    "spawn_agent needs other agents, and there are none here\nDo the task without it.",
  ]);
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

it("returns complete files and matches, not only what a model would be shown", { tags: "slow" }, async () => {
  const text = `\u{feff}${"line\n".repeat(5_000)}`;
  await environment.writeFile("many.txt", text);
  await environment.execCommand("for i in $(seq 600); do : > $i.dat; done", { timeoutMs: 60_000 });
  expect([
    (await environment.readFile("many.txt")) === text,
    (await environment.grep("line", "many.txt")).split("\n").length,
    (await environment.glob("*.dat")).length,
  ]).toEqual([true, 5_000, 600]);
});

it("provides an environment that reads, writes, deletes, moves, finds and runs", {
  tags: "slow",
}, async () => {
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
  const [late] = await withEnoughTime(
    3_000,
    (timeoutMs) => environment.execCommand("echo begun; echo oops >&2; sleep 60", { timeoutMs }),
    ({ stderr }) => stderr !== "",
  );
  expect([run, typeof durationMs, { ...late, durationMs: 0 }]).toEqual([
    { stdout: "hello\n", stderr: "no\n", exitCode: 3, timedOut: false },
    "number",
    { stdout: "begun\n", stderr: "oops\n", exitCode: null, timedOut: true, durationMs: 0 },
  ]);
});

/** An environment that is only a map of files, and records which of its methods were called. */
function mapEnvironment(files: Record<string, string>, options: ExecutionEnvironment["options"] = {}) {
  const content = new Map(Object.entries(files));
  const calls: string[] = [];
  const own: ExecutionEnvironment = {
    workingDirectory: "/project",
    platform: "linux",
    osVersion: "6.1",
    options: {
      mode: "yolo",
      stateDirectory: join(folder.path, "state"),
      configDirectory: join(folder.path, "config"),
      ...options,
    },
    readFile: async (path) => {
      const text = content.get(path);
      if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
      return text;
    },
    writeFile: async (path, text) => {
      calls.push(`write ${path}`);
      if (path === "full.txt") throw new Error("the disk is full");
      content.set(path, text);
    },
    deleteFile: async (path) => {
      calls.push(`delete ${path}`);
      content.delete(path);
    },
    moveFile: async (from, to) => {
      calls.push(`move ${from} ${to}`);
      content.set(to, content.get(from)!);
      content.delete(from);
    },
    fileExists: async (path) => content.has(path),
    execCommand: async (command, { timeoutMs = 0 } = {}) => {
      calls.push(`run ${command}`);
      const timedOut = command === "sleep";
      const stdout = `ran for at most ${timeoutMs} ms\n`;
      return { stdout, stderr: "careful\n", exitCode: timedOut ? null : 0, timedOut, durationMs: 1 };
    },
    grep: async (pattern, path, { ignoreCase = false } = {}) => {
      calls.push(`grep ${pattern} ${path} ${ignoreCase}`);
      return [...content]
        .flatMap(([name, text]) =>
          text
            .split("\n")
            .flatMap((line, index) => (line.includes(pattern) ? `${name}:${index + 1}:${line}` : [])),
        )
        .join("\n");
    },
    glob: async (pattern) => {
      calls.push(`glob ${pattern}`);
      return [...content.keys()].filter((path) => pattern === "**/*" || path.endsWith(pattern.slice(1)));
    },
    cleanup: async () => {},
  };
  return { own, content, calls };
}

it("runs every tool through the methods of any object that has them", async () => {
  const { own, content, calls } = mapEnvironment({
    "src/a.txt": "one\ntwo\n",
    "b.txt": "bee\n",
    "c.txt": "",
  });
  await using openai = buildOpenAiTools();
  await using gemini = buildGeminiTools();
  const say = async (registry: typeof openai, name: string, args: unknown) =>
    (await registry.execute(name, args, own)).content;
  expect([
    await say(openai, "read_file", { file_path: "/project/src/a.txt", offset: 2 }),
    await say(openai, "write_file", { file_path: "new/d.txt", content: "dee\n" }),
    await say(openai, "apply_patch", {
      patch:
        "*** Begin Patch\n*** Update File: src/a.txt\n*** Move to: src/moved.txt\n@@\n-two\n+2\n" +
        "*** Delete File: c.txt\n*** Add File: e.txt\n+eee\n*** End Patch",
    }),
    await say(openai, "shell", { command: "make" }),
    await say(openai, "shell", { command: "sleep", timeout_ms: 2_000 }),
    await say(openai, "grep", { pattern: "e", case_insensitive: true, max_results: 2 }),
    await say(openai, "glob", { pattern: "*.txt" }),
    await say(gemini, "edit_file", { file_path: "b.txt", old_string: "bee", new_string: "B" }),
    await say(gemini, "grep", { pattern: "e", output_mode: "count" }),
    await say(gemini, "list_dir", { path: "." }),
    await say(gemini, "read_many_files", { include: ["src/*.txt"] }),
    await say(gemini, "read_file", { file_path: "gone.txt" }),
    await say(gemini, "read_file", { file_path: "../etc/passwd" }),
  ]).toEqual([
    "2 | two",
    "Created new/d.txt: 4 bytes written.",
    "R src/a.txt -> src/moved.txt\nD c.txt\nA e.txt",
    "exit code: 0\nduration: 1 ms\nstdout:\nran for at most 10000 ms\nstderr:\ncareful\n[Undo does not cover: changes by its commands (this environment cannot determine them)]",
    expect.stringContaining("did not finish within 2 s"),
    "b.txt:1:bee\nnew/d.txt:1:dee\n[Stopped after 2 matching lines; there are more. Narrow the search (path, glob_filter, a longer pattern) or raise max_results.]",
    "b.txt\nnew/d.txt\nsrc/moved.txt\ne.txt",
    expect.stringContaining("b.txt"),
    "new/d.txt:1\nsrc/moved.txt:1\ne.txt:1",
    expect.stringContaining("moved.txt"),
    expect.stringContaining("1 | one\n2 | 2"),
    expect.stringContaining("gone.txt does not exist"),
    expect.stringContaining("leads outside the workspace"),
  ]);
  expect(Object.fromEntries(content)).toEqual({
    "src/moved.txt": "one\n2\n",
    "b.txt": "B\n",
    "new/d.txt": "dee\n",
    "e.txt": "eee\n",
  });
  expect(calls).toEqual(
    expect.arrayContaining([
      "move src/a.txt src/moved.txt",
      "write src/moved.txt",
      "delete c.txt",
      "run make",
      "grep e . true",
      "glob *.txt",
    ]),
  );
});

it("writes all files of a patch through an environment or none", async () => {
  const { own, content } = mapEnvironment({ "a.txt": "one\n", "b.txt": "two\n" });
  await using registry = buildOpenAiTools();
  const patch =
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Delete File: b.txt\n*** Add File: full.txt\n+x\n*** End Patch";
  const { content: text, isError } = await registry.execute("apply_patch", { patch }, own);
  expect([text, isError]).toEqual([expect.stringContaining("the disk is full"), true]);
  expect(Object.fromEntries(content)).toEqual({ "a.txt": "one\n", "b.txt": "two\n" });
});

it("checks calls in an environment of one's own like all others", async () => {
  const { own, content, calls } = mapEnvironment(
    { ".env": "TOKEN=sesame\n", "a.txt": "sesame\n" },
    { mode: "cautious" },
  );
  await using registry = buildAnthropicTools();
  const say = async (name: string, args: unknown) => {
    const { content, error } = await registry.execute(name, args, own);
    return error?.code ?? content;
  };
  expect([
    await say("shell", { command: "make" }),
    await say("read_file", { file_path: ".env" }),
    await say("grep", { pattern: "sesame" }),
    await say("write_file", { file_path: "b.txt", content: "b" }),
  ]).toEqual([
    "needs-approval",
    "denied",
    "a.txt:1:sesame\n[1 file hidden by rules was skipped]",
    "Created b.txt: 1 byte written.",
  ]);
  // The policy and the tool each check whether b.txt exists.
  const looks = ["glob **/*", "glob **/*"];
  expect([calls, content.get("b.txt")]).toEqual([["grep sesame . false", ...looks, "write b.txt"], "b"]);
});

it("says which method an environment lacks", async () => {
  const { own } = mapEnvironment({});
  await using registry = buildAnthropicTools();
  const { content } = await registry.execute("glob", { pattern: "*" }, { ...own, glob: undefined as never });
  expect(content).toBe(
    "The environment has no method `glob`\nImplement all methods of `ExecutionEnvironment`.",
  );
});

it("uses the methods that a subclass overrides, and asks once", async () => {
  await environment.cleanup();
  const used: string[] = [];
  class Watched extends LocalExecutionEnvironment {
    override async readFile(...given: Parameters<LocalExecutionEnvironment["readFile"]>) {
      used.push(`read ${given[0]}`);
      return (await super.readFile(...given)).replace("secret", "public");
    }
    override async deleteFile(path: string) {
      used.push(`delete ${path}`);
      await super.deleteFile(path);
    }
    override async execCommand(command: string) {
      used.push(`run ${command}`);
      return { stdout: "elsewhere\n", stderr: "", exitCode: 0, timedOut: false, durationMs: 5 };
    }
  }
  const asked: string[] = [];
  environment = new Watched(workspace(), {
    mode: "safe",
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    approve: async ({ tool }) => {
      asked.push(tool);
      return { allow: true };
    },
  });
  const registry = buildOpenAiTools();
  const say = async (name: string, args: unknown) =>
    (await registry.execute(name, args, environment)).content;
  writeFileSync(join(workspace(), "a.txt"), "secret\n");
  expect([
    await say("read_file", { file_path: "a.txt" }),
    await say("apply_patch", { patch: "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch" }),
    await say("shell", { command: "make" }),
    await say("glob", { pattern: "*" }),
  ]).toEqual([
    "1 | public",
    "D a.txt",
    expect.stringMatching(/^exit code: 0\nduration: 5 ms\nstdout:\nelsewhere\n/),
    "No file in the workspace matches *. Hidden and ignored files were not searched.",
  ]);
  expect([asked, used.filter((each) => !each.startsWith("read")), used.includes("read a.txt")]).toEqual([
    ["edit.patch", "shell.run"],
    ["delete a.txt", "run make"],
    true,
  ]);
});
