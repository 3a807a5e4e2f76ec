import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { launcher } from "../../../test/support/built-program.ts";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { AllPendingApprovals } from "../../engine/approvals/approvals.ts";
import { attachSession } from "./attach-session.ts";
import { socketFolder } from "./live-protocol.ts";
import { type RunToStart, startRun } from "./start-run.ts";

const started: number[] = [];

afterAll(() => {
  for (const pid of started.filter(isAlive)) process.kill(pid, "SIGKILL");
});

async function start(wanted: RunToStart) {
  const run = await startRun({ ...wanted, program: [process.execPath, launcher] });
  started.push(run.pid);
  return run;
}

const deletes = { name: "file_delete", input: { path: "a.txt" } };

it("starts a run of its own, which waits to be answered, and can be steered and resumed", {
  tags: "slow",
}, async () => {
  await using fixture = await cliWithModel([
    { calls: [deletes] },
    { text: "Deleted." },
    { text: "Resumed.", fault: "hang-during" },
  ]);
  fixture.write("a.txt", "one\n");
  fixture.write(join(fixture.home, "config/config.toml"), `dialect = "toolcrib"\n`);
  const state = fixture.home;
  const wanted = { workspace: fixture.workspace, mode: "safe", variables: fixture.env };
  const { session, pid } = await start({ ...wanted, task: "Delete a.txt." });
  const approvals = new AllPendingApprovals({ state, config: join(fixture.home, "config") });
  await vi.waitFor(() => expect(approvals.list()).toHaveLength(1), { timeout: 60_000 });
  const [question] = approvals.list();
  const attached = (await attachSession(session, { state }))!;
  expect({ asked: question?.session, client: question?.client, live: attached.hello.pid }).toEqual({
    asked: session,
    client: { kind: "run" },
    live: pid,
  });
  await attached.steer("Then say so.");
  await approvals.answer(question!, { allow: true });
  await attached.ended;
  expect(existsSync(join(fixture.workspace, "a.txt"))).toBe(false);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });

  const again = await start({ ...wanted, task: "Go on.", resume: session });
  const other = (await attachSession(again.session, { state }))!;
  await other.stop();
  await other.ended;
  await vi.waitFor(() => expect(isAlive(again.pid)).toBe(false), { timeout: 60_000 });
  expect([again.session, readdirSync(socketFolder(state))]).toEqual([session, []]);
});

it("rejects with the failure of a run that cannot start, and leaves nothing", { tags: "slow" }, async () => {
  await using fixture = await cliWithModel([]);
  const wanted = { workspace: fixture.workspace, task: "x", variables: fixture.env };
  await expect(start({ ...wanted, model: "nowhere/none" })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("nowhere"),
  });
  await expect(start({ ...wanted, resume: "session_none" })).rejects.toThrow(/session_none/);
  expect(readdirSync(socketFolder(fixture.home))).toEqual([]);
});

it("passes on where the run works, and starts it in a folder without programs", async () => {
  await using folder = temporaryFolder();
  const program = [process.execPath, "-e", printWords, "--"];
  const variables = { ...process.env, TOOLCRIB_HOME: folder.path };
  const run = (wanted: Partial<RunToStart>) => startRun({ ...wanted, task: "x", program, variables });
  const { session: here } = await run({ workspace: folder.path });
  const { session: there } = await run({ target: "ssh:host" });
  expect([JSON.parse(here), JSON.parse(there)]).toEqual([
    { cwd: folder.path, words: [`--workspace=${folder.path}`, "--target=local"] },
    { cwd: socketFolder(folder.path), words: ["--target=ssh:host"] },
  ]);
});

/** Reports its folder and its place as the session. */
const printWords = `const words = process.argv.filter((word) => /^--(workspace|target)=/.test(word));
  console.log(JSON.stringify({ session: JSON.stringify({ cwd: process.cwd(), words }) }));`;

it("stops a process that opens no session in time", async () => {
  await using folder = temporaryFolder();
  const program = [process.execPath, "-e", "setInterval(() => {}, 1000); //"];
  const wanted = { workspace: folder.path, task: "x", program, openWithinMs: 50 };
  const variables = { ...process.env, TOOLCRIB_HOME: folder.path };
  await expect(startRun({ ...wanted, variables })).rejects.toMatchObject({ code: "timeout" });
  expect(readdirSync(socketFolder(folder.path))).toEqual([]);
});

it("asks a process again that was too busy to answer", async () => {
  await using folder = temporaryFolder();
  const program = join(folder.path, "busy.cjs");
  writeFileSync(
    program,
    `let asked = 0;
    const path = process.env.TOOLCRIB_HOME + "/live/busy.sock";
    // A socket that has its name before something listens on it would be removed.
    const named = () => require("node:fs").renameSync(path + ".new", path);
    require("node:net").createServer((peer) => {
      peer.on("error", () => {});
      const hello = { type: "hello", session: "session_busy", pid: process.pid };
      asked += 1;
      if (asked > 1) peer.write(JSON.stringify(hello) + "\\n", () => process.exit());
    }).listen(path + ".new", named);`,
  );
  const variables = { ...process.env, TOOLCRIB_HOME: folder.path };
  const words = { task: "x", program: [process.execPath, program], helloMs: 100 };
  const wanted = { workspace: folder.path, variables, ...words };
  expect(await startRun(wanted)).toMatchObject({ session: "session_busy" });
});
