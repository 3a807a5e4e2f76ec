import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { FleetStore, Run } from "../../fleet/fleet.ts";
import { conversationOf, readRunFile } from "../../fleet/read-artifact.ts";
import { type Comparison, comparisonsOf } from "../../fleet/results/compare-runs.ts";
import { toPredictions } from "../../fleet/results/export-swe-bench.ts";
import {
  describeComparison,
  formatDollars,
  formatDuration,
  formatRate,
} from "../../fleet/results/format-results.ts";
import { reportHtml } from "../../fleet/results/report-html.ts";
import { summariseByModel, summariseRuns } from "../../fleet/results/summarise-runs.ts";
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
    const comparisons = await compare(store, fleet.name, runs, options.get("compare"));
    const file = options.get("html");
    if (file !== undefined) writeReport(file, reportHtml(fleet, runs, comparisons));
    if (options.has("json"))
      printJson({ fleet, summary: summariseRuns(runs), models: summariseByModel(runs), comparisons, runs });
    else if (file !== undefined) remark(`Wrote ${forReader(2, file)}.\n`);
    else showResults(runs, comparisons);
    return 0;
  });
}

async function compare(
  store: FleetStore,
  name: string,
  runs: readonly Run[],
  other: string | undefined,
): Promise<readonly Comparison[]> {
  if (other === undefined) return [];
  const second = await store.fleet(other);
  const side = second && { name: other, runs: await store.runs({ fleet: other }) };
  return comparisonsOf({ name, runs }, side, other);
}

function showResults(runs: readonly Run[], comparisons: readonly Comparison[]): void {
  if (comparisons.length === 0) {
    const rows = runs.map(({ id, spec, state, outcome, reason, result }) => [
      ...[outcome ?? state, spec.task, id, formatDollars(result?.cost ?? null)],
      ...[formatDuration(result?.workMs ?? null), shorten(reason ?? "", 70)],
    ]);
    print(layTable(rows.map((row) => row.map(printableLine))));
  }
  const models = summariseByModel(runs);
  const rows = models.map(({ model, solved, outcomes, medianCost, medianMinutes, cost }) => [
    ...[printableLine(model ?? ""), `${outcomes.solved} solved of ${solved.total}`, formatRate(solved)],
    ...[
      formatDollars(cost),
      `median ${formatDollars(medianCost)}`,
      formatDuration(medianMinutes === null ? null : medianMinutes * 60_000),
    ],
  ]);
  print(`\n${layTable(rows)}`);
  for (const comparison of comparisons)
    print(
      `\n${describeComparison(comparison)
        .map((line) => `${printableLine(line)}\n`)
        .join("")}`,
    );
}

/** A report is written again and again, so it replaces the last one. */
function writeReport(file: string, html: string): void {
  try {
    writeFileSync(file, html, { mode: 0o600 });
  } catch (cause) {
    throw new ToolError("unavailable", `${file} cannot be written: ${(cause as Error).message}`, {
      hint: "Choose another file.",
      cause,
    });
  }
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
    const runs = await store.runs({ fleet: fleet.name });
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
