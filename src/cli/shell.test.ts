import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliWorkspace } from "../../test/support/cli-workspace.ts";
import { withEnoughTime } from "../../test/support/enough-time.ts";
import { hasTerminals } from "../../test/support/pseudo-terminal.ts";

const call = ["call", "shell.run", "--mode", "yolo"] as const;

describe("without a terminal", () => {
  it("prints the answer at the end, exits with 1 when the command failed, and logs its exit code", {
    tags: "slow",
  }, async () => {
    await using fixture = cliWorkspace();
    const { exit, stdout, stderr } = await fixture.run(...call, "echo one; exit 4");
    expect([exit, withoutSandbox(stdout), stderr]).toEqual([1, "Exit code 4.\none\n", ""]);
    const forModel = await fixture.run(...call, "exit 4", "--json");
    expect([forModel.exit, JSON.parse(forModel.stdout)]).toMatchObject([
      1,
      { isError: true, failed: "Exit code 4.", error: null },
    ]);
    await fixture.run(...call, "true");
    const failed = JSON.parse((await fixture.run("log", "--failed", "--json")).stdout);
    expect(failed).toMatchObject([
      { state: "failed", outcome: "ok", message: "Exit code 4." },
      { state: "failed", outcome: "ok", message: "Exit code 4." },
    ]);
  });

  it("prints exactly one object with --json", async () => {
    await using fixture = cliWorkspace();
    const { exit, stdout, stderr } = await fixture.run(
      ...call,
      "--command",
      "echo one; echo two >&2",
      "--json",
    );
    expect([exit, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ isError: false, data: { stdout: "one\n", stderr: "two\n" } });
  });

  it("prints the output until the timeout, and exits with 5", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    const [{ exit, stdout, stderr }, limitMs] = await withEnoughTime(
      2_000,
      (timeout_ms) => fixture.run(...call, JSON.stringify({ command: "echo begun; sleep 60", timeout_ms })),
      (result) => result.stdout.includes("begun"),
    );
    expect([exit, withoutSandbox(stdout), stderr]).toEqual([
      5,
      "begun\n",
      `The command did not finish within ${limitMs / 1_000} s and was stopped\n` +
        "Give a larger `timeout_ms` (at most 600000).\n",
    ]);
  });

  it("refuses to start what would end with the command, in every dialect, and starts nothing", async () => {
    await using fixture = cliWorkspace();
    const started = "touch started; sleep 60";
    const calls = [
      ["process.start", started],
      ["shell.run", started, "--background"],
      ["tools.call", JSON.stringify({ name: "process.start", arguments: { command: started } })],
      ["Bash", "--dialect", "claude-code", started, "--run-in-background"],
      ["process.output", "web"],
      ["process.list"],
    ];
    for (const words of calls) {
      const { exit, stdout, stderr } = await fixture.run("call", "--mode", "yolo", ...words);
      expect([exit, stdout, stderr]).toEqual([
        1,
        "",
        "toolcrib call keeps no processes: they would end with this command\n" +
          "Use process.start in a session: toolcrib chat, toolcrib run or toolcrib mcp." +
          (words.some((word) => word.includes(started))
            ? ` Or start it without Toolcrib's sandbox and rules: nohup sh -c '${started}' &\n`
            : "\n"),
      ]);
    }
    expect(existsSync(join(fixture.workspace, "started"))).toBe(false);
  });

  it("runs a process to its end, and fails when it has to be stopped", async () => {
    await using fixture = cliWorkspace();
    const start = ["call", "process.start", "--mode", "yolo", "--name", "web"];
    const ended = await fixture.run(...start, "echo done", "--wait-ms", "60000");
    expect([ended.exit, ended.stderr]).toEqual([0, ""]);
    const stopped = await fixture.run(...start, "sleep 60", "--wait-ms", "1");
    expect([stopped.exit, stopped.stderr]).toEqual([1, "[Stopped, because this command ends: web]\n"]);
  });
});

if (!hasTerminals) it.skip("on a terminal (skipped: `script` of util-linux is missing)", () => {});
describe.runIf(hasTerminals)("on a terminal", () => {
  it("streams the output once, and then shows how the command ended", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    fixture.write(
      "say.sh",
      "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two >&2; printf three; exit 4\n",
    );
    const running = fixture.onTerminal([...call, "--command", "bash say.sh"], []);
    fixture.write("go", "");
    const { exit, screen } = await running;
    expect(exit).toBe(1);
    expect(withoutSandbox(withoutLine(screen))).toBe("one\ntwo\nthree\nExit code 4.\n");
  });

  it("shows the time in lines of its own when the terminal cannot redraw", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    const { exit, screen } = await fixture.onTerminal(
      [...call, "--command", "sleep 60"],
      [["shell.run … ", "\u0003"]],
      { TERM: "dumb" },
    );
    expect([exit, screen]).toEqual([130, expect.stringMatching(/^shell\.run … \d+ s\n/)]);
  });

  it("lets no output control the terminal", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    const { screen } = await fixture.onTerminal(
      [...call, "--command", "printf '\\033]52;c;eA==\\007\\033[31mred\\033[0m\\n'"],
      [],
    );
    expect(withoutSandbox(withoutLine(screen))).toBe("red\n");
  });
});

/** Removes the last line, which reports a sandbox that is not the strongest. */
function withoutSandbox(text: string): string {
  return text.replace(/^\[sandbox: \w+\]\n/m, "");
}

/** The line with the elapsed time is overwritten. */
function withoutLine(screen: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a line is written over
  return screen.replace(/\r\x1b\[2K(?:shell\.run … \d+ s[^\r\n]*)?/g, "");
}
