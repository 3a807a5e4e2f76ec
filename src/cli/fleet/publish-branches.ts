import { publishRuns } from "../../fleet/publish.ts";
import { readRunFile } from "../../fleet/read-artifact.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { refuseProgramsOfTools } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { fleetCommand } from "../commands/fleet.ts";
import { interruptible } from "../interruption.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print, remark } from "../terminal.ts";
import { findFleet, withStore } from "./open-store.ts";

/** Runs `toolcrib fleet export --branches DIR`: branches of solved runs here, which only the user's own command pushes. */
export async function publishBranches({ options, operands: [name, ...rest] }: Arguments): Promise<number> {
  refuseOperands(rest, fleetCommand);
  refuseProgramsOfTools("publish branches");
  return withStore(options, async (store) => {
    const fleet = await findFleet(store, name);
    const runs = await store.runs({ fleet: fleet.name, outcomes: ["solved"], isSuperseded: false });
    const published = await interruptible((signal) =>
      publishRuns(runs, {
        folder: options.get("branches") ?? "",
        readPatch: (run) => readRunFile(run, "patch.diff"),
        pushCommand: options.get("push-command"),
        signal,
      }),
    );
    const failed = published.filter(({ state }) => state === "failed").length;
    if (options.has("json")) printJson(published);
    else {
      const rows = published.map(({ state, branch, repository, message }) => [
        state,
        branch,
        repository,
        message ?? "",
      ]);
      print(layTable(rows.map((row) => row.map((cell) => printableLine(cell.trim())))));
      remark(`${counted(published.length - failed, "branch", "branches")}, ${failed} failed.\n`);
    }
    return failed === 0 ? 0 : 1;
  });
}
