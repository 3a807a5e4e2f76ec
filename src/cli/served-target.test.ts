import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { acpClient } from "../../test/support/acp-client.ts";
import { cliWithModel } from "../../test/support/cli-with-model.ts";
import { cliWorkspace } from "../../test/support/cli-workspace.ts";
import { type CommandTarget, commandTarget } from "../../test/support/remote/command-target.ts";
import { RpcClient } from "../../test/support/rpc-client.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { shellQuote } from "../lib/text/shell-quote.ts";

// Programs that connect to Toolcrib work on a target: of the command line, of the request, or of the folder.

let there: CommandTarget;
let target: string;
beforeAll(() => {
  there = commandTarget("cd");
  target = there.target.name;
  writeFileSync(join(there.home, "poem.ts"), "export const poem = 1;\n");
});
afterAll(() => there[Symbol.asyncDispose]());

it("toolcrib rpc opens instances on the target that a request names, or that the folder is set to", {
  tags: "slow",
}, async () => {
  await using here = cliWorkspace();
  here.write("poem.ts", "not this one\n");
  here.write(
    join(here.home, "config/config.toml"),
    `[targets]\n${JSON.stringify(here.workspace)} = ${JSON.stringify(target)}\nbuild = ${JSON.stringify(target)}\n`,
  );
  await using client = new RpcClient(here.start("rpc"));
  const open = async (options: object) => (await client.ask("open", options)).result;
  const opened = await Promise.all([open({ target: "build" }), open({})]);
  for (const { instance, ...result } of opened) {
    expect(result).toMatchObject({ target, workspace: there.home });
    const { content } = (
      await client.ask("call", { instance, name: "file.read", input: { path: "poem.ts" } })
    ).result;
    expect(content).toBe("1 | export const poem = 1;");
  }
  const local = await open({ target: "local" });
  expect([local.workspace, local.target]).toEqual([here.workspace, undefined]);
  // It would run a program that no rule has allowed.
  expect((await client.ask("open", { target })).error?.data?.code).toBe("denied");
  const both = await client.ask("open", { target: "build", workspace: here.workspace });
  expect(both.error?.data?.code).toBe("invalid-input");
  await using fixed = new RpcClient(here.start("rpc", "--target", "build"));
  expect((await fixed.ask("open", { workspace: here.workspace })).error?.data?.code).toBe("denied");
  expect((await fixed.ask("open", { target: "local" })).error?.data?.code).toBe("denied");
  expect((await fixed.ask("open", {})).result).toMatchObject({ target, workspace: there.home });
});

it("toolcrib acp works on the target, and shows its files in the folder of the editor", {
  tags: "slow",
}, async () => {
  const patch =
    "*** Begin Patch\n*** Update File: poem.ts\n-export const poem = 1;\n+export const poem = 2;\n*** End Patch";
  await using here = await cliWithModel([
    { calls: [{ name: "apply_patch", input: { input: patch } }] },
    { text: "Done." },
  ]);
  await using editor = await acpClient(here, { words: ["--target", target] });
  const { session } = methods.agent;
  const { sessionId } = await editor.agent.request(session.new, { cwd: here.workspace, mcpServers: [] });
  expect(await editor.prompt(sessionId, "change it")).toEqual({ stopReason: "end_turn" });
  expect(readFileSync(join(there.home, "poem.ts"), "utf8")).toBe("export const poem = 2;\n");
  const diffs = editor.updates.flatMap((update) =>
    "content" in update && Array.isArray(update.content) ? update.content : [],
  );
  expect(diffs).toContainEqual(
    expect.objectContaining({ type: "diff", path: join(here.workspace, "poem.ts") }),
  );
  const { sessions } = await editor.agent.request(session.list, { cwd: here.workspace });
  expect(sessions).toMatchObject([{ sessionId, cwd: here.workspace, title: "change it" }]);
  const log = await here.run("log", "--json", "--target", target, "--limit", "1");
  expect(JSON.parse(log.stdout)).toMatchObject([{ tool: "edit.patch", client: { kind: "acp" } }]);
});

it("toolcrib index builds, shows and deletes the index of a target", { tags: "slow" }, async () => {
  await using here = cliWorkspace();
  const index = (...words: readonly string[]) => here.run("index", ...words, "--target", target);
  expect(await here.runProcess("index", "--target", target)).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^1 file indexed, 1 of them with symbols; \d+ kB\.\n$/),
  });
  expect((await index("status")).stdout).toMatch(/^The index has \d+ kB\.\n$/);
  expect((await index("clear")).stdout).toMatch(/^Deleted the index: \d+ kB\.\n$/);
  expect((await index("status")).stdout).toBe(`${target} has no index.\n`);
});

it("a command never runs the ssh of a project around its folder, whatever the PATH says", async () => {
  await using here = cliWorkspace();
  await using own = temporaryFolder();
  const ran = join(here.home, "ran");
  const planted = join(here.workspace, "../node_modules/.bin");
  here.write("../package.json", "{}");
  here.write(join(planted, "ssh"), `#!/bin/sh\ntouch ${shellQuote(ran)}\n`);
  here.write(join(own.path, "ssh"), "#!/bin/sh\necho no route >&2\nexit 7\n");
  for (const folder of [planted, own.path]) chmodSync(join(folder, "ssh"), 0o755);
  here.env.PATH = [planted, own.path, here.env.PATH].join(delimiter);
  const { stderr } = await here.run("call", "file.list", ".", "--target", "ssh:host");
  expect(stderr).toContain("ssh:host cannot be reached: no route");
  expect(existsSync(ran)).toBe(false);
});

it("no client, and no command with a folder, runs the ssh of the project around the folder that they choose", {
  tags: "slow",
}, async () => {
  await using here = await cliWithModel([]);
  await using own = temporaryFolder();
  await using chosen = temporaryFolder();
  const ran = join(here.home, "ran");
  const project = join(chosen.path, "project");
  const folder = join(project, "inner");
  const planted = join(project, "node_modules/.bin");
  here.write(join(project, "package.json"), "{}");
  here.write(join(folder, "file.txt"), "");
  here.write(join(here.home, "config/config.toml"), `[targets]\n${JSON.stringify(folder)} = "ssh:host"\n`);
  here.write(join(planted, "ssh"), `#!/bin/sh\ntouch ${shellQuote(ran)}\n`);
  here.write(join(own.path, "ssh"), "#!/bin/sh\necho no route >&2\nexit 7\n");
  for (const path of [planted, own.path]) chmodSync(join(path, "ssh"), 0o755);
  here.env.PATH = [planted, own.path, here.env.PATH].join(delimiter);
  const reason = "ssh:host cannot be reached: no route";
  expect((await here.run("call", "file.list", ".", "-C", folder)).stderr).toContain(reason);
  await using client = new RpcClient(here.start("rpc"));
  expect((await client.ask("open", { workspace: folder })).error?.message).toContain(reason);
  await using editor = await acpClient(here);
  const opened = editor.agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
  await expect(opened).rejects.toThrow(reason);
  expect(existsSync(ran)).toBe(false);
});
