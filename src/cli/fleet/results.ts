import { extname } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { Run } from "../../fleet/fleet.ts";
import { conversationOf, readRunFile } from "../../fleet/read-artifact.ts";
import { toPredictions } from "../../fleet/results/export-swe-bench.ts";
import { formatDollars, formatDuration, formatPass, formatRate } from "../../fleet/results/format-results.ts";
import { type RunSummary, summariseByModel, summariseRuns } from "../../fleet/results/summarise-runs.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { Arguments } from "../command.ts";
import { fleetCommand } from "../commands/fleet.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { forReader, printContent, printJson } from "../report.ts";
import { writePrivately } from "../session/stored-sessions.ts";
import { layTable, print, remark, shorten } from "../terminal.ts";
import { findFleet, findRun, withStore } from "./open-store.ts";
import { workFolderOf } from "./run-files.ts";

/** Runs `toolcrib fleet results`. */
export async function results({ options, operands: [name, ...rest] }: Arguments): Promise<number> {
  refuseOperands(rest, fleetCommand);
  return withStore(options, async (store) => {
    const fleet = await findFleet(store, name);
    const runs = await store.runs({ fleet: fleet.name });
    const countedRuns = runs.filter(({ isSuperseded }) => !isSuperseded);
    const models = summariseByModel(countedRuns);
    if (options.has("json")) printJson({ fleet, summary: summariseRuns(countedRuns), models, runs });
    else showResults(runs, summariseRuns(countedRuns), models);
    return 0;
  });
}

function showResults(runs: readonly Run[], { outcomes }: RunSummary, models: readonly RunSummary[]): void {
  const rows = runs.map(({ id, spec, state, outcome, reason, result, isSuperseded }) => [
    `${outcome ?? state}${isSuperseded ? " (superseded)" : ""}`,
    spec.task,
    id,
    formatDollars(result?.cost ?? null),
    formatDuration(result?.workMs ?? null),
    shorten(reason ?? "", 70),
  ]);
  print(layTable(rows.map((row) => row.map(printableLine))));
  print(`\n${layTable(models.map(modelRow))}`);
  const leftOut = (["infrastructure", "budget", "cancelled"] as const).filter((name) => outcomes[name] > 0);
  if (leftOut.length > 0)
    print(`Not in the rate: ${leftOut.map((name) => `${outcomes[name]} ${name}`).join(", ")}.\n`);
  const superseded = runs.filter(({ isSuperseded }) => isSuperseded).length;
  if (superseded > 0)
    print(`Not counted: ${counted(superseded, "superseded run")}, because the task was edited.\n`);
}

function modelRow({ model, solved, passAt, medianCost, medianMinutes, cost }: RunSummary): string[] {
  const hasRepetitions = passAt.length > 1;
  return [
    printableLine(model ?? ""),
    `${solved.successes} solved of ${solved.total}`,
    formatRate(solved),
    hasRepetitions ? passAt.map(formatPass).join(", ") : "",
    formatDollars(cost),
    `median ${formatDollars(medianCost)}`,
    formatDuration(medianMinutes === null ? null : medianMinutes * 60_000),
  ];
}

/** Runs `toolcrib fleet export --swe-bench FILE`. */
export async function exportPredictions({ options, operands: [name, ...rest] }: Arguments): Promise<number> {
  refuseOperands(rest, fleetCommand);
  const file = options.get("swe-bench");
  if (file === undefined || options.has("branches") || options.has("push-command"))
    throw new ToolError("invalid-input", "Choose one export: --swe-bench FILE or --branches DIR", {
      hint: `For example: toolcrib fleet export ${name ?? "FLEET"} ${file === undefined ? "--swe-bench predictions.jsonl" : "--branches branches"}`,
    });
  return withStore(options, async (store) => {
    const fleet = await findFleet(store, name);
    const runs = await store.runs({ fleet: fleet.name, isSuperseded: false });
    const files = await toPredictions(runs, async (run) => (await readRunFile(run, "patch.diff")).toString());
    const extension = extname(file);
    for (const { suffix, predictions } of files) {
      const path =
        suffix === "" ? file : `${file.slice(0, file.length - extension.length)}.${suffix}${extension}`;
      const text =
        extension === ".json"
          ? `${JSON.stringify(predictions, null, 2)}\n`
          : predictions.map((each) => `${JSON.stringify(each)}\n`).join("");
      writePrivately(path, text);
      remark(`Wrote ${counted(predictions.length, "prediction")} to ${forReader(2, path)}.\n`);
    }
    const left = runs.length - files.reduce((sum, { predictions }) => sum + predictions.length, 0);
    if (left > 0) remark(`Left out ${counted(left, "run")} without a result of the model.\n`);
    return 0;
  });
}

/** Runs `toolcrib fleet logs`. */
export async function logs({ options, operands: [name, ...rest] }: Arguments): Promise<number> {
  refuseOperands(rest, fleetCommand);
  return withStore(options, async (store) => {
    const run = await findRun(store, name);
    const entries = await conversationOf(run, workFolderOf(options));
    if (options.has("json")) {
      printJson({ run, entries });
      return 0;
    }
    const status = `${run.spec.task}: ${run.outcome ?? run.state}, delivery ${run.deliveries}.`;
    remark(`${printableLine([status, run.reason ?? ""].join(" ").trim())}\n`);
    const { toMarkdown } = await import("../../agent/records/export/to-markdown.ts");
    const { toTranscript } = await import("../../agent/records/export/transcript.ts");
    printContent(toMarkdown(toTranscript(run.session ?? run.id, entries)));
    return 0;
  });
}
