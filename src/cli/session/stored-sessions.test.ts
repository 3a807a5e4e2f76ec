import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Script } from "../../../test/providers/provider-server.ts";
import { startProvider } from "../../../test/providers/start-provider.ts";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { answer, call, reply, start, turnEnd, user } from "../../../test/support/session-records/entries.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";

const secret = ["ghp", "Zk3vQ9pLx7Tn2RbW8mYc4HdJ6sFg1AeU5iXo"].join("_");

/** A fixture with three sessions: one ended, one interrupted, and one with another id. */
async function fixtureWithSessions(): Promise<CliWorkspace> {
  const fixture = cliWorkspace();
  const journal = new WorkspaceJournal({ state: fixture.home, workspace: fixture.workspace });
  const { conversations } = journal;
  conversations.append("session_ab1", [
    start,
    user(1, "Make a file\nand say \u001b[2Jso"),
    reply("I write.", call("a", { path: "a.txt", content: "one\ntwo\n" })),
    answer("a", Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n")),
    reply(`Done with ${secret}.`),
    turnEnd(1),
    user(2, "more"),
    reply("No."),
    turnEnd(2),
  ]);
  conversations.append("session_ab2", [start, user(1, "Wait")]);
  conversations.append("other", [
    { ...start, parent: { session: "session_ab1", turn: 1 } },
    user(1, "x".repeat(200)),
    turnEnd(1),
  ]);
  journal.close();
  return fixture;
}

describe("toolcrib sessions", () => {
  it("lists the sessions of this folder, newest first", async () => {
    await using fixture = await fixtureWithSessions();
    const [{ stdout, exit }, json, one] = await Promise.all([
      fixture.run("sessions"),
      fixture.run("sessions", "list", "--json"),
      fixture.run("sessions", "--limit", "1"),
    ]);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, "TIME").split(/ {2,}/));
    expect([exit, rows.sort()]).toEqual([
      0,
      [
        ["other", "TIME", "ended", "1 turn", "openai/gpt-5", `${"x".repeat(60)}…`],
        ["session_ab1", "TIME", "ended", "2 turns", "openai/gpt-5", "Make a file and say <U+001B>[2Jso"],
        ["session_ab2", "TIME", "interrupted", "1 turn", "openai/gpt-5", "Wait"],
      ],
    ]);
    expect(one.stdout.trimEnd().split("\n").length).toBe(1);
    const listed = JSON.parse(json.stdout).find(({ session }: { session: string }) => session === "other");
    expect(listed).toEqual({
      session: "other",
      startedAt: expect.any(Number),
      lastAt: expect.any(Number),
      model: "openai/gpt-5",
      turns: 1,
      task: "x".repeat(200),
      parent: { session: "session_ab1", turn: 1 },
      entries: 3,
      bytes: expect.any(Number),
      state: "ended",
      pid: null,
      client: null,
      calls: 0,
    });
  });

  it("reports that there are none", async () => {
    await using fixture = cliWorkspace();
    expect(await Promise.all([fixture.run("sessions"), fixture.run("sessions", "--json")])).toEqual([
      {
        exit: 0,
        stdout: "",
        stderr: `No sessions in ${fixture.workspace} yet. To start one: toolcrib chat\n`,
      },
      { exit: 0, stdout: "[]\n", stderr: "" },
    ]);
  });

  it("shows the conversation, shortened, without secrets and control characters", async () => {
    await using fixture = await fixtureWithSessions();
    const { stdout } = await fixture.run("sessions", "show", "ab1");
    expect(stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "TIME")).toMatchInlineSnapshot(`
      "session_ab1  openai/gpt-5

      Turn 1  TIME
      User:
        Make a file
        and say <U+001B>[2Jso
      Model:
        I write.
      Call file_write
        path: a.txt
        content:
          one
          two
        answer:
          line 1
          line 2
          line 3
          line 4
          line 5
          line 6
          line 7
          line 8
          … 12 more lines (--all)
      Model:
        Done with [redacted: GitHub token].

      Turn 2  TIME
      User:
        more
      Model:
        No.
      "
    `);
    const whole = await fixture.run("sessions", "show", "ab1", "--all", "--with-secrets");
    expect([whole.stdout.includes("line 20"), whole.stdout.includes(secret)]).toEqual([true, true]);
    const { session, entries } = JSON.parse(
      (await fixture.run("sessions", "show", "other", "--json")).stdout,
    );
    expect([session, entries.length, entries[2].entry]).toEqual(["other", 3, turnEnd(1)]);
  });

  it("finds a session by a unique prefix of its id, and by last", async () => {
    await using fixture = await fixtureWithSessions();
    const answers = await Promise.all([
      fixture.run("sessions", "show", "session_ab"),
      fixture.run("sessions", "show", "nothing"),
      fixture.run("sessions", "show"),
      fixture.run("sessions", "show", "oth", "--json"),
      fixture.run("sessions", "export", "last"),
    ]);
    expect(answers.map(({ exit, stderr }) => [exit, stderr])).toEqual([
      [
        2,
        expect.stringMatching(
          /^2 sessions begin with "session_ab"\nAdd letters of the id: session_ab\d, session_ab\d\n$/,
        ),
      ],
      [
        2,
        'No session of this folder has the id "nothing"\nTo list the sessions, run: toolcrib sessions list\n',
      ],
      [2, "A session id is missing\nUse `last`, or an id from: toolcrib sessions list\n"],
      [0, ""],
      [0, ""],
    ]);
  });

  it("exports to a new private file, in the format of its extension", async () => {
    await using fixture = await fixtureWithSessions();
    const html = await fixture.run("sessions", "export", "ab1", "-o", "session.html");
    const again = await fixture.run("sessions", "export", "ab1", "-o", "session.html");
    const jsonl = await fixture.run("sessions", "export", "ab1", "--format", "jsonl");
    const json = await fixture.run("sessions", "export", "ab2", "-o", "two.md", "--json");
    const file = join(fixture.workspace, "session.html");
    expect([html, again.exit, again.stderr, statSync(file).mode & 0o777]).toEqual([
      { exit: 0, stdout: "", stderr: "Wrote session.html.\n" },
      1,
      "session.html already exists\nChoose another file, or delete it first.\n",
      0o600,
    ]);
    expect(readFileSync(file, "utf8")).toMatch(/^<!doctype html>/);
    expect(jsonl.stdout.trimEnd().split("\n").length).toBe(9);
    expect(JSON.parse(json.stdout)).toEqual({ session: "session_ab2", format: "markdown", file: "two.md" });
  });

  it("deletes all the named sessions, or none", async () => {
    await using fixture = await fixtureWithSessions();
    const none = await fixture.run("sessions", "rm", "ab1", "nothing");
    const { stdout } = await fixture.run("sessions", "rm", "ab1", "session_ab2", "ab1");
    const left = JSON.parse((await fixture.run("sessions", "--json")).stdout);
    expect([none.exit, stdout, left.map(({ session }: { session: string }) => session)]).toEqual([
      2,
      "Deleted session_ab1.\nDeleted session_ab2.\n",
      ["other"],
    ]);
  });

  it("reports an open session, and neither deletes nor resumes it", async () => {
    await using fixture = await fixtureWithSessions();
    const crib = await openToolcrib({
      workspace: fixture.workspace,
      stateDirectory: fixture.home,
      configDirectory: join(fixture.home, "config"),
      session: "session_ab1",
    });
    const [list, rm, resume] = await Promise.all([
      fixture.run("sessions"),
      fixture.run("sessions", "rm", "ab1"),
      fixture.run("sessions", "resume", "ab1", "more", "--model", "openai/gpt-5"),
    ]);
    await crib.close();
    const refused = `The session session_ab1 is open in process ${process.pid}\n`;
    expect([
      list.stdout.includes(`open in process ${process.pid}`),
      rm.exit,
      rm.stderr.startsWith(refused),
      resume.exit,
      resume.stderr.startsWith(refused),
    ]).toEqual([true, 1, true, 1, true]);
  });

  it("refuses unknown ids and invalid arguments", async () => {
    await using fixture = cliWorkspace();
    const answers = await Promise.all([
      fixture.run("sessions", "lsit"),
      fixture.run("sessions", "list", "--turn", "1"),
      fixture.run("sessions", "show", "a", "b"),
      fixture.run("sessions", "fork", "none", "--turn", "0"),
      fixture.run("sessions", "rm", ""),
      fixture.run("sessions", "rm", "session_"),
    ]);
    expect(answers.map(({ exit, stderr }) => [exit, stderr.split("\n").slice(0, 2)])).toEqual([
      [2, ["Unknown subcommand: toolcrib sessions lsit", "Did you mean `toolcrib sessions list`?"]],
      [2, ["--turn has no effect in toolcrib sessions list", "Use it with: toolcrib sessions fork"]],
      [2, ["Unexpected argument: b", "See: toolcrib help sessions"]],
      [2, ['No session of this folder has the id "none"', expect.any(String)]],
      [2, ['"" is too short for a session id', expect.any(String)]],
      [2, ['"session_" is too short for a session id', expect.any(String)]],
    ]);
  });
});

