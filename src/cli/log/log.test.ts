import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { type CommandResult, runInHost } from "../../../test/support/command-host.ts";
import { workspaceFiles } from "../../system/directories.ts";
import { type CallResult, openToolcrib } from "../../toolcrib/index.ts";
import { type LoggedCall, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import { readSince } from "../call-journal.ts";
import { CallTable } from "./call-table.ts";

let folder: string;
let workspace: string;
let home: string;
let results: Record<"created" | "edited" | "refused" | "missing", CallResult>;

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib log "));
  workspace = join(folder, "a workspace");
  home = join(folder, "home");
  mkdirSync(workspace);
  const crib = await openToolcrib({
    workspace,
    stateDirectory: home,
    configDirectory: join(home, "config"),
    rules: ["ask delete **"],
  });
  results = {
    created: await crib.call("file.write", { path: "a.txt", content: "one\n" }),
    edited: await crib.call("edit.replace", { path: "a.txt", find: "one", replace: "two" }),
    refused: await crib.call("file.delete", { path: "a.txt" }),
    missing: await crib.call("file.read", { path: "none.txt\u001b[2J" }),
  };
  await crib.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("toolcrib log", () => {
  it("shows calls, newest first, with outcome, changes, and the rule that stopped them", async () => {
    const { exit, stdout, stderr } = await runWide(200, "log");
    const { created, edited, refused, missing } = results;
    const rows = stdout.split("\n").map((line) =>
      line
        .replace(/^\S+(?: \d\d:\d\d)?(?= {2})/, "TIME")
        .replace(/ {2}\w{9} {2}/, "  SESSION  ")
        .replace(/\d+ ms/, "1 ms")
        .split(/ {2,}/),
    );
    expect({ exit, rows, stderr }).toEqual({
      exit: 0,
      stderr: "",
      rows: [
        [
          "TIME",
          missing.callId,
          "library",
          "SESSION",
          "file.read",
          "not-found",
          "1 ms",
          "none.txt<U+001B>[2J",
        ],
        [
          "TIME",
          refused.callId,
          "library",
          "SESSION",
          "file.delete",
          "needs-approval",
          "1 ms",
          "a.txt",
          "[asked: ask delete ** (--rule:1)]",
        ],
        ["TIME", edited.callId, "library", "SESSION", "edit.replace", "ok", "+0 ~1 -0", "1 ms", "a.txt"],
        ["TIME", created.callId, "library", "SESSION", "file.write", "ok", "+1 ~0 -0", "1 ms", "a.txt"],
        [""],
      ],
    });
  });

  it("shows only the calls that match its filters", async () => {
    const found = async (...words: string[]) => {
      const { stdout, stderr } = await run("log", "--json", ...words);
      return stderr === "" ? JSON.parse(stdout).map((call: { tool: string }) => call.tool) : stderr;
    };
    const answers = await Promise.all([
      found("--limit", "1"),
      found("--failed"),
      found("--tool", "edit.replace"),
      found("--session", "last", "--since", "1h"),
      found("--session", "session_other"),
      found("--session", sessionOf(results.created).slice("session_".length, -4), "--limit", "1"),
      found("--since", "2999-01-01"),
      found("--text", "TWO replace"),
      found("--path", "./a.txt", "--limit", "1"),
      found("--path", "a", "--text", "one"),
    ]);
    expect(answers).toEqual([
      ["file.read"],
      ["file.read", "file.delete"],
      ["edit.replace"],
      ["file.read", "file.delete", "edit.replace", "file.write"],
      [],
      ["file.read"],
      [],
      ["edit.replace"],
      ["file.delete"],
      [],
    ]);
  });

  it("fits the terminal: leaves out columns, never the call, the tool and the result", async () => {
    const [narrow, wide] = await Promise.all([run("log"), runWide(150, "log")]);
    const lines = narrow.stdout.trimEnd().split("\n");
    const { created, refused } = results;
    expect(lines.map((line) => line.length).filter((length) => length > 80)).toEqual([]);
    expect(lines.at(-1)).toMatch(new RegExp(`^\\S+  ${created.callId}  .*file\\.write .* ok  .*a\\.txt`));
    expect(lines.find((line) => line.includes(refused.callId))).toMatch(/file\.delete {3}needs-approval/);
    expect(wide.stdout).toContain(`  library  ${sessionOf(created).slice(8, 17)}  `);
  });

  it("shows the target of calls that were not local", () => {
    const journal = new WorkspaceJournal({ state: home, workspace });
    const [call] = journal.calls({ limit: 1 });
    journal.close();
    const name = "ssh:deploy@build-machine.example:/srv/projects/app";
    const remote = { ...call!, target: `${name}\u001b` };
    const table = new CallTable({ ofAll: false });
    const first = (calls: readonly LoggedCall[]) => table.lay(calls).split("\n")[0];
    expect(first([call!])).toMatch(new RegExp(`^\\S+  ${call!.callId}  `));
    expect(first([call!, remote])).toBe(`Target: ${name}<U+001B>`);
    expect(first([remote])).toMatch(new RegExp(`^\\S+  ${call!.callId}  `));
  });

  it("lists the calls of all workspaces, also when one journal cannot be read", async () => {
    const other = join(folder, "another workspace");
    mkdirSync(other);
    const crib = await openToolcrib({
      workspace: other,
      stateDirectory: home,
      configDirectory: join(home, "config"),
      client: { kind: "mcp", name: "a\u001b[2Jgent", version: "1.2" },
    });
    const { callId } = await crib.call("file.list", { path: "." });
    await crib.close();
    const unreadable = workspaceFiles(home, join(folder, "newer"));
    mkdirSync(join(unreadable.journal, ".."), { recursive: true });
    const database = new DatabaseSync(unreadable.journal);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const [all, json, last] = await Promise.all([
      runWide(200, "log", "--all"),
      run("log", "--all", "--json", "--limit", "2"),
      run("log", "--all", "--json", "--session", "last"),
    ]);
    const [first, second] = JSON.parse(json.stdout);
    expect([first, second]).toMatchObject([
      { callId, workspace: other, client: { kind: "mcp", version: "1.2" }, target: "local" },
      { callId: results.missing.callId, workspace, client: { kind: "library" } },
    ]);
    expect(JSON.parse(last.stdout).map((call: { callId: string }) => call.callId)).toEqual([callId]);
    expect(all.stdout).toMatch(/another workspace {2}local {2}mcp a<U\+001B>\[2Jgen/);
    expect(all.stderr).toMatch(/^newer-\w+: The journal .* was written by a newer version of Toolcrib\n$/);
    rmSync(join(unreadable.journal, ".."), { recursive: true });
  });

  it("follows the calls of other processes, and ends with 130 on Ctrl-C", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    const options = { workspace: fixture.workspace, stateDirectory: fixture.home };
    const crib = await openToolcrib({ ...options, configDirectory: join(fixture.home, "config") });
    const before = await crib.call("file.list", { path: "." });
    await crib.call("file.write", { path: "a.txt", content: "" });
    const child = fixture.start("log", "--follow", "--json");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? "null");
    expect([(await next()).callId, (await next()).tool]).toEqual([before.callId, "file.write"]);
    const failed = await crib.call("file.read", { path: "none" });
    expect(await next()).toMatchObject({ callId: failed.callId, state: "not-found" });
    await fixture.run("call", "file.write", "--path", "b.txt", "--content", "b");
    expect(await next()).toMatchObject({ tool: "file.write", client: { kind: "cli" } });
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([130, null]);
    await crib.close();
  });

  it("reports an empty journal", async () => {
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    expect(await Promise.all([run("log", "-C", elsewhere), run("log", "--tool", "file.move")])).toEqual([
      { exit: 0, stdout: "", stderr: `No calls in ${elsewhere} yet.\n` },
      { exit: 0, stdout: "", stderr: "No recorded calls match.\n" },
    ]);
  });

  it("shows everything recorded about one call", async () => {
    const { callId } = results.edited;
    const [shown, json] = await Promise.all([
      run("log", "show", callId),
      run("log", "show", callId, "--json"),
    ]);
    const call = JSON.parse(json.stdout);
    const rows = shown.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    const [before, after] = [call.changes[0].before.hash, call.changes[0].after.hash];
    expect(rows).toEqual([
      ["call", callId],
      ["tool", "edit.replace"],
      ["client", "library"],
      ["session", call.session],
      ["workspace", workspace],
      ["time", expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)],
      ["outcome", "ok"],
      ["duration", expect.stringMatching(/^\d+ ms$/)],
      ["decision", "allow"],
      ["rule", call.decision.rule],
      ["reason", call.decision.reason],
      ...(call.sandbox === null ? [] : [["sandbox", call.sandbox]]),
      ["input", '{"path":"a.txt","find":"one","replace":"two"}'],
      ["touches", "write a.txt"],
      [
        "changed",
        `a.txt: ${before.slice(0, 12)} 4 bytes 0${mode(call.changes[0].before)} → ` +
          `${after.slice(0, 12)} 4 bytes 0${mode(call.changes[0].after)}`,
      ],
      ["undo", `toolcrib undo ${callId}`],
    ]);
    expect([call.callId, call.state, call.undoable, call.changes.length]).toEqual([callId, "ok", "whole", 1]);
    const [latest, last] = await Promise.all([
      run("log", "--json", "--limit", "1"),
      run("log", "show", "last", "--json"),
    ]);
    expect(JSON.parse(last.stdout).callId).toBe(JSON.parse(latest.stdout)[0].callId);
  });

  it("refuses unknown ids and invalid arguments", async () => {
    const answers = await Promise.all([
      run("log", "show", "call_x"),
      run("log", "show"),
      run("log", "shwo"),
      run("log", "--since", "soon"),
      run("log", "--text", " "),
      run("log", "verify", "--head", "abc"),
    ]);
    expect(answers.map(({ exit, stderr }) => [exit, stderr.split("\n")[0]])).toEqual([
      [2, "No call with the id call_x is recorded"],
      [2, "A call id is missing"],
      [2, "Unexpected argument: shwo"],
      [2, '--since must be a time, not "soon"'],
      [2, "--text needs a word"],
      [2, '--head must be a hash of 64 hex digits, not "abc"'],
    ]);
  });

  it("verifies that nothing was altered, and reports what was", async () => {
    const { journal } = workspaceFiles(home, workspace);
    const whole = await run("log", "verify");
    const [, count, head] =
      /^(\d+) records; none was altered, removed, added or moved\.\nHead: ([0-9a-f]{64})\n$/.exec(
        whole.stdout,
      )!;
    const [noted, unknown] = await Promise.all([
      run("log", "verify", "--head", head!),
      run("log", "verify", "--head", "f".repeat(64)),
    ]);
    const database = new DatabaseSync(journal);
    database.exec("UPDATE records SET body = replace(body, 'a.txt', 'b.txt') WHERE sequence = 3");
    const [altered, json] = await Promise.all([run("log", "verify"), run("log", "verify", "--json")]);
    database.exec("UPDATE records SET body = replace(body, 'b.txt', 'a.txt') WHERE sequence = 3");
    database.close();
    const failed = (message: string, hint: string) => ({
      exit: 1,
      stdout: "",
      stderr: `${message}\n${hint}\n`,
    });
    expect([noted, unknown, altered, { ...json, stdout: JSON.parse(json.stdout) }]).toEqual([
      {
        exit: 0,
        stderr: "",
        stdout: whole.stdout.replace(
          "Head:",
          `The given head is record ${count}: nothing up to it was altered.\nHead:`,
        ),
      },
      failed(
        "No record has the given head.",
        "Check the head: the journal was replaced or shortened, or its record was deleted by age.",
      ),
      failed(
        "Record 3 does not match its hash.",
        "Do not rely on this record or later ones; the records before it are intact.",
      ),
      {
        exit: 1,
        stderr: "",
        stdout: {
          records: Number(count),
          pruned: 0,
          head,
          fault: { sequence: 3, reason: "does not match its hash" },
          isProven: false,
        },
      },
    ]);
  });

  it("marks calls that can no longer be undone", async () => {
    const { callId } = results.edited;
    const { blobs } = workspaceFiles(home, workspace);
    renameSync(blobs, `${blobs} away`);
    const [list, shown] = await Promise.all([
      runWide(120, "log", "--tool", "edit.replace"),
      run("log", "show", callId),
    ]);
    renameSync(`${blobs} away`, blobs);
    expect(list.stdout).toContain("  +0 ~1 -0 gone  ");
    expect(shown.stdout.trimEnd().split("\n").at(-1)).toBe(
      "undo       not possible: the old contents are no longer stored",
    );
  });

  it("warns clearly that the journal was damaged", async () => {
    const damaged = join(folder, "damaged");
    mkdirSync(damaged);
    const { journal } = workspaceFiles(home, damaged);
    await run("log", "-C", damaged);
    writeFileSync(journal, "garbage ".repeat(1000));
    const { exit, stderr } = await run("log", "-C", damaged);
    expect([exit, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^The journal .* is damaged \(file is not a database\)\. It was moved to .*\.damaged-.* and a new one was started: earlier changes can no longer be undone\.\nNo calls in .*\n$/,
      ),
    ]);
  });
});

it("parses times as users write them", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  expect([
    readSince("90m", now),
    readSince("2h", now),
    readSince("3d", now),
    readSince("2026-11-15T09:30Z", now),
    readSince("2026-11-15", now),
    readSince("2026-11-15 09:30", now),
  ]).toEqual([
    now - 90 * 60_000,
    now - 2 * 3_600_000,
    now - 3 * 86_400_000,
    Date.parse("2026-11-15T09:30:00Z"),
    new Date(2026, 10, 15).getTime(),
    new Date(2026, 10, 15, 9, 30).getTime(),
  ]);
});

const mode = (state: { readonly mode: number }) => state.mode.toString(8);

function run(...words: string[]): Promise<CommandResult> {
  return runWide(80, ...words);
}

function runWide(columns: number, ...words: string[]): Promise<CommandResult> {
  const env = { ...process.env, TOOLCRIB_HOME: home, NO_COLOR: "1", FORCE_COLOR: undefined };
  return runInHost({ words, cwd: workspace, env: { ...env, COLUMNS: String(columns) } });
}

function sessionOf({ callId }: CallResult): string {
  const journal = new WorkspaceJournal({ state: home, workspace });
  const { session } = journal.find(callId)!;
  journal.close();
  return session;
}
