import { expect, it } from "vitest";
import { outOfTime } from "../../tools/shell/describe-run.ts";
import type { CommandRun } from "../../tools/shell/run-command.ts";
import { failureInSeconds } from "./outputs.ts";

it("suggests a longer timeout only below the longest", () => {
  const shown = { text: "", stdout: "", stderr: "" };
  const run = { wasQuiet: false, shown, remarks: [], sandbox: "bwrap" } as unknown as CommandRun;
  const outputs = [60_000, 600_000].map((timeoutMs) => {
    const { code, message, hint, details } = outOfTime(run, { timeoutMs });
    return failureInSeconds({ code, message, hint: hint ?? null, details });
  });
  expect(outputs).toEqual([
    "The command did not finish within 60 s and was stopped\nGive a larger `timeout_secs` (at most 600).",
    "The command did not finish within 600 s and was stopped\n" +
      "600 s is the longest time limit: split it into shorter commands, or run it with `background`.",
  ]);
});
