import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { withoutProgress } from "../../../test/support/without-progress.ts";

/** An empty folder, in which nothing may be left behind. */
function demoFixture() {
  const folder = temporaryFolder();
  const fixture = cliWorkspace({ TMPDIR: folder.path });
  return {
    ...fixture,
    leftBehind: () => [
      ...readdirSync(folder.path),
      ...(existsSync(fixture.home) ? readdirSync(fixture.home) : []),
    ],
    [Symbol.asyncDispose]: async () => {
      await fixture[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("toolcrib chat --demo", () => {
  it("plays the session as plain lines, and leaves nothing behind", { tags: "slow" }, async () => {
    await using fixture = demoFixture();
    const { exit, stdout, stderr } = await fixture.feed("", "chat", "--demo");
    expect([exit, stdout.includes("All tests pass now."), fixture.leftBehind()]).toEqual([0, true, []]);
    expect(stderr).toContain("edit.replace src/price.js  +1 −1");
  });

  it.runIf(hasTerminals)(
    "plays it on a screen, where the user can go on with commands",
    { tags: "slow" },
    async () => {
      await using fixture = demoFixture();
      await using terminal = fixture.emulate(["chat", "--demo"], { columns: 120, rows: 60 });
      await terminal.shows(/All tests pass now\.[\s\S]*stops at zero\./);
      terminal.type("/undo\r");
      await terminal.shows("restored src/price.js");
      terminal.type("thanks\r");
      await terminal.shows("The recording has ended.");
      terminal.type("/new\r");
      await terminal.shows("The demo has only one session");
      terminal.type("\u0004");
      expect(await terminal.exit).toBe(0);
      expect(terminal.everything).toContain("To set up a model: toolcrib models");
      expect(fixture.leftBehind()).toEqual(["chat-history"]);
      expect(readFileSync(join(fixture.home, "chat-history"), "utf8")).toBe("/undo\nthanks\n/new\n");
    },
  );
});

describe("toolcrib run --demo", () => {
  it("plays a whole session without a model, fixes the project, and leaves nothing behind", {
    tags: "slow",
  }, async () => {
    await using fixture = demoFixture();
    const { exit, stdout, stderr } = await fixture.run("run", "--demo");
    const calls = withoutProgress(stderr)
      .split("\n")
      .filter((line) => /^(?:file|shell|search|edit)\.\w+ /.test(line));
    expect([
      exit,
      stdout,
      calls.map((line) => line.replace(/\s+[\d.]+ s$/, "")),
      fixture.leftBehind(),
    ]).toEqual([
      0,
      "All tests pass now. `total` in src/price.js added the discount; now it subtracts it and stops at zero.\n",
      [
        "file.list .",
        "shell.run node --test  exit code 1",
        "search.grep discount src  3 matches",
        "file.read src/price.js  6 lines",
        "edit.replace src/price.js  +1 −1",
        "shell.run node --test",
      ],
      [],
    ]);
    expect(stderr).toContain("-  return sum + discount;\n  | +  return Math.max(0, sum - discount);\n");
    const afterwards = stderr.slice(stderr.indexOf("Every call was checked"));
    expect(
      afterwards.split("\n").flatMap((line) => /^(?:\$ .*|restored .*| {2}toolcrib \w+)/.exec(line) ?? []),
    ).toEqual([
      "$ toolcrib undo",
      "restored src/price.js",
      "$ toolcrib redo",
      "restored src/price.js",
      "$ toolcrib log verify",
      "  toolcrib mcp",
      "  toolcrib run",
      "  toolcrib console",
      "  toolcrib tour",
    ]);
    expect(afterwards).toMatch(/\d+ records; none was altered, removed, added or moved/);
    expect((stdout + stderr).split("\n").length).toBeLessThanOrEqual(60);
  });

  it("prints every event, or one object, for programs", { tags: "slow" }, async () => {
    await using fixture = demoFixture();
    const [lines, object] = await Promise.all([
      fixture.run("run", "--demo", "--jsonl"),
      fixture.run("run", "--demo", "--json"),
    ]);
    const events = lines.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { calls, ...report } = JSON.parse(object.stdout);
    expect([
      lines.exit,
      lines.stderr,
      events.filter(({ type }) => type === "tool-end").map(({ canonical, isError }) => [canonical, isError]),
      events.at(-1),
    ]).toEqual([
      0,
      "",
      [
        ["file.list", false],
        ["shell.run", expect.any(Boolean)],
        ["search.grep", false],
        ["file.read", false],
        ["edit.replace", false],
        ["shell.run", false],
      ],
      expect.objectContaining({ type: "session-end" }),
    ]);
    expect([object.exit, object.stderr, calls.length, report]).toEqual([
      0,
      "",
      6,
      {
        session: expect.stringMatching(/^session_/),
        model: "recorded/demo",
        turn: 1,
        outcome: "completed",
        text: expect.stringContaining("All tests pass now."),
        error: null,
        rounds: 5,
        usage: { input: 19_730, cached: 15_250, cacheWritten: 0, output: 396, reasoning: 0 },
        cost: null,
      },
    ]);
  });

  it("accepts no task, and no other options", async () => {
    await using fixture = demoFixture();
    expect([
      await fixture.run("run", "--demo", "mend", "it"),
      await fixture.run("run", "--demo", "-m", "x/y"),
    ]).toEqual([
      {
        exit: 2,
        stdout: "",
        stderr: "--demo takes no task\nRemove the task, or remove --demo.\n",
      },
      {
        exit: 2,
        stdout: "",
        stderr: "--model has no effect with --demo\nRemove --model.\n",
      },
    ]);
  });

  if (!hasTerminals) it.skip("on a terminal (skipped: `script` of util-linux is missing)", () => {});

  it.runIf(hasTerminals)(
    "streams on a terminal, with each message on a new line",
    { tags: "slow" },
    async () => {
      await using fixture = demoFixture();
      const { exit, screen } = await fixture.onTerminal(["run", "--demo"], [], { NO_COLOR: "1" });
      const lines = withoutProgress(screen).split("\n");
      expect([
        exit,
        lines.includes("I'll look at the project and run its tests first."),
        lines.some((line) => line.startsWith("edit.replace src/price.js  +1 −1")),
        // Only the redrawn line moves the cursor.
        withoutProgress(screen).includes("\u001b"),
        fixture.leftBehind(),
      ]).toEqual([0, true, true, false, []]);
    },
  );
});
