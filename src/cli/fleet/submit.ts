import { readModelSettings } from "../../agent/read-model-settings.ts";
import { modelFacts, pricesOf } from "../../agent/session-model.ts";
import { ToolError } from "../../contract/error.ts";
import type { FleetCounts, FleetStore } from "../../fleet/fleet.ts";
import { mostCost } from "../../fleet/most-cost.ts";
import { formatDollars } from "../../fleet/results/format-results.ts";
import { sumOf } from "../../fleet/results/statistics.ts";
import { runId } from "../../fleet/run-id.ts";
import { expandRuns, type FleetPlan } from "../../fleet/spec/expand-runs.ts";
import { readSpec } from "../../fleet/spec/read-spec.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { chooseModel } from "../../models/default-model.ts";
import { ModelError } from "../../models/model-error.ts";
import { mostOfRequest } from "../../models/model-facts.ts";
import { findModel, parseModelId } from "../../models/open-model.ts";
import { providerAccess } from "../../models/provider-access.ts";
import type { ModelSettings } from "../../models/settings.ts";
import { refuseProgramsOfTools } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { fleetCommand } from "../commands/fleet.ts";
import { interruptible } from "../interruption.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print, remark, shorten } from "../terminal.ts";
import { followFleet } from "./follow-fleet.ts";
import { openQueue } from "./open-queue.ts";
import { databaseOf, withStore } from "./open-store.ts";
import { describeOutcomes } from "./progress-line.ts";
import { slotsOf } from "./run-files.ts";

/** Runs `toolcrib fleet submit`. */
export async function submit(given: Arguments): Promise<number> {
  const { options, operands } = given;
  const [spec, ...rest] = operands;
  refuseOperands(rest, fleetCommand);
  if (options.has("schema")) {
    const { fleetJsonSchema } = await import("../../fleet/spec/spec-schema.ts");
    print(`${JSON.stringify(fleetJsonSchema(), null, 2)}\n`);
    return 0;
  }
  const modelSettings = await readModelSettings();
  const plan = await readPlan(spec, modelSettings);
  const unpriced = modelsWithoutPrice(plan, modelSettings);
  const unlimited = modelsWithoutLimit(plan, unpriced);
  const problems = problemsOfModels(plan, modelSettings);
  const isLocal = databaseOf(options) === undefined;
  const most = mostCost(plan.runs, {
    budget: plan.settings.budget,
    atOnce: isLocal ? slotsOf(given) : plan.runs.length,
    mostOf: (model) =>
      unpriced.includes(model) || isOfOllama(model, modelSettings)
        ? 0
        : mostOfRequest(modelFacts(model, modelSettings)),
  });
  const refusals = await refusalsOf(given, plan, isLocal);
  if (options.has("preview"))
    return preview(plan, { most, unpriced, unlimited, problems, refusals }, options.has("json"));
  refuseProgramsOfTools("start fleets");
  if (unlimited.length > 0 && !options.has("allow-unpriced")) throw unpricedError(unlimited);
  const [refusal] = refusals.keys();
  if (isLocal && refusal !== undefined) throw refusal;
  const [lacking] = problems.flatMap(({ error }) => error ?? []);
  if (isLocal && lacking !== undefined) throw lacking;
  return withStore(options, async (store) => {
    const { added, known, superseded } = await store.submit(plan.name, plan.settings, plan.runs);
    if (!options.has("json")) {
      const replaced = superseded.length === 0 ? "" : `, ${superseded.length} superseded`;
      remark(`${plan.name}: ${counted(added.length, "new run")}, ${known} known${replaced}\n`);
    }
    remark(unlimitedNote(unlimited));
    return isLocal ? workHere(given, store, plan) : queueRuns(given, store, plan);
  });
}

async function readPlan(spec: string | undefined, modelSettings: ModelSettings): Promise<FleetPlan> {
  if (spec === undefined)
    throw new ToolError("invalid-input", "A spec is missing", {
      hint: "For example: toolcrib fleet submit fleet.yaml",
    });
  const source = readSpec(spec);
  const { model, models } = source.fields;
  const isNeeded = model === undefined && models === undefined;
  const choice = isNeeded ? await chooseModel(modelSettings) : undefined;
  return expandRuns(source, { modelSettings, defaultModel: choice?.id });
}

interface ModelProblem {
  readonly model: string;
  readonly message: string;
  /** Why the model cannot be used from here; undefined when it may work. */
  readonly error: ToolError | undefined;
}