describe("a session of toolcrib run", () => {
  it("is resumed and forked by a task", { tags: "slow" }, async () => {
    await using fixture = await fixtureOn([
      { text: "One." },
      { text: "Two." },
      { text: "Three." },
      { text: "Other." },
    ]);
    const first = await fixture.run("run", "first", "--model", fixture.model);
    const second = await fixture.run("sessions", "resume", "last", "second");
    const third = await fixture.feed("third", "run", "--resume", "last");
    fixture.server.forget();
    const { session } = JSON.parse((await fixture.run("sessions", "--json")).stdout)[0];
    const fork = await fixture.run("sessions", "fork", session, "--turn", "1", "other", "--json");
    const listed = JSON.parse((await fixture.run("sessions", "--json")).stdout);
    expect([first, second, third].map(({ exit, stdout }) => [exit, stdout])).toEqual([
      [0, "One.\n"],
      [0, "Two.\n"],
      [0, "Three.\n"],
    ]);
    expect([fork.exit, JSON.parse(fork.stdout).text]).toEqual([0, "Other."]);
    const summary = ({ turns, task, state, parent }: Record<string, unknown>) => ({
      turns,
      task,
      state,
      parent,
    });
    expect(listed.map(summary)).toEqual([
      { turns: 2, task: "first", state: "ended", parent: { session, turn: 1 } },
      { turns: 3, task: "first", state: "ended", parent: null },
    ]);
    const texts = fixture.server.requests.map(({ messages }) => messages.map(({ text }) => text));
    expect(texts).toEqual([
      ["first"],
      ["first", "One.", "second"],
      ["first", "One.", "second", "Two.", "third"],
      ["first", "One.", "other"],
    ]);
    expect(fixture.server.breaches).toEqual([]);
  });

  if (!hasTerminals) it.skip("on a terminal (skipped: `script` of util-linux is missing)", () => {});

  it.runIf(hasTerminals)("is continued on a terminal", { tags: "slow" }, async () => {
    await using fixture = await fixtureOn([{ text: "One." }, { text: "Two." }]);
    await fixture.run("run", "first", "--model", fixture.model);
    await using terminal = fixture.emulate(["sessions", "resume", "last"]);
    await terminal.shows("· cautious");
    terminal.type("second\r");
    await terminal.shows("Two.");
    terminal.type("/exit\r");
    expect(await terminal.exit).toBe(0);
    expect(fixture.server.requests.length).toBe(2);
  });
});

/** A fixture whose model provider runs on this machine. */
async function fixtureOn(script: Script) {
  const server = await startProvider("openai", script);
  const fixture = cliWorkspace();
  fixture.write(join(fixture.home, "config/models.json"), JSON.stringify(server.settings));
  expect(existsSync(join(fixture.home, "config/models.json"))).toBe(true);
  return {
    ...fixture,
    server,
    model: server.model,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}
