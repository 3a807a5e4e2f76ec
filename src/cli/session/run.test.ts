import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import { launcher } from "../../../test/support/built-program.ts";
import { type CliWithModel, cliWithModel } from "../../../test/support/cli-with-model.ts";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { withoutProgress } from "../../../test/support/without-progress.ts";

const isThere = ({ workspace }: CliWithModel, path: string) => existsSync(join(workspace, path));

const patch = (path: string) => ({
  name: "apply_patch",
  input: `*** Begin Patch\n*** Add File: ${path}\n+made\n*** End Patch`,
});
const command = (cmd: string) => ({ name: "exec_command", input: { cmd } });

/** Without a sandbox, which would have its own process ids. */
const unguarded = ["--mode", "yolo", "--sandbox", "none"];

/** The lines, without details that differ between runs. */
const plain = (output: string) =>
  withoutProgress(output)
    .replace(/session_\w+/g, "SESSION")
    .replace(/[\d ]+ tokens read.*$/gm, "USAGE")
    .replace(/\d+(?:\.\d)? s$/gm, "TIME")
    .split("\n");

describe("toolcrib run", () => {
  it("prints the answer, and reports the calls on standard error", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel([
      { text: "I make it.", calls: [patch("a.txt")] },
      { text: "It is made." },
    ]);
    const { exit, stdout, stderr } = await fixture.run("run", "make", "a.txt");
    expect([exit, stdout, plain(stderr), fixture.read("a.txt"), fixture.server.breaches]).toEqual([
      0,
      "It is made.\n",
      [
        "Session SESSION: openai/gpt-5",
        "I make it.",
        "edit.patch a.txt  +1 −0  TIME",
        "  | --- /dev/null",
        "  | +++ b/a.txt",
        "  | @@ -0,0 +1,1 @@",
        "  | +made",
        "USAGE",
        "",
      ],
      "made\n",
      [],
    ]);
    expect(fixture.server.requests[0]!.messages.at(-1)!.text).toBe("make a.txt");
  });

  it("reads the task from standard input, and refuses an empty task", async () => {
    await using fixture = await cliWithModel(() => ({ text: "Yes." }));
    const runs = [
      await fixture.feed("first\n", "run", "-"),
      await fixture.feed("second", "run"),
      await fixture.feed("+ a line\n", "run", "review", "this", "-"),
      await fixture.feed("", "run"),
      await fixture.feed(" \n", "run", "-"),
      await fixture.run("run", " "),
      await fixture.run("run", "--json", "--jsonl", "x"),
    ];
    expect([
      runs.map(({ exit, stdout }) => [exit, stdout]),
      fixture.server.requests.map(({ messages }) => messages.at(-1)!.text),
    ]).toEqual([
      [
        [0, "Yes.\n"],
        [0, "Yes.\n"],
        [0, "Yes.\n"],
        [2, ""],
        [2, ""],
        [2, ""],
        [2, ""],
      ],
      ["first\n", "second", "review this\n\n+ a line\n"],
    ]);
  });

  it("fails when its answer cannot be written, and stops working", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel(() => ({ text: "Yes." }));
    const runs = [
      await fixture.runInto("/dev/full", "run", "x"),
      await fixture.runInto("/dev/full", "run", "x", "--jsonl"),
    ];
    expect(runs.map(({ exit, stderr }) => [exit, stderr.includes("The output cannot be written")])).toEqual([
      [1, true],
      [1, true],
    ]);
  });

  it("asks for no approval without a terminal, informs the model, and exits with 4", async () => {
    await using fixture = await cliWithModel([{ calls: [command("rm -rf /srv/x")] }, { text: "I may not." }]);
    fixture.write("x", "");
    const { exit, stdout, stderr } = await fixture.run("run", "remove x");
    expect([exit, stdout, isThere(fixture, "x"), stderr.trimEnd().split("\n").at(-1)]).toEqual([
      4,
      "I may not.\n",
      true,
      expect.stringMatching(
        /^To allow it, approve it on a terminal, or .*add --rule 'allow delete \/\S+\/x by /,
      ),
    ]);
    expect(fixture.server.requests[1]!.messages.at(-1)!.text).toContain("needs approval");
  });

  it("succeeds when the model found another way after a refusal", async () => {
    await using fixture = await cliWithModel([
      { calls: [command("rm -rf x")] },
      { calls: [patch("y.txt")] },
      { text: "Done otherwise." },
    ]);
    expect((await fixture.run("run", "do it")).exit).toBe(0);
  });

  it("reports the result to programs, also when there is none", async () => {
    await using fixture = await cliWithModel([{ calls: [patch("a.txt")] }, { text: "Made." }]);
    const { stdout, stderr } = await fixture.run("run", "--json", "make it");
    const report = JSON.parse(stdout);
    const failed = await fixture.run("run", "--json", "-m", "nobody/none", "make it");
    const line = await fixture.run("run", "--jsonl", "-m", "nobody/none", "make it");
    expect([
      stderr,
      report,
      failed.exit,
      JSON.parse(failed.stdout).error.code,
      line.exit,
      JSON.parse(line.stdout),
    ]).toEqual([
      "",
      {
        session: expect.stringMatching(/^session_/),
        model: "openai/gpt-5",
        turn: 1,
        outcome: "completed",
        text: "Made.",
        error: null,
        rounds: 2,
        usage: expect.any(Object),
        cost: expect.any(Number),
        calls: [
          {
            callId: expect.stringMatching(/^call_/),
            name: "apply_patch",
            canonical: "edit.patch",
            input: expect.anything(),
            isError: false,
            error: null,
            durationMs: expect.any(Number),
          },
        ],
      },
      2,
      "invalid-input",
      2,
      { type: "error", at: expect.any(Number), error: JSON.parse(failed.stdout).error },
    ]);
  });

  it("resumes an earlier session", async () => {
    await using fixture = await cliWithModel([{ text: "One." }, { text: "Two." }]);
    await fixture.run("run", "first");
    const { exit, stdout } = await fixture.run("run", "--resume", "last", "second");
    expect([
      exit,
      stdout,
      fixture.server.requests[1]!.messages.map((message) => message.text),
      fixture.server.breaches,
    ]).toEqual([0, "Two.\n", ["first", "One.", "second"], []]);
  });

  it("reports an invalid key at once, with a hint", async () => {
    await using fixture = await cliWithModel([{ fault: { status: 401 } }]);
    const { exit, stdout, stderr } = await fixture.run("run", "hello");
    expect([exit, stdout, fixture.server.requests.length, stderr]).toEqual([
      1,
      "",
      1,
      expect.stringContaining("toolcrib models"),
    ]);
  });

  it("explains the ways to get a model when there is none", async () => {
    await using fixture = cliWorkspace({ OLLAMA_HOST: "127.0.0.1:1" });
    const { exit, stdout, stderr } = await fixture.run("run", "hello");
    expect([exit, stdout, stderr.split("\n")[0], stderr.includes("toolcrib run --demo")]).toEqual([
      1,
      "",
      "No model is configured",
      true,
    ]);
  });

  it("refuses missing instructions, an invalid cost and an unknown session", async () => {
    await using fixture = await cliWithModel([]);
    const runs = await Promise.all([
      fixture.run("run", "--instructions-file", "none.md", "hello"),
      fixture.run("run", "--max-cost", "much", "hello"),
      fixture.run("run", "--resume", "session_none", "hello"),
    ]);
    expect(runs.map(({ exit, stderr }) => [exit, stderr.split("\n")[0]])).toEqual([
      [2, expect.stringContaining("The instructions cannot be read")],
      [2, '--max-cost must be an amount in US dollars, not "much"'],
      [2, 'No session of this folder has the id "session_none"'],
    ]);
  });

  it("offers the tools of configured MCP servers, and warns once about one that does not start", {
    tags: "slow",
  }, async () => {
    await using fixture = await cliWithModel(({ tools }) => ({ text: `${tools.includes("time_now")}` }));
    const main = launcher;
    const mcpServers = {
      own: { command: process.execPath, args: [main, "mcp", "--only-tools", "time.now"] },
      broken: { command: "/nonexistent" },
    };
    fixture.write(join(fixture.home, "config/mcp.json"), JSON.stringify({ mcpServers }));
    const { exit, stdout, stderr } = await fixture.run("run", "hello");
    expect([exit, stdout, stderr.match(/The MCP server broken: /g)?.length]).toEqual([0, "true\n", 1]);
  });

  it("stops the turn and its processes on interrupt, and can be resumed", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel([
      { calls: [command("echo $$ > pid; sleep 60")] },
      { text: "Going on." },
    ]);
    const child = fixture.start("run", ...unguarded, "wait");
    child.stdin.end();
    const stderr = text(child.stderr);
    await vi.waitFor(() => expect(fixture.read("pid")).toMatch(/^\d+\n/), { timeout: 60_000 });
    child.kill("SIGINT");
    const [exit] = await once(child, "close");
    const later = await fixture.run("run", "--resume", "last", "go on");
    expect([
      exit,
      await stderr,
      isAlive(Number(fixture.read("pid"))),
      later.stdout,
      fixture.server.breaches,
    ]).toEqual([
      130,
      expect.stringContaining("Stopped. Changes made so far are kept.\n"),
      false,
      "Going on.\n",
      [],
    ]);
  });

  it("ends quietly when its output is closed", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel([{ calls: [command("echo $$ > pid; sleep 60")] }]);
    const child = fixture.start("run", ...unguarded, "--jsonl", "wait");
    child.stdin.end();
    const stderr = text(child.stderr);
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [exit] = await once(child, "close");
    expect([exit, await stderr]).toEqual([130, ""]);
  });
});

