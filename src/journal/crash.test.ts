/** @module-tag slow */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { testKilledCalls } from "../../test/journal/killed-calls.ts";
import { bundledProgram } from "../../test/support/bundled-program.ts";
import { killedWorkspace } from "../../test/support/killed-workspace.ts";
import { rounds } from "../../test/support/rounds.ts";
import { workspaceFiles } from "../system/directories.ts";
import { openToolcrib } from "../toolcrib/index.ts";
import { Journal } from "./journal.ts";
import { verifyJournal } from "./verify-journal.ts";

const caller = await bundledProgram(new URL("../../test/support/journal/caller.ts", import.meta.url));
const recorder = await bundledProgram(new URL("../../test/support/journal/recorder.ts", import.meta.url));
const fullDisk = await bundledProgram(new URL("../../test/support/journal/full-disk.ts", import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib crash "));
});
afterAll(() => rmSync(folder, { recursive: true }));

it("keeps all records of two concurrent processes", { tags: "slow" }, async () => {
  const file = join(folder, "two.sqlite");
  const recorders = [start(file, "first", 300), start(file, "second", 300)];
  await Promise.all(
    recorders.map((recorder) => Promise.all([text(recorder.stdout!), once(recorder, "exit")])),
  );
  const journal = new Journal({ file, session: "after" });
  const counts = ["first", "second"].map((session) => {
    const calls = journal.calls({ session, changing: true });
    return [calls.length, new Set(calls.map(({ callId }) => callId)).size];
  });
  expect({ counts, sessions: journal.sessions().map(({ state }) => state) }).toEqual({
    counts: [
      [300, 300],
      [300, 300],
    ],
    sessions: ["closed", "closed"],
  });
  journal.close();
  // For each call its beginning, change and end; for each session its opening and closing.
  expect(await verifyJournal(file)).toEqual({ records: 1804, pruned: 0, head: expect.any(String) });
});

it("waits for a process that is creating the same database", async () => {
  const file = join(folder, "begun.sqlite");
  // SQLite itself would not wait for this lock on a database without write-ahead logging.
  const beginner = `
    const database = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
    database.exec("BEGIN IMMEDIATE");
    console.log("held");
    setTimeout(() => database.exec("COMMIT"), 300);`;
  const other = spawn(process.execPath, ["-e", beginner, file], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(other, "exit");
  await once(other.stdout!, "data");
  const journal = new Journal({ file, session: "second", patienceMs: 60_000 });
  journal.append("trial", {});
  journal.close();
  expect(await ended).toEqual([0, null]);
  expect(await verifyJournal(file)).toEqual({ records: 3, pruned: 0, head: expect.any(String) });
});

it("loses no acknowledged record when it is killed", { tags: "slow" }, async () => {
  const file = join(folder, "killed.sqlite");
  const lanes = ["left", "right"].map((lane) => killOften(file, lane, rounds(5)));
  const acknowledged = (await Promise.all(lanes)).flat();
  const journal = new Journal({ file, session: "after" });
  const finished = new Set(
    journal.calls({ changing: true }).flatMap(({ callId, outcome }) => (outcome === "ok" ? [callId] : [])),
  );
  expect(acknowledged.filter((callId) => !finished.has(callId))).toEqual([]);
  expect(new Set(journal.sessions().map(({ state }) => state))).toEqual(new Set(["died"]));
  expect(journal.warnings).toEqual([]);
  journal.close();
  expect((await verifyJournal(file)).fault).toBeUndefined();
});

testKilledCalls({
  program: () => caller,
  open: (files) => killedWorkspace(folder, files),
  times: rounds(2),
  withinMs: 150,
});

it("prevents changes when the disk is full", { tags: "slow" }, async () => {
  const workspace = join(folder, "a workspace");
  const state = join(folder, "state");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "old"), "old");
  const write = () => {
    // A limit on file sizes fails like a full disk, and needs no separate disk.
    const words = [process.execPath, fullDisk, workspace, state];
    const child = spawnSync("bash", ["-c", `trap "" XFSZ; ulimit -f 8; exec "$0" "$@"`, ...words], {
      encoding: "utf8",
    });
    return {
      error: JSON.parse(child.stdout || child.stderr),
      content: readFileSync(join(workspace, "old"), "utf8"),
    };
  };
  const { journal } = workspaceFiles(state, workspace);
  const refused = {
    content: "old",
    error: {
      code: "unavailable",
      message: expect.stringMatching(
        /^The journal .*\/journal\.sqlite cannot be used: (database or disk is full|disk I\/O error)$/,
      ),
      hint: "Nothing was changed. Ask the user to free disk space.",
    },
  };
  expect(write()).toEqual(refused);
  const crib = await openToolcrib({
    workspace,
    stateDirectory: state,
    configDirectory: join(state, "config"),
  });
  await crib.call("file.write", { path: "other", content: "fits" });
  await crib.close();
  expect(write()).toEqual(refused);
  expect((await verifyJournal(journal)).fault).toBeUndefined();
});

function start(file: string, session: string, count: number): ChildProcess {
  const stdio = ["ignore", "pipe", "inherit"] as const;
  return spawn(process.execPath, [recorder, file, session, String(count)], { stdio: [...stdio] });
}

async function killOften(file: string, lane: string, times: number): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let time = 0; time < times; time += 1) {
    const recorder = start(file, `${lane}-${time}`, 100_000);
    const output = text(recorder.stdout!);
    await once(recorder.stdout!, "data");
    await setTimeout(Math.random() * 15);
    recorder.kill("SIGKILL");
    await once(recorder, "exit");
    acknowledged.push(...(await output).split("\n").slice(0, -1));
  }
  return acknowledged;
}
