import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { Run } from "../../local/processes/run.ts";
import { RunTree } from "../../local/processes/run-tree.ts";
import { LimitWatch } from "./limit-watch.ts";
import { limitsFor } from "./limits-for.ts";

/** Held by nobody but us: not by the kernel. */
async function runWatched(command: string, limits: Parameters<typeof limitsFor>[0]["limits"] = {}) {
  const watch = new LimitWatch(limitsFor({ limits }, "/"));
  const child = spawn("bash", ["-c", command], { detached: true, stdio: "ignore" });
  const run = new Run(new RunTree([], child.pid!), { endsTogether: false });
  watch.begin(run);
  const [code, signal] = await once(child, "exit");
  await run.settle();
  return { signal, remarks: watch.finish({ code: code ?? undefined, signal: signal ?? undefined }) };
}

const tooMany = "It was ended at a limit: … 100 …. The rule `limit processes 200` allows more.";

/** The kernel may be quicker than we are, and says it in other words. */
function withoutWho(remarks: readonly string[]): readonly string[] {
  return remarks.map((remark) =>
    remark.replace(/: it (?:had|could not have) [^.]*\b100\b[^.]*/, ": … 100 …"),
  );
}

const hasPerl = spawnSync("perl", ["-v"]).status === 0;

it("ends who starts ever more processes", async () => {
  const { signal, remarks } = await runWatched("for i in {1..300}; do sleep 60 & done; wait", {
    processes: 100,
  });
  expect([signal, withoutWho(remarks)]).toEqual(["SIGKILL", [tooMany]]);
});

it.skipIf(!hasPerl)("counts who has ended and is not awaited: it has a number still", async () => {
  const { signal, remarks } = await runWatched("perl -e 'for (1 .. 300) { fork or exit } sleep 60'", {
    processes: 100,
  });
  expect([signal, withoutWho(remarks)]).toEqual(["SIGKILL", [tooMany]]);
});

it("lets run on who is within its limits", async () => {
  expect(await runWatched("for i in {1..60}; do sleep 0.5 & done; wait", { processes: 100 })).toEqual({
    signal: null,
    remarks: [],
  });
});
