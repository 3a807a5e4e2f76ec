import { ToolError } from "../../contract/error.ts";
import type { FleetStore, RunFilter, RunOutcome } from "../../fleet/fleet.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { refuseProgramsOfTools } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { printJson } from "../report.ts";
import { print, remark } from "../terminal.ts";
import { openQueue } from "./open-queue.ts";
import { databaseOf, findFleet, isNamed, tasksNamed, withStore } from "./open-store.ts";

/** Runs `toolcrib fleet retry`. */
export async function retry(given: Arguments): Promise<number> {
  const { options } = given;
  const outcome = (options.get("outcome") ?? "infrastructure") as RunOutcome;
  return change(given, "retry", { outcomes: [outcome], isSuperseded: false }, async (store, filter) => {
    const runs = await store.retry(filter);
    const queue = await openQueue(options, store, filter.fleet);
    try {
      await queue.add(runs);
    } finally {
      await queue.close();
    }
    return runs;
  });
}

/** Runs `toolcrib fleet cancel`. Runs that are being worked on end at their worker's next heartbeat. */
export async function cancel(given: Arguments): Promise<number> {
  return change(given, "cancel", {}, (store, filter) => store.cancel(filter));
}

async function change(
  { options, operands: [name, ...names] }: Arguments,
  verb: "retry" | "cancel",
  selection: Pick<RunFilter, "outcomes" | "isSuperseded">,
  act: (store: FleetStore, filter: RunFilter) => Promise<readonly string[]>,
): Promise<number> {
  refuseProgramsOfTools(`${verb} runs`);
  return withStore(options, async (store) => {
    const fleet = await findFleet(store, name);
    const tasks = names.length > 0 ? await selectTasks(store, fleet.name, names) : undefined;
    const runs = await act(store, { fleet: fleet.name, ...selection, ...(tasks !== undefined && { tasks }) });
    if (options.has("json")) printJson({ fleet: fleet.name, runs });
    else if (verb === "cancel") print(`Cancelled ${counted(runs.length, "run")} of ${fleet.name}.\n`);
    else
      print(
        `${counted(runs.length, "run")} of ${fleet.name} will run again${runs.length === 0 || databaseOf(options) !== undefined ? "" : ": submit the spec again"}.\n`,
      );
    if (verb === "retry" && runs.length === 0 && !options.has("json"))
      remark(`No run ended as ${selection.outcomes?.[0]}. Select others with --outcome.\n`);
    return 0;
  });
}

async function selectTasks(store: FleetStore, fleet: string, names: readonly string[]) {
  const tasks = await tasksNamed(store, fleet, names);
  const unknown = names.find((name) => !tasks.some((task) => isNamed(task, name)));
  if (unknown === undefined) return tasks;
  throw new ToolError("not-found", `No task of ${fleet} is named ${printableLine(unknown)}`, {
    hint: `Use a name from: toolcrib fleet results ${fleet}`,
  });
}
