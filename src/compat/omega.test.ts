import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { bundledProgram } from "../../test/support/bundled-program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import {
  BASH_TIMEOUT_SECS,
  buildResponse,
  builtinToolDefs,
  isWriteBlocked,
  MAX_BASH_OUTPUT,
  MAX_READ_OUTPUT,
  type McpServer,
  ToolExecutor,
  type ToolExecutorOptions,
  toolsEnabled,
  truncateOutput,
} from "./omega.ts";

const smallServer = await bundledProgram(
  new URL("../../test/support/compat/small-server.ts", import.meta.url),
);

it("has the limits of Omega", () => {
  expect({ MAX_BASH_OUTPUT, MAX_READ_OUTPUT, BASH_TIMEOUT_SECS }).toEqual({
    MAX_BASH_OUTPUT: 30_000,
    MAX_READ_OUTPUT: 50_000,
    BASH_TIMEOUT_SECS: 120,
  });
});

it("defines exactly four built-in tools, each of which serializes with name, description and parameters", () => {
  const text = (description: string) => ({ type: "string", description });
  const object = (properties: Record<string, unknown>) => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  const path = text("Path, absolute or relative to the workspace.");
  expect(JSON.parse(JSON.stringify(builtinToolDefs()))).toEqual([
    {
      name: "bash",
      description: expect.stringMatching(/./),
      parameters: object({ command: text("The bash command to run.") }),
    },
    { name: "read", description: expect.stringMatching(/./), parameters: object({ file_path: path }) },
    {
      name: "write",
      description: expect.stringMatching(/./),
      parameters: object({ file_path: path, content: text("The complete new content.") }),
    },
    {
      name: "edit",
      description: expect.stringMatching(/./),
      parameters: object({
        file_path: path,
        old_string: text("Text to replace, exactly as in the file."),
        new_string: text("The new text."),
      }),
    },
  ]);
});

it("returns definitions that callers cannot change for each other", () => {
  (builtinToolDefs()[0] as { name: string }).name = "other";
  expect(builtinToolDefs().map(({ name }) => name)).toEqual(["bash", "read", "write", "edit"]);
});

it("leaves a text up to the limit unchanged, and cuts a longer one with a notice", () => {
  expect(truncateOutput("short", 10)).toBe("short");
  expect(truncateOutput("exactly", 7)).toBe("exactly");
  expect(truncateOutput("much longer", 4)).toBe(
    "much\n... (output truncated: 11 total chars, showing first 4)",
  );
});

it("never cuts inside a character", () => {
  const family = "👨‍👩‍👧";
  expect(truncateOutput(`ab${family}c`, 4)).toBe(
    "ab\n... (output truncated: 11 total chars, showing first 2)",
  );
  expect(truncateOutput("e\u0301e\u0301", 3)).toBe(
    "e\u0301\n... (output truncated: 4 total chars, showing first 2)",
  );
});

it("does not block writes in the workspace, the data directory and the temporary directory", () => {
  const dataDir = join(homedir(), ".omega");
  const paths = [join(dataDir, "workspace", "a.txt"), join(dataDir, "notes.txt"), "/tmp/a.txt", "sub/a.txt"];
  expect(paths.map((path) => isWriteBlocked(path, dataDir))).toEqual(paths.map(() => false));
});

it("blocks writes to system directories, secrets, and the database and configuration of the runtime", () => {
  const dataDir = join(homedir(), ".omega");
  const system =
    "/etc/passwd /bin/sh /sbin/init /usr/local/bin/x /boot/x /proc/x /sys/x /dev/sda /lib/x /lib64/x";
  const paths = [
    ...system.split(" "),
    ...["/System/x", "/Library/x", join(homedir(), ".ssh/authorized_keys")],
    ...["config.toml", "data", "data/memory.db", "data/memory.db-wal"].map((name) => join(dataDir, name)),
    "../config.toml",
    "../../../../../../../etc/passwd",
  ];
  expect(paths.filter((path) => !isWriteBlocked(path, dataDir))).toEqual([]);
});

it("blocks the target of a symlink", async () => {
  await using folder = temporaryFolder();
  symlinkSync("/etc", join(folder.path, "elsewhere"));
  expect(isWriteBlocked(join(folder.path, "elsewhere/passwd"), folder.path)).toBe(true);
});

