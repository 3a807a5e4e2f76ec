/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startProvider } from "../../../test/providers/start-provider.ts";
import { launcher } from "../../../test/support/built-program.ts";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { type CommandTarget, commandTarget } from "../../../test/support/remote/command-target.ts";
import { createSession } from "../../agent/create-session.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { attempt } from "../../system/attempt.ts";

let there: CommandTarget;
/** A target without git. */
let bare: CommandTarget;
const at = (path: string) => join(there.home, path);
const inBare = (path: string) => join(bare.home, path);
beforeAll(() => {
  there = commandTarget("cd");
  bare = commandTarget("cd", ["git"]);
  for (const { home } of [there, bare]) writeFileSync(join(home, "poem.txt"), "one\ntwo\n");
});
afterAll(async () => {
  await there[Symbol.asyncDispose]();
  await bare[Symbol.asyncDispose]();
});

const patch = "*** Begin Patch\n*** Update File: poem.txt\n@@\n one\n-two\n+three\n*** End Patch";
const script = [
  { calls: [{ name: "exec_command", input: { cmd: "cat poem.txt" } }] },
  { calls: [{ name: "apply_patch", input: patch }] },
  { calls: [{ name: "exec_command", input: { cmd: "echo made > made.txt" } }] },
  { text: "Done." },
];

describe("toolcrib run --target", () => {
  it("reads, edits and runs commands there, changes nothing here, and can be undone", async () => {
    await using fixture = await cliWithModel(script);
    const onTarget = (...words: string[]) => fixture.run(...words, "--target", there.target.name);
    const run = await onTarget("run", "work", "--mode", "yolo");
    expect([run.exit, run.stdout, fixture.server.breaches]).toEqual([0, "Done.\n", []]);
    expect([readFileSync(at("poem.txt"), "utf8"), existsSync(at("made.txt"))]).toEqual([
      "one\nthree\n",
      true,
    ]);
    expect(readdirSync(fixture.workspace)).toEqual([]);
    const [first, second] = fixture.server.requests;
    expect(JSON.stringify(first)).toContain(`Platform: ${there.target.name}`);
    expect(second!.messages.at(-1)!.text).toContain("one\ntwo");
    const undone = await onTarget("undo", "--session", "last");
    expect([undone.exit, undone.stdout]).toEqual([
      0,
      expect.stringContaining(`\nTo redo, run: toolcrib redo --target ${shellQuote(there.target.name)}\n`),
    ]);
    const started = await onTarget("call", "process.start", "sleep 5");
    expect(started.stderr).not.toContain("nohup");
    expect([readFileSync(at("poem.txt"), "utf8"), existsSync(at("made.txt"))]).toEqual(["one\ntwo\n", false]);
  });
});

describe("toolcrib call --target", () => {
  it("ends the program that connects when it is ended itself", async () => {
    await using silent = commandTarget(
      [
        `trap 'echo > "$HOME/ended"; exit' TERM`,
        // The request has arrived, so the client waits for the answer.
        `grep -q '"mayStart":true'`,
        'echo $$ > "$HOME/pid"; while :; do sleep 0.1; done',
      ].join("\n"),
    );
    await using here = cliWorkspace();
    const call = spawn(process.execPath, [launcher, "call", "file.list", "--target", silent.target.name], {
      env: here.env,
      cwd: here.workspace,
      stdio: "ignore",
    });
    const pid = () => Number(attempt(() => readFileSync(join(silent.home, "pid"), "utf8")));
    await expect.poll(pid, { timeout: 30_000 }).toBeGreaterThan(0);
    call.kill("SIGTERM");
    const hasEnded = () => existsSync(join(silent.home, "ended"));
    await expect
      .poll(() => [hasEnded(), call.signalCode], { timeout: 30_000 })
      .toEqual([true, "SIGTERM"])
      .finally(() => hasEnded() || process.kill(pid(), "SIGKILL"));
  });
});

describe("toolcrib chat --target", () => {
  it("shows no settings of the project in the local folder", async () => {
    await using fixture = await cliWithModel([]);
    fixture.write(".toolcrib/config.toml", "[limits]\nrounds = 7\n");
    const chat = (...words: string[]) => fixture.feed("/config\n", "chat", ...words);
    expect((await chat()).stderr).toMatch(/^limits\.rounds +7 /m);
    expect((await chat("--target", there.target.name)).stderr).toMatch(/^limits\.rounds +[^ 7]/m);
  });
});