/** Finds models that this machine cannot use, or whose name is not known. Keys of workers may differ. */
function problemsOfModels({ runs }: FleetPlan, settings: ModelSettings): readonly ModelProblem[] {
  return [...new Set(runs.map(({ model }) => model))].flatMap((model): readonly ModelProblem[] => {
    try {
      findModel(model, settings);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const { message, hint = "" } = error;
      const refusal = new ToolError("invalid-input", message, { hint, cause: error });
      return [{ model, error: refusal, message: `${message} ${hint}` }];
    }
    if (isListed(model, settings)) return [];
    const message = `The model is not known. Check its name: toolcrib models ${parseModelId(model).provider}`;
    return [{ model, error: undefined, message }];
  });
}

/** Whether a model is known, or its server is not one of the known providers. */
function isListed(model: string, settings: ModelSettings): boolean {
  const { provider } = parseModelId(model);
  const access = providerAccess(provider, settings, process.env);
  const isTheirs = access.addressFrom === undefined && access.type !== "ollama";
  return !isTheirs || Object.keys(modelFacts(model, settings)).length > 0;
}

/** No budget and no limit in dollars holds for these models. */
function modelsWithoutPrice({ runs }: FleetPlan, settings: ModelSettings): readonly string[] {
  const models = [...new Set(runs.map(({ model }) => model))];
  return models.filter((id) => !isOfOllama(id, settings) && pricesOf(id, settings) === undefined);
}

/** Only the server knows whether a model of Ollama is free. */
function isOfOllama(id: string, settings: ModelSettings): boolean {
  return providerAccess(parseModelId(id).provider, settings, process.env).type === "ollama";
}

/** Of the models without a price, those with a budget or a limit, which cannot hold. */
function modelsWithoutLimit({ settings, runs }: FleetPlan, unpriced: readonly string[]): readonly string[] {
  const isLimited = (id: string) =>
    settings.budget !== null || runs.some(({ model, limits }) => model === id && limits.dollars !== null);
  return unpriced.filter(isLimited);
}

function unpricedError(models: readonly string[]): ToolError {
  const names = models.map(printableLine).join(", ");
  return new ToolError("invalid-input", `The price of ${names} is not known, so no budget or limit holds`, {
    hint: "Set prices in models.json, or allow it with --allow-unpriced.",
  });
}

function unlimitedNote(models: readonly string[]): string {
  if (models.length === 0) return "";
  return `Not counted: ${models.map(printableLine).join(", ")}. No budget holds without a price: set prices in models.json, or submit with --allow-unpriced.\n`;
}

interface PreviewFacts {
  /** US dollars; null when nothing limits the costs. */
  readonly most: number | null;
  readonly unpriced: readonly string[];
  readonly unlimited: readonly string[];
  readonly problems: readonly ModelProblem[];
  readonly refusals: Refusals;
}

/** How many runs a worker with the options of this command line would refuse, by the reason. */
type Refusals = ReadonlyMap<ToolError, number>;

/** Decides the targets, repositories and commands of all runs before anything is paid. */
async function refusalsOf(given: Arguments, { runs }: FleetPlan, isLocal: boolean): Promise<Refusals> {
  const { workerLimits } = await import("./work.ts");
  const { RunPermissions } = await import("../../fleet/work/may-run.ts");
  const permissions = new RunPermissions(workerLimits(given, { isLocal }));
  const byMessage = new Map<string, { readonly error: ToolError; count: number }>();
  try {
    for (const run of runs) {
      const error = await permissions.refusalOf(run);
      if (error === undefined) continue;
      const known = byMessage.get(error.message) ?? { error, count: 0 };
      known.count += 1;
      byMessage.set(error.message, known);
    }
  } finally {
    await permissions[Symbol.asyncDispose]();
  }
  return new Map([...byMessage.values()].map(({ error, count }) => [error, count]));
}