if (!hasTerminals) it.skip("on a terminal (skipped: `script` of util-linux is missing)", () => {});
else
  describe("a user who runs a task on a terminal", () => {
    const question = "[e]xplain";

    it("is asked for approval, and answers yes", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel([
        { text: "I remove it.", calls: [command("rm x")] },
        { text: "Gone." },
      ]);
      fixture.write("x", "");
      const { exit, screen } = await fixture.onTerminal(
        ["run", "--mode", "safe", "remove x"],
        [[question, "y\n"]],
        {
          NO_COLOR: "1",
        },
      );
      const lines = withoutProgress(screen).split("\n");
      expect([
        exit,
        isThere(fixture, "x"),
        lines.indexOf("I remove it.") < lines.indexOf("Allow  process.start?"),
      ]).toEqual([0, false, true]);
      expect(lines.slice(-5)).toEqual([
        expect.stringMatching(/^\[y\]es once {2}/),
        expect.stringMatching(/^process\.start rm x {2}[\d.]+ s$/),
        "Gone.",
        expect.stringContaining(" tokens read"),
        "",
      ]);
    });

    it("cannot approve with input typed before the question appeared", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel([
        { text: "[y]es once ", calls: [command("sleep 1")] },
        { calls: [command("rm x")] },
        { text: "As you like." },
      ]);
      fixture.write("x", "");
      const { exit, screen } = await fixture.onTerminal(
        ["run", "--mode", "safe", "--rule", "allow run sleep *", "remove x"],
        [
          ['"[y]es"', "y\ny"],
          [question, "n\n"],
        ],
        { NO_COLOR: "1" },
      );
      expect([exit, isThere(fixture, "x"), screen.includes("As you like.")]).toEqual([3, true, true]);
    });

    it("stops the turn with Ctrl-C", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel([{ calls: [command("echo $$ > pid; sleep 60")] }]);
      const { exit, screen } = await fixture.onTerminal(
        ["run", ...unguarded, "wait"],
        [["process.start echo", "\u0003"]],
      );
      expect([exit, screen.includes("Stopped."), isAlive(Number(fixture.read("pid")))]).toEqual([
        130,
        true,
        false,
      ]);
    });

    it("sees hostile model output escaped", { tags: "slow" }, async () => {
      await using fixture = await cliWithModel([{ text: "\u001b[2J\u001b[1;1HFine\r\u001b]0;x\u0007" }]);
      const { screen } = await fixture.onTerminal(["run", "hello"], [], { NO_COLOR: "1" });
      expect(screen).toContain("<U+001B>[2J<U+001B>[1;1HFine<U+000D><U+001B>]0;x<U+0007>\n");
    });
  });
