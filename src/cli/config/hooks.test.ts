import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { mcpProcess } from "../../../test/support/mcp-process.ts";
import { missingHere } from "../../../test/support/sandbox-fixture.ts";

const noBubblewrap = (await missingHere("bwrap")) !== undefined;
const userFile = (cli: { readonly home: string }) => join(cli.home, "config/config.toml");
const hook = (event: string, command: string, more = "") =>
  `[[hooks.${event}]]\ncommand = ${JSON.stringify(command)}\n${more}\n`;
const decide = (decision: string, reason = "because") =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: decision, permissionDecisionReason: reason } })}'`;
const write = (cli: CliWorkspace, ...more: string[]) =>
  cli.run("call", "file.write", "--path", "made.txt", "--content", "text", ...more);

describe("PreToolUse", () => {
  it("gets the call in Claude Code's names on standard input", async () => {
    await using cli = cliWorkspace();
    const seen = join(cli.home, "seen");
    cli.write(userFile(cli), hook("PreToolUse", `cat >> '${seen}'`));
    await write(cli);
    await cli.run("call", "shell.run", "echo hello", "--mode", "yolo", "--sandbox", "none");
    const [first, second] = cli
      .read(seen)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      hook_event_name: "PreToolUse",
      tool_name: "Write",
      tool_input: { path: "made.txt", file_path: join(cli.workspace, "made.txt"), content: "text" },
      cwd: cli.workspace,
      session_id: expect.stringMatching(/^session_/),
    });
    expect(second).toMatchObject({ tool_name: "Bash", tool_input: { command: "echo hello" } });
  });

  it("blocks by exit code 2 or by a decision, in every mode, and tells the model why", async () => {
    await using cli = cliWorkspace();
    const blocks = [
      "echo 'no \u001b[31mwrites\u0007' >&2; exit 2",
      decide("deny"),
      `echo '{"decision":"block","reason":"because"}'`,
      `echo '{"continue":false,"stopReason":"because"}'`,
      `echo '{"hookSpecificOutput":{"updatedInput":{}}}'`,
    ];
    const messages: string[] = [];
    for (const command of blocks) {
      cli.write(userFile(cli), hook("PreToolUse", command, 'matcher = "Edit|Write"'));
      const { exit, stdout } = await write(cli, "--mode", "yolo", "--json");
      expect([exit, existsSync(join(cli.workspace, "made.txt"))]).toEqual([3, false]);
      messages.push(JSON.parse(stdout).error.message);
    }
    expect(messages).toEqual([
      "A hook blocked this call: no <U+001B>[31mwrites<U+0007>",
      ...Array(3).fill("A hook blocked this call: because"),
      "A hook blocked this call: the hook replaces the arguments (updatedInput), which is not supported",
    ]);
    const shown = await write(cli);
    expect(shown.stderr).toContain(`Blocked by the hook at ${userFile(cli)}:1: `);
  });

  it("runs only where the matcher fits, by any name of the tool", async () => {
    await using cli = cliWorkspace();
    cli.write("a.txt", "a\n");
    const exits = async (matcher: string) => {
      cli.write(userFile(cli), hook("PreToolUse", "exit 2", `matcher = ${JSON.stringify(matcher)}`));
      const read = await cli.run("call", "file.read", "a.txt");
      const replace = await cli.run(
        "call",
        "edit.replace",
        "--path",
        "a.txt",
        "--find",
        "a",
        "--replace",
        "a",
      );
      const move = await cli.run("call", "file.move", "--from", "a.txt", "--to", "a.txt");
      return [read.exit, replace.exit, move.exit].map((exit) => exit === 3);
    };
    expect(await exits("Read")).toEqual([true, false, false]);
    expect(await exits("Write")).toEqual([false, true, true]);
    expect(await exits("file\\..*")).toEqual([true, false, true]);
    expect(await exits("Rea")).toEqual([false, false, false]);
  });

  it("asks where the rules allow, and answers for the user where the rules ask, but lifts no denial", async () => {
    await using cli = cliWorkspace();
    cli.write(userFile(cli), hook("PreToolUse", decide("ask")));
    expect((await write(cli)).exit).toBe(4);
    cli.write(userFile(cli), hook("PreToolUse", decide("allow")));
    const run = (...more: string[]) => cli.run("call", "shell.run", "touch by-hook", ...more);
    expect((await write(cli, "--mode", "safe")).exit).toBe(0);
    expect((await write(cli, "--mode", "paranoid")).exit).toBe(4);
    expect((await write(cli, "--rule", "deny write made.txt")).exit).toBe(3);
    expect((await run("--rule", "deny run touch **")).exit).toBe(3);
    expect(
      (await cli.run("call", "file.write", "--path", ".toolcrib/rules", "--content", "allow run **")).exit,
    ).toBe(3);
  });

  it("is ended with everything it started when it hangs, and the call is blocked", async () => {
    await using cli = cliWorkspace();
    const pid = join(cli.home, "pid");
    cli.write(userFile(cli), hook("PreToolUse", `sleep 600 & echo $! > '${pid}'; wait`, "timeout = 1"));
    const { exit, stderr } = await write(cli);
    expect([exit, stderr]).toEqual([
      3,
      expect.stringContaining("the PreToolUse hook did not finish: it was ended after 1 s"),
    ]);
    await expect.poll(() => isAlive(Number(cli.read(pid)))).toBe(false);
  });

  it("continues with a warning when a hook fails otherwise, and survives endless output", async () => {
    await using cli = cliWorkspace();
    cli.write(
      userFile(cli),
      hook("PreToolUse", "no-such-program-here") + hook("PreToolUse", "head -c 3000000 /dev/zero"),
    );
    const { exit, stderr } = await write(cli);
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining("the PreToolUse hook failed with exit code 127"),
    ]);
  });
});