/** Shows what would run, and the most that it can cost. */
function preview(
  plan: FleetPlan,
  { most, unpriced, unlimited, problems, refusals }: PreviewFacts,
  asJson: boolean,
): number {
  const { name, settings, runs } = plan;
  if (asJson) {
    printJson({
      name,
      settings,
      mostDollars: most,
      modelsWithoutPrice: unpriced,
      problems: problems.map(({ model, message }) => ({ model, message })),
      refusals: [...refusals].map(([{ message, hint }, count]) => ({ message, hint, runs: count })),
      runs: runs.map((spec) => ({ id: runId(spec), ...spec })),
    });
    return 0;
  }
  const rows = runs
    .slice(0, shownRuns)
    .map(({ task, model, repository, target, check, limits, prompt }) => [
      ...[task, model, repository ?? "empty folder", target],
      check === null ? "no check" : shorten(check.command.replace(/\s+/g, " "), 30),
      limits.dollars === null ? "no limit" : formatDollars(limits.dollars),
      shorten(prompt.replace(/\s+/g, " ").trim(), 40),
    ]);
  const head = ["TASK", "MODEL", "REPOSITORY", "TARGET", "CHECK", "AT MOST", "PROMPT"];
  print(layTable([head, ...rows.map((row) => row.map(printableLine))]));
  if (runs.length > shownRuns) print(`… and ${counted(runs.length - shownRuns, "more run")}\n`);
  print(`\n${counted(runs.length, "run")}. ${costSentence(plan, most)}\n`);
  print(unlimitedNote(unlimited));
  for (const [{ message, hint = "" }, count] of refusals)
    print(`${counted(count, "run")} would be refused: ${message.replace(/\.$/, "")}. ${hint}\n`);
  for (const { model, message } of problems) print(`${printableLine(`${model}: ${message}`)}\n`);
  const loose = runs.filter(({ mode }) => mode === "yolo").length;
  if (loose > 0)
    print(
      `${counted(loose, "run")} with mode yolo: workers use it only when they are started with --mode yolo.\n`,
    );
  return 0;
}

const shownRuns = 50;

function costSentence({ runs, settings: { budget } }: FleetPlan, most: number | null): string {
  const dollars = runs.flatMap(({ limits }) => limits.dollars ?? []);
  const limits = [
    ...(dollars.length === runs.length ? [`limits of ${formatDollars(sumOf(dollars))}`] : []),
    ...(budget === null ? [] : [`a budget of ${formatDollars(budget)}`]),
  ];
  if (limits.length === 0) return "There is no limit on what they cost: set budget, or limits.dollars.";
  const set = `They have ${limits.join(" and ")}`;
  if (most === null)
    return `${set}. How far the last requests may pass them is not known: set contextTokens and maxOutputTokens in models.json.`;
  const retried =
    budget === null
      ? "Each run that `toolcrib fleet retry` repeats may cost as much again."
      : "`toolcrib fleet retry` uses the same budget, and each run that it repeats may pass it by a request again.";
  return `${set}, and cost at most ${formatDollars(most)}: the last request of a run may pass a limit. ${retried}`;
}

/** Works on the runs in this process, until all have ended. */
async function workHere(given: Arguments, store: FleetStore, { name }: FleetPlan): Promise<number> {
  const { startFleetWorker } = await import("./work.ts");
  return interruptible(async (signal) => {
    const queue = await openQueue(given.options, store, name);
    const worker = await startFleetWorker(given, store, queue, { isLocal: true });
    try {
      const counts = await followFleet(store, name, { signal, isQuiet: given.options.has("json") });
      if (signal.aborted) remark("Stopping. The same command resumes.\n");
      return report(given, name, counts, signal);
    } finally {
      await worker.stop();
      await queue.close();
    }
  });
}

/** Adds the runs to the queue. Runs that were added before but not queued, because of a crash, are queued again. */
async function queueRuns(given: Arguments, store: FleetStore, { name }: FleetPlan): Promise<number> {
  const { options } = given;
  const open = await store.runs({ fleet: name, states: ["waiting", "parked", "running"] });
  const queue = await openQueue(options, store, name);
  await queue.add(open.map(({ id }) => id)).finally(() => queue.close());
  if (options.has("wait"))
    return interruptible(async (signal) =>
      report(given, name, await followFleet(store, name, { signal, isQuiet: options.has("json") }), signal),
    );
  if (options.has("json")) printJson({ fleet: name, queued: open.length });
  else remark(`Queued ${counted(open.length, "run")}. See: toolcrib fleet status ${name}\n`);
  return 0;
}

/** Prints the outcomes, and returns the exit code. */
function report({ options }: Arguments, name: string, counts: FleetCounts, { aborted }: AbortSignal): number {
  const { solved, unsolved } = counts.outcomes;
  if (options.has("json")) printJson({ fleet: name, ...counts });
  else if (!aborted)
    print(`${name}: ${describeOutcomes(counts) || "no runs"}, ${formatDollars(counts.cost)}\n`);
  if (aborted) return 130;
  return counts.states.ended === solved + unsolved ? 0 : 1;
}