it("blocks a symlink target that does not exist yet, and invalid file names", async () => {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const links = {
    configuration: "../config.toml",
    system: "/etc/toolcrib-new",
    chain: "configuration",
    folder: "../data",
    "../outer": "config.toml",
    harmless: "../notes.txt",
    circle: "circle",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(workspace, name));
  const paths = ["configuration", "system", "chain", "folder/new.db", "../outer", "harmless", "circle"];
  expect([...paths, "", "\0"].filter((path) => !isWriteBlocked(path, folder.path))).toEqual([
    "harmless",
    "circle",
  ]);
});

it("enables tools unless the list of allowed tools is empty", () => {
  const contexts = [{}, { allowedTools: undefined }, { allowedTools: null }, { allowedTools: ["bash"] }];
  expect(contexts.map(toolsEnabled)).toEqual([true, true, true, true]);
  expect(toolsEnabled({ allowedTools: [] })).toBe(false);
});

it("builds the message that all five providers share", () => {
  const providers = ["openai", "anthropic", "gemini", "ollama", "openrouter"];
  expect(providers.map((provider) => buildResponse("Done.", provider, 42, 1200, "big"))).toEqual(
    providers.map((provider) => ({
      text: "Done.",
      metadata: { provider, tokens: 42, elapsedMs: 1200, model: "big" },
    })),
  );
  expect(buildResponse("Done.", "ollama", 0, 3).metadata.model).toBeNull();
});

it("reports its workspace and the data directory above it, and no server at first", async () => {
  await using omega = openOmega();
  expect([omega.executor.workspacePath, omega.executor.dataDir]).toEqual([
    omega.workspace,
    dirname(omega.workspace),
  ]);
  expect(new ToolExecutor("/").dataDir).toBe("/");
  expect(omega.executor.allToolDefs()).toEqual(builtinToolDefs());
});

it("writes, reads and edits, in the workspace and in the data directory", async () => {
  await using omega = openOmega();
  const { executor } = omega;
  expect([
    await executor.execute("write", { file_path: "sub/a.txt", content: "é\né\n" }),
    await executor.execute("read", { file_path: "sub/a.txt" }),
    await executor.execute("edit", { file_path: "sub/a.txt", old_string: "é", new_string: "e" }),
    await executor.execute("write", { file_path: join(executor.dataDir, "notes.txt"), content: "n" }),
  ]).toEqual([
    { content: "Created sub/a.txt: 6 bytes written.", isError: false },
    { content: "é\né\n", isError: false },
    { content: "Edited sub/a.txt: replaced the first of 2 occurrences.", isError: false },
    { content: `Created ${join(executor.dataDir, "notes.txt")}: 1 byte written.`, isError: false },
  ]);
  expect(readFileSync(join(omega.workspace, "sub/a.txt"), "utf8")).toBe("e\né\n");
});

it("runs commands without asking", async () => {
  await using omega = openOmega();
  expect(await omega.executor.execute("Bash", { command: "echo hello" })).toEqual({
    content: "hello\n",
    isError: false,
  });
});

it("denies a write to a system directory", async () => {
  await using omega = openOmega();
  expect(await omega.executor.execute("write", { file_path: "/etc/test", content: "x" })).toEqual({
    content:
      "Permission denied: it would write /etc/test: it is protected and cannot be written (protected /etc/**, built-in)\n" +
      "Do not work around it. Continue without it, or ask the user to change the rule.",
    isError: true,
  });
});

it("answers a call of an unknown tool with an error", async () => {
  await using omega = openOmega();
  expect(await omega.executor.execute("telepathy", {})).toEqual({
    content: 'Unknown tool "telepathy"\nKnown tools: bash, read, write, edit.',
    isError: true,
  });
});

it("reports a missing workspace as the result of a call", async () => {
  await using omega = openOmega();
  const executor = new ToolExecutor(join(omega.workspace, "missing"));
  const { content, isError } = await executor.execute("bash", { command: "true" });
  expect([content.split(":")[0], isError]).toEqual([
    `The workspace ${join(omega.workspace, "missing")} cannot be opened`,
    true,
  ]);
});

