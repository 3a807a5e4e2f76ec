import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere, openSandboxFixture } from "../../../test/support/sandbox-fixture.ts";

const megabyte = 1024 ** 2;

/** Without the amount that was used: it varies, and the kernel may act first. */
function withoutAmounts(remarks: readonly string[]): readonly string[] {
  return remarks.map((remark) =>
    remark
      .replace(/(process and thread limit): (\d+)\./, "$1: … used, $2 allowed.")
      .replace(/: [\d.]+( s| MB)? used,/, ": … used,"),
  );
}

/** When the kernel enforces the limit, bash may give up before it is ended. */
function tooManyProcesses(limit: number): unknown {
  return expect.stringMatching(
    `^The command (was ended at|reached) its process and thread limit: … used, ${limit} allowed. The rule \`limit processes ${2 * limit}\` allows more.$`,
  );
}

const tooMuchMemory =
  "The command was ended at its memory limit: … used, 50 MB allowed. The rule `limit memory 100MB` allows more.";

const tooLargeFile = "The command reached its file size limit: 1 MB. The rule `limit file 2MB` allows more.";

function uniqueSeconds(): string {
  return `60.${process.pid}0${Math.random().toString().slice(2)}`;
}

function isRunning(word: string): boolean {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word);
      } catch {
        return false;
      }
    });
}

let first: string | undefined;
for (const level of ["bwrap", "landlock", "none"] as const) {
  const missing = process.platform === "linux" ? await missingHere(level) : "what runs cannot be looked at";
  if (missing === undefined) first ??= level;
  const options = level === first ? {} : { tags: "slow" };

  describe.skipIf(missing !== undefined)(`a command at its limits, in the sandbox ${level}`, options, () => {
    it("is ended when it starts ever more processes", { tags: "slow" }, async () => {
      await using fixture = openSandboxFixture(level);
      // Stops at 4096 processes, so that other tests on a busy machine can still start some.
      const name = uniqueSeconds();
      const bomb = `bomb() { if (($1 < 12)); then bomb $(($1 + 1)) | bomb $(($1 + 1)) & else exec sleep ${name}; fi; }`;
      const { remarks } = await fixture.run(`${bomb}; bomb 0; sleep ${name}`, { limits: { processes: 150 } });
      expect([withoutAmounts(remarks)[0], isRunning(name)]).toEqual([tooManyProcesses(150), false]);
    });

    it("is ended together with all its descendants", { tags: "slow" }, async () => {
      await using fixture = openSandboxFixture(level);
      const name = uniqueSeconds();
      const { remarks } = await fixture.run(`for i in {1..400}; do setsid sleep ${name} & done; sleep 60`, {
        limits: { processes: 100 },
      });
      expect([withoutAmounts(remarks)[0], isRunning(name)]).toEqual([tooManyProcesses(100), false]);
    });

    it("is ended when it reaches the memory limit", { tags: "slow" }, async () => {
      await using fixture = openSandboxFixture(level);
      // Bash would exec its last command, and free the memory before a busy machine measures it.
      const ran = await fixture.run("x=$(head -c 80000000 /dev/zero | tr '\\0' a); sleep 60; :", {
        limits: { memoryBytes: 50 * megabyte },
      });
      expect([ran.code, withoutAmounts(ran.remarks)]).toEqual([undefined, [tooMuchMemory]]);
    });

    it("is charged once for memory that its processes share", { tags: "slow" }, async () => {
      await using fixture = openSandboxFixture(level);
      const fill = "x=$(head -c 30000000 /dev/zero | tr '\\0' a)";
      const share = "for i in {1..12}; do (sleep 1; :) & done; wait; echo done";
      const { stdout, remarks } = await fixture.run(`${fill}; ${share}`, {
        limits: { memoryBytes: 250 * megabyte },
      });
      expect([stdout, remarks]).toEqual(["done\n", []]);
    });

    it("is ended when its processes together reach the CPU limit", { tags: "slow" }, async () => {
      await using fixture = openSandboxFixture(level);
      const loop = "(while :; do :; done) &";
      const { remarks } = await fixture.run(`${loop} ${loop} sleep 60`, { limits: { cpuSeconds: 1 } });
      expect(withoutAmounts(remarks)).toEqual([
        "The command was ended at its CPU time limit: … used, 1 s allowed. The rule `limit cpu 2s` allows more.",
      ]);
    });

    it("cannot write a file above the size limit", async () => {
      await using fixture = openSandboxFixture(level);
      const { remarks } = await fixture.run("exec head -c 3000000 /dev/zero > big", {
        limits: { fileBytes: megabyte },
      });
      expect([remarks, statSync(join(fixture.workspace, "big")).size]).toEqual([[tooLargeFile], megabyte]);
    });

    it("reports the limit when only one of its processes reached it", async () => {
      await using fixture = openSandboxFixture(level);
      const { stdout, remarks } = await fixture.run("head -c 3000000 /dev/zero > big; echo done", {
        limits: { fileBytes: megabyte },
      });
      expect([stdout, remarks]).toEqual(["done\n", [tooLargeFile]]);
    });

    it("is ended when it prints too much", async () => {
      await using fixture = openSandboxFixture(level);
      const ran = await fixture.run("yes; yes >&2", { limits: { outputBytes: megabyte } });
      expect([ran.code, ran.stdout.length < 64 * megabyte, withoutAmounts(ran.remarks)]).toEqual([
        undefined,
        true,
        [
          "The command was ended at its output limit: … used, 1 MB allowed. The rule `limit output 2MB` allows more.",
        ],
      ]);
    });

    it("is also limited by the kernel, and dumps no core", async () => {
      await using fixture = openSandboxFixture(level);
      const { stdout } = await fixture.run("ulimit -c; ulimit -St; ulimit -Ht; ulimit -f", {
        limits: { cpuSeconds: 77, fileBytes: 3 * megabyte },
        limitsAtMost: { cpuSeconds: 80, fileBytes: 2 * megabyte },
      });
      expect(stdout).toBe("0\n77\n82\n2048\n");
    });

    it("reaches no limit with usual work", { tags: "slow" }, async () => {
      await using fixture = openSandboxFixture(level);
      const { stdout, remarks } = await fixture.run(
        "for i in {1..50}; do sleep 0.3 & done; wait; head -c 5000000 /dev/zero > big; seq 100000 | tail -1",
      );
      expect([stdout, remarks]).toEqual(["100000\n", []]);
    });
  });
}