describe("createSession with a target", () => {
  it("works there, and says once what the target lacks", async () => {
    await using here = cliWorkspace();
    const server = await startProvider("openai", script.slice(1, 2).concat(script.at(-1)!));
    const { name } = bare.target;
    const session = await createSession({
      ...{ target: name, model: server.model, models: server.settings },
      ...{ stateDirectory: here.home, configDirectory: join(here.home, "config") },
    });
    try {
      await session.run("work").result;
      expect(readFileSync(inBare("poem.txt"), "utf8")).toBe("one\nthree\n");
      expect(session.toolcrib).toMatchObject({ target: name, missingPrograms: ["git"] });
      const notices = session.toolcrib.warnings.filter((text) =>
        text.includes("lacks git (the git tools fail)"),
      );
      expect(notices).toHaveLength(1);
      expect(JSON.stringify(server.requests[0]).split("Not installed there: git")).toHaveLength(2);
    } finally {
      await session.close();
      await server.close();
    }
    const log = await here.run("log", "--json", "--target", name);
    const targets = JSON.parse(log.stdout).map(({ target }: { target: string }) => target);
    expect(new Set(targets)).toEqual(new Set([name]));
  });
});

describe("toolcrib mcp --target", () => {
  let here: CliWorkspace;
  beforeAll(() => {
    here = cliWorkspace();
  });
  afterAll(() => here[Symbol.asyncDispose]());

  it("serves the tools of the target to the client of the SDK, and names it in questions", async () => {
    const questions: string[] = [];
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { elicitation: { form: {} } } },
    );
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      questions.push(params.message);
      return { action: "accept", content: { answer: "once" } };
    });
    const args = [launcher, "mcp", "--target", bare.target.name, "--rule", "ask run echo **"];
    const env = here.env as Record<string, string>;
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args,
        env,
        cwd: here.workspace,
        stderr: "ignore",
      }),
    );
    try {
      expect(client.getInstructions()).toContain(
        `Tools for another machine or container: ${bare.target.name}.`,
      );
      const call = async (name: string, input: Record<string, unknown>) => {
        const { content } = await client.callTool({ name, arguments: input });
        return (content as { text: string }[])[0]!.text;
      };
      expect(await call("file_read", { path: "poem.txt" })).toMatch(
        /^1 \| one[\s\S]*\n\nNot installed on the target: git\.$/,
      );
      const edited = await call("edit_replace", { path: "poem.txt", find: "one", replace: "four" });
      expect(edited).not.toContain("Not installed");
      expect(readFileSync(inBare("poem.txt"), "utf8")).toContain("four");
      expect(await call("shell_run", { command: "echo asked > asked.txt; pwd" })).toContain(bare.home);
      expect(questions).toEqual([expect.stringContaining(bare.target.name)]);
      expect([existsSync(inBare("asked.txt")), readdirSync(here.workspace)]).toEqual([true, []]);
    } finally {
      await client.close();
    }
  });

  it("answers while it connects, and says why it cannot", async () => {
    await using slow = commandTarget(
      'until [ -e "$HOME/go" ]; do sleep 0.1; done; echo no route >&2; exit 7',
    );
    const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
    await client.connect(
      new StdioClientTransport({
        ...{ command: process.execPath, args: [launcher, "mcp", "--target", slow.target.name] },
        ...{ env: here.env as Record<string, string>, cwd: here.workspace, stderr: "ignore" },
      }),
    );
    try {
      expect(client.getInstructions()).toContain(slow.target.name);
      writeFileSync(join(slow.home, "go"), "");
      const reason = `${slow.target.name} cannot be reached: no route`;
      const hint = "Ask the user to check the connection to the target.";
      const result = await client.callTool({ name: "file_read", arguments: { path: "poem.txt" } });
      expect(result).toMatchObject({
        isError: true,
        content: [{ type: "text", text: `${reason}\n${hint}` }],
      });
      // A later call connects again.
      expect((await client.callTool({ name: "file_list", arguments: {} })).isError).toBe(true);
      await expect(client.listTools()).rejects.toThrow(`${reason}. ${hint}`);
    } finally {
      await client.close();
    }
  });

  it("ends the program that still connects when the client leaves", async () => {
    await using slow = commandTarget('echo $$ > "$HOME/pid"; exec sleep 100');
    const server = here.start("mcp", "--target", slow.target.name);
    const pid = () => Number(attempt(() => readFileSync(join(slow.home, "pid"), "utf8")));
    await expect.poll(pid, { timeout: 60_000 }).toBeGreaterThan(0);
    server.stdin.end();
    await once(server, "close");
    await expect.poll(() => isAlive(pid())).toBe(false);
  });
});