it("shows its servers and the tools that each provides", { tags: "slow" }, async () => {
  await using omega = openOmega();
  const { executor } = omega;
  const shown = () => [
    [...executor.mcpClients.values()].map(({ name, tools }) => [name, tools]),
    Object.fromEntries(executor.mcpToolMap),
  ];
  expect(shown()).toEqual([[], {}]);
  await executor.connectMcpServers([server("one", "greet", "read"), server("two", "greet")]);
  expect(shown()).toEqual([
    [
      ["one", 2],
      ["two", 1],
    ],
    { greet: "one", one__read: "one", two__greet: "two" },
  ]);
  await executor.shutdownMcp();
  expect(shown()).toEqual([[], {}]);
});

it("tells servers apart whose names differ only in case", { tags: "slow" }, async () => {
  await using omega = openOmega();
  await omega.executor.connectMcpServers([server("One", "read"), server("one", "read", "greet")]);
  const say = async (name: string) => (await omega.executor.execute(name, { text: "hi" })).content;
  expect(Object.fromEntries(omega.executor.mcpToolMap)).toEqual({
    One__read: "One",
    one__read: "one",
    greet: "one",
  });
  expect([await say("One__read"), await say("one__read")]).toEqual([
    "read of One says hi",
    "read of one says hi",
  ]);
});

it("ignores case in the names of built-in tools only", async () => {
  await using omega = openOmega();
  await omega.executor.connectMcpServers([server("one", "greet")]);
  const say = async (name: string) => (await omega.executor.execute(name, { text: "hi" })).content;
  expect([await say("greet"), (await say("Greet")).split("\n")[0]]).toEqual([
    "greet of one says hi",
    'Unknown tool "Greet"',
  ]);
  expect(await omega.executor.execute("BASH", { command: "echo hello" })).toMatchObject({
    content: "hello\n",
  });
});

it("lists the tools of connected servers after its own and routes calls to them", async () => {
  await using omega = openOmega();
  const { executor } = omega;
  await executor.connectMcpServers([server("one", "greet", "read"), server("two", "greet", "count")]);
  expect(
    executor
      .allToolDefs()
      .map(({ name, description }) => [name, description])
      .slice(4),
  ).toEqual([
    ["greet", "greet of one."],
    ["one__read", "read of one."],
    ["two__greet", "greet of two."],
    ["count", "count of two."],
  ]);
  expect([
    await executor.execute("greet", { text: "hi" }),
    await executor.execute("one__greet", { text: "hi" }),
    await executor.execute("two__greet", { text: "hi" }),
    await executor.execute("one__read", { text: "hi" }),
    await executor.execute("count", { text: "hi", fail: true }),
  ]).toEqual([
    { content: "greet of one says hi", isError: false },
    { content: "greet of one says hi", isError: false },
    { content: "greet of two says hi", isError: false },
    { content: "read of one says hi", isError: false },
    { content: "count of two says hi", isError: true },
  ]);
});

it("warns about a server that fails, and connects the others", async () => {
  await using omega = openOmega();
  const { executor, warnings } = omega;
  await executor.connectMcpServers([
    { name: "broken", command: join(omega.workspace, "no-such-program") },
    server("sound", "greet"),
  ]);
  expect(executor.allToolDefs().map(({ name }) => name)).toEqual(["bash", "read", "write", "edit", "greet"]);
  expect(warnings.map((warning) => warning.split(":")[0])).toEqual(["The MCP server broken"]);
});

it("warns when two servers offer one name", { tags: "slow" }, async () => {
  await using omega = openOmega();
  await omega.executor.connectMcpServers([server("one", "greet"), server("two", "greet")]);
  await omega.executor.connectMcpServers([server("three", "greet")]);
  expect(omega.warnings).toEqual([
    '"greet" is a tool of the MCP server one; the one of two is two__greet.',
    '"greet" is a tool of the MCP server one; that of three is three__greet.',
  ]);
  expect((await omega.executor.execute("three__greet", { text: "hi" })).content).toBe(
    "greet of three says hi",
  );
});

it("keeps its servers when it connects to more", { tags: "slow" }, async () => {
  await using omega = openOmega();
  await omega.executor.connectMcpServers([server("one", "greet")]);
  await omega.executor.connectMcpServers([server("two", "count")]);
  expect(
    omega.executor
      .allToolDefs()
      .map(({ name }) => name)
      .slice(4),
  ).toEqual(["greet", "count"]);
});

it("returns an error when the server of a tool has gone", async () => {
  await using omega = openOmega();
  await omega.executor.connectMcpServers([server("one", "greet")]);
  expect((await omega.executor.execute("greet", { end: true })).isError).toBe(true);
});

