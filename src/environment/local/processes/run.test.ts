import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { ProcessExit, RunningProcess } from "../../../contract/environment.ts";
import { thisProcess } from "../../../system/process-identity.ts";
import { ProcessTree } from "../../../system/process-tree.ts";
import { openLocalWorld } from "../../conformance/local-world.ts";
import { newMark, RunRecords } from "./run-records.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

interface Started {
  readonly program: RunningProcess;
  readonly living: () => readonly string[];
  readonly records: () => readonly string[];
  /** Its whole output, and how it ended. */
  readonly end: Promise<{ readonly output: string; readonly exit: ProcessExit }>;
}

/** Starts a script, and waits until it reports that it is running. */
async function atWork(
  script: string,
  act: (started: Started) => Promise<void>,
  options: { readonly graceMs?: number } = {},
): Promise<void> {
  const startRecords = join(folder.path, newMark());
  await using world = openLocalWorld({}, { startRecords, ...options });
  const program = await world.environment.start("/bin/bash", {
    args: ["--noprofile", "--norc", "-c", script],
    signal: new AbortController().signal,
  });
  const records = () => readdirSync(startRecords);
  const marks = records();
  const living = () => new ProcessTree(marks).members().map(({ name }) => name);
  let output = "";
  const begun = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const piece of program.stdout) {
      output += Buffer.from(piece).toString();
      if (output.includes("at work\n")) begun.resolve();
    }
    begun.resolve();
  })();
  await begun.promise;
  const end = reading.then(async () => ({ output, exit: await program.exit }));
  await act({ program, living, records, end });
}

const forgetting = "while :; do sleep 0.02; done";
const deaf = `trap "" TERM HUP INT; ${forgetting}`;

// Systems without /proc can find only the process group.
describe.runIf(process.platform === "linux")("all descendants of a program", () => {
  const scripts = [
    ["in its group", "sleep 600 & sleep 600 & echo at work; wait"],
    ["that has left its group", "setsid sleep 600 & sleep 0.1; echo at work; wait"],
    [
      "whose parent has exited",
      "(setsid sleep 600 & (setsid sleep 600 &)); sleep 0.1; echo at work; wait; sleep 600",
    ],
    ["that ignores signals", `setsid bash -c '${deaf}' & ${deaf.replace(";", "; echo at work;")}`],
    ["that is stopped", "sleep 600 & kill -STOP $!; echo at work; wait"],
    ["with another environment", "env -i setsid env -i sleep 600 & sleep 0.1; echo at work; wait"],
    [
      "that keeps starting more",
      "echo at work; while :; do (setsid sleep 0.05 &); (sleep 0.02; :) & done 2>/dev/null",
    ],
  ] as const;

  it.each(scripts)("are killed at once: a child %s", async (_, script) => {
    await atWork(script, async ({ program, living, records, end }) => {
      expect(living().length).toBeGreaterThan(0);
      program.stop();
      const { exit } = await end;
      expect([exit, living(), records()]).toEqual([
        { code: undefined, signal: "SIGKILL", remarks: [] },
        [],
        [],
      ]);
    });
  });

  it.each(scripts)("are terminated after a grace period: a child %s", async (_, script) => {
    await atWork(
      script,
      async ({ program, living, records, end }) => {
        program.terminate();
        program.terminate();
        await end;
        expect([living(), records()]).toEqual([[], []]);
      },
      { graceMs: 100 },
    );
  });

  it("may clean up first", async () => {
    const child = `setsid bash -c 'trap "sleep 0.2; echo child cleaned; > cleaned; exit 9" TERM; > ready; ${forgetting}'`;
    const until = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`;
    // On a busy machine, the child may take longer: its output is not awaited for long after the end of its parent.
    const parent = `trap "${until("cleaned")}; echo parent cleaned; exit 9" TERM`;
    const script = `${child} & ${parent}; ${until("ready")}; echo at work; ${forgetting}`;
    await atWork(script, async ({ program, end }) => {
      program.terminate();
      const { output, exit } = await end;
      expect([output.split("\n").sort(), exit]).toEqual([
        ["", "at work", "child cleaned", "parent cleaned"],
        { code: 9, signal: undefined, remarks: [] },
      ]);
    });
  });

  it("are ended when the program itself has exited", async () => {
    const script =
      "setsid sleep 600 & (setsid nohup sleep 601 >/dev/null 2>&1 &); sleep 0.1; echo at work; exit 4";
    await atWork(script, async ({ living, records, end }) => {
      const { exit } = await end;
      expect([exit, living(), records()]).toEqual([
        {
          code: 4,
          signal: undefined,
          remarks: [
            expect.stringMatching(
              /^Processes that the command left running were ended: \w+ \(\d+\), \w+ \(\d+\)\. For long-running commands use process\.start\.$/,
            ),
          ],
        },
        [],
        [],
      ]);
    });
  });

  it("are found and ended by the next process when their own was killed", async () => {
    const started = join(folder.path, newMark());
    const records = new RunRecords(started);
    const [, start, ...machine] = thisProcess().split("-");
    const ofDead = `${2 ** 22 + 1}-${start}-${machine.join("-")}.run_dead`;
    const ofLiving = newMark();
    const children = [ofDead, ofLiving].map((mark) => {
      records.add(mark);
      const env = { ...process.env, TOOLCRIB_RUN: `outer,${mark}` };
      return spawn("/bin/bash", ["-c", "sleep 600 & setsid sleep 600 & wait"], { env, detached: true });
    });
    await Promise.all(children.map((child) => once(child, "spawn")));
    const living = (mark: string) => new ProcessTree([mark]).members().length;
    const result = [await records.endAbandoned(), living(ofDead), readdirSync(started), living(ofLiving) > 0];
    expect([...result, await records.endAbandoned()]).toEqual([true, 0, [ofLiving], true, false]);
    const rest = new ProcessTree([ofLiving]);
    rest.send("SIGKILL", rest.members());
  });
});