describe("the hooks of a project", () => {
  it("never run before the user trusts the exact file and the scripts it names", async () => {
    await using cli = cliWorkspace({ TOOLCRIB_SANDBOX: "none" });
    cli.write("check.sh", "touch ran\n");
    cli.write(".toolcrib/config.toml", hook("PreToolUse", "sh ./check.sh"));
    const ran = () => existsSync(join(cli.workspace, "ran"));
    const untrusted = await write(cli);
    expect([untrusted.exit, ran(), untrusted.stderr]).toEqual([
      0,
      false,
      ".toolcrib/config.toml is not trusted, so these settings are ignored: hooks.PreToolUse. To review and trust it: toolcrib config trust\n",
    ]);
    const asked = await cli.run("config", "trust");
    expect(asked.stderr).toContain('| hooks.PreToolUse = "sh ./check.sh"');
    await cli.run("config", "trust", "--yes");
    expect([(await write(cli, "--rule", "allow write made.txt")).exit, ran()]).toEqual([0, true]);
    cli.write("check.sh", "touch other\n");
    const changed = await write(cli);
    expect([changed.exit, existsSync(join(cli.workspace, "other")), changed.stderr]).toEqual([
      0,
      false,
      expect.stringContaining("has changed since you trusted it"),
    ]);
  });

  it("cannot answer for the user, obey the rules, and only block", async () => {
    await using cli = cliWorkspace({ TOOLCRIB_SANDBOX: "none" });
    cli.write(".toolcrib/config.toml", hook("PreToolUse", decide("allow")));
    await cli.run("config", "trust", "--yes");
    expect((await write(cli, "--mode", "safe")).exit).toBe(4);
    cli.write(".toolcrib/config.toml", hook("PreToolUse", "touch ran"));
    await cli.run("config", "trust", "--yes");
    const denied = await write(cli, "--rule", "deny run touch **");
    expect([denied.exit, existsSync(join(cli.workspace, "ran"))]).toEqual([3, false]);
  });
});

