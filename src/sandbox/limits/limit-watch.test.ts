import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { Run } from "../../environment/local/processes/run-records.ts";
import { ProcessTree } from "../../system/process-tree.ts";
import { LimitWatch } from "./limit-watch.ts";
import { limitsFor } from "./limits-for.ts";

/** Limited by the watch alone, not by the kernel. */
async function runWatched(command: string, limits: Parameters<typeof limitsFor>[0]["limits"] = {}) {
  const watch = new LimitWatch(limitsFor({ limits }, "/"));
  const child = spawn("bash", ["-c", command], { detached: true, stdio: "ignore" });
  const run = new Run(new ProcessTree([], child.pid!), { endsTogether: false });
  watch.begin(run);
  const [code, signal] = await once(child, "exit");
  await run.settle();
  return { signal, remarks: watch.finish({ code: code ?? undefined, signal: signal ?? undefined }) };
}

const tooMany = "… a limit: … 100 …. The rule `limit processes 200` allows more.";

/** The kernel may act first: then the message differs, and bash may give up before it is ended. */
function withoutWho(remarks: readonly string[]): readonly string[] {
  return remarks.map((remark) =>
    remark.replace(
      /^The command (?:was ended at|reached) its process and thread limit: [^.]*\b100\b[^.]*/,
      "… a limit: … 100 …",
    ),
  );
}

const hasPerl = spawnSync("perl", ["-v"]).status === 0;

it("ends a program that starts ever more processes", async () => {
  const { remarks } = await runWatched("for i in {1..300}; do sleep 60 & done; wait", { processes: 100 });
  expect(withoutWho(remarks)).toEqual([tooMany]);
});

it.skipIf(!hasPerl)("counts zombies, which still have a process id", { tags: "slow" }, async () => {
  // If the kernel refuses another process first, the program keeps running.
  const fork = "perl -e 'for (1 .. 300) { my $child = fork; exit if defined $child && !$child } sleep 60'";
  const { signal, remarks } = await runWatched(fork, { processes: 100 });
  expect([signal, withoutWho(remarks)]).toEqual(["SIGKILL", [tooMany]]);
});

it("leaves a program running within its limits", { tags: "slow" }, async () => {
  expect(await runWatched("for i in {1..60}; do sleep 0.5 & done; wait", { processes: 100 })).toEqual({
    signal: null,
    remarks: [],
  });
});