it("drops all servers when it is shut down, also twice, and keeps its own tools", async () => {
  await using omega = openOmega();
  const { executor } = omega;
  await executor.connectMcpServers([server("one", "greet")]);
  await executor.shutdownMcp();
  await executor.shutdownMcp();
  expect(executor.allToolDefs()).toEqual(builtinToolDefs());
  expect((await executor.execute("greet", {})).content.split("\n")[0]).toBe('Unknown tool "greet"');
  expect(await executor.execute("bash", { command: "echo again" })).toEqual({
    content: "again\n",
    isError: false,
  });
});

it("asks the user in a mode that asks", async () => {
  const asked: string[] = [];
  await using omega = openOmega({
    mode: "safe",
    approve: async ({ tool }) => {
      asked.push(tool);
      return { allow: false };
    },
  });
  expect((await omega.executor.execute("bash", { command: "touch a.txt" })).isError).toBe(true);
  expect(asked).toEqual(["shell.run"]);
});

function openOmega(options: ToolExecutorOptions = {}) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "data dir", "workspace");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, "..", "config.toml"), "key");
  const warnings: string[] = [];
  const executor = new ToolExecutor(workspace, {
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    warn: (message) => warnings.push(message),
    ...options,
  });
  return {
    executor,
    workspace,
    warnings,
    [Symbol.asyncDispose]: async () => {
      await executor.shutdownMcp();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function server(name: string, ...tools: readonly string[]): McpServer {
  return { name, command: process.execPath, args: [smallServer, name, ...tools] };
}

it("shows tools and commands the same /tmp and data directory", { tags: "slow" }, async () => {
  await using omega = openOmega();
  const { executor } = omega;
  const name = `toolcrib-test-${process.pid}-${Date.now()}`;
  const notes = join(executor.dataDir, "notes.txt");
  const say = async (tool: string, args: unknown) => (await executor.execute(tool, args)).content;
  try {
    expect([
      await say("write", { file_path: `/tmp/${name}/x.sh`, content: "echo from a file\n" }),
      await say("bash", { command: `bash /tmp/${name}/x.sh; echo from bash > /tmp/${name}/y.txt` }),
      await say("read", { file_path: `/tmp/${name}/y.txt` }),
      await say("edit", { file_path: `/tmp/${name}/y.txt`, old_string: "bash", new_string: "edit" }),
      await say("bash", { command: `cat /tmp/${name}/y.txt; echo noted > ../notes.txt` }),
      await say("read", { file_path: notes }),
      await say("write", { file_path: notes, content: "changed\n" }),
      await say("bash", { command: "cat ../notes.txt" }),
    ]).toEqual([
      `Created /tmp/${name}/x.sh: 17 bytes written.`,
      "from a file\n",
      "from bash\n",
      `Edited /tmp/${name}/y.txt: replaced 1 occurrence.`,
      "from edit\n",
      "noted\n",
      `Overwrote ${notes}: 8 bytes written, 6 before.`,
      "changed\n",
    ]);
    expect([readFileSync(notes, "utf8"), existsSync(`/tmp/${name}`)]).toEqual(["changed\n", false]);
  } finally {
    await executor.execute("bash", { command: `rm -rf /tmp/${name}` });
  }
});

it("hides the real /tmp, the configuration and the database from commands", async () => {
  await using omega = openOmega();
  const { executor } = omega;
  mkdirSync(join(executor.dataDir, "data"));
  writeFileSync(join(executor.dataDir, "data", "memory.db"), "sesame");
  writeFileSync(join(executor.dataDir, "config.toml"), "sesame");
  const outside = mkdtempSync(join("/tmp", "toolcrib-test-"));
  try {
    writeFileSync(join(outside, "a.txt"), "sesame");
    // Spelled so that only the sandbox can detect it.
    const command = `for f in ../c*g.toml ../d*a/m*.db ${outside}/*; do cat "$f"; echo x > "$f"; done; d=data; echo x > ../$d/new.db`;
    const { content } = await executor.execute("bash", { command });
    expect([
      content.includes("sesame"),
      (await executor.execute("read", { file_path: `${outside}/a.txt` })).isError,
    ]).toEqual([false, true]);
    expect([
      readFileSync(join(executor.dataDir, "config.toml"), "utf8"),
      existsSync(join(executor.dataDir, "data", "new.db")),
    ]).toEqual(["sesame", false]);
  } finally {
    rmSync(outside, { recursive: true });
  }
});