if (noBubblewrap) it.skip("a hook in the sandbox (skipped: bubblewrap does not work here)", () => {});
it.runIf(!noBubblewrap)("runs a project's hook in the sandbox of commands", async () => {
  await using cli = cliWorkspace();
  const outside = join(cli.home, "../escaped");
  cli.write(".toolcrib/config.toml", hook("PreToolUse", `touch inside; touch '${outside}'; exit 2`));
  await cli.run("config", "trust", "--yes");
  expect((await write(cli)).exit).toBe(3);
  expect([existsSync(join(cli.workspace, "inside")), existsSync(outside)]).toEqual([true, false]);
});

it("runs for MCP clients, too", async () => {
  await using cli = cliWorkspace();
  cli.write(userFile(cli), hook("PreToolUse", "echo not from here >&2; exit 2", 'matcher = "Read"'));
  cli.write("a.txt", "a");
  const server = await mcpProcess([], {
    cwd: cli.workspace,
    env: { ...process.env, TOOLCRIB_HOME: cli.home },
  });
  expect(await server.call("file_read", { path: "a.txt" })).toContain(
    "A hook blocked this call: not from here",
  );
  server.child.stdin!.end();
  await server.exited;
});

it("stops every call while a hook is broken, and names it with file and line", async () => {
  await using cli = cliWorkspace();
  cli.write(
    userFile(cli),
    `${hook("PreToolUse", "exit 2", 'matcher = "("')}${hook("PreTolUse", "exit 2")}${hook("PostToolUse", "", "")}${hook("PreToolUse", "echo other >&2; exit 2", "timeout = 9999")}${hook("PreToolUse", "echo good >&2; exit 2")}`,
  );
  const { exit, stderr } = await write(cli);
  const file = userFile(cli);
  expect([exit, stderr.split("\n")]).toEqual([
    2,
    [
      `${file}:3: hooks.PreToolUse.0.matcher must be a regular expression`,
      `${file}:4: unknown key hooks.PreTolUse; did you mean hooks.PreToolUse?`,
      `${file}:8: hooks.PostToolUse.0.command must not be empty`,
      `${file}:12: hooks.PreToolUse.1.timeout must be a number of seconds up to 600`,
      "Fix it: toolcrib config edit",
      "",
    ],
  ]);
});

it("runs for the agent: its calls, its messages and its stop", async () => {
  await using fixture = await cliWithModel([
    { calls: [{ name: "apply_patch", input: "*** Begin Patch\n*** Add File: a.txt\n+made\n*** End Patch" }] },
    { text: "Done." },
    { text: "Really done." },
  ]);
  const once = join(fixture.home, "once");
  const context = JSON.stringify({ hookSpecificOutput: { additionalContext: "It was formatted." } });
  fixture.write(
    userFile(fixture),
    hook("UserPromptSubmit", "echo The branch is main.") +
      hook("PostToolUse", `echo '${context}'`, 'matcher = "Edit"') +
      hook("Stop", `[ -e '${once}' ] || { touch '${once}'; echo Run the tests first. >&2; exit 2; }`),
  );
  const { exit, stdout } = await fixture.run("run", "make it");
  expect([exit, stdout]).toEqual([0, expect.stringContaining("Really done.")]);
  const texts = JSON.stringify(fixture.server.requests.at(-1)!.messages);
  for (const text of [
    "[Hook: The branch is main.]",
    "[Hook: It was formatted.]",
    "[Hook: Run the tests first.]",
  ])
    expect(texts).toContain(text);
  fixture.write(userFile(fixture), hook("UserPromptSubmit", "echo no secrets >&2; exit 2"));
  const blocked = await fixture.run("run", "say it");
  expect([blocked.exit, blocked.stderr, fixture.server.requests.length]).toEqual([
    1,
    expect.stringContaining("blocked this message: no secrets"),
    3,
  ]);
});