it("limits commands outside the sandbox, too", async () => {
  await using fixture = openSandboxFixture("none");
  const { remarks } = await fixture.run("exec head -c 3000000 /dev/zero > big", {
    unconfined: true,
    limits: { fileBytes: megabyte },
  });
  expect(remarks).toEqual([tooLargeFile]);
});

it.skipIf((await missingHere("bwrap")) !== undefined)(
  "has as much room for files in memory as for memory",
  async () => {
    await using fixture = openSandboxFixture("bwrap");
    const ran = await fixture.run(
      "head -c 80000000 /dev/zero > /dev/shm/x; stat -c %s /dev/shm/x; stat -c %a /dev/shm",
      {
        limits: { memoryBytes: 50 * megabyte },
      },
    );
    expect([ran.code, ran.stdout]).toEqual([0, `${50 * megabyte}\n1777\n`]);
  },
);

it("never stops a process to look at it", { tags: "slow" }, async () => {
  await using fixture = openSandboxFixture("none");
  // Each child would see that its parent is stopped.
  const look = `grep -h '^State:.T' /proc/$$/status`;
  const { stdout, remarks } = await fixture.run(
    `for i in {1..120}; do sleep 1 & done; for i in {1..40}; do (${look}); sleep 0.05; done; wait; echo done`,
    { limits: { processes: 1000 } },
  );
  expect([stdout, remarks]).toEqual(["done\n", []]);
});
