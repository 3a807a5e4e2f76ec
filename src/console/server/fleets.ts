import { ToolError } from "../../contract/error.ts";
import { type Fleet, type FleetStore, type Run, runOutcomes, runStates } from "../../fleet/fleet.ts";
import { estimateRemaining } from "../../fleet/progress.ts";
import { conversationOf, readArtifact, readableArtifacts } from "../../fleet/read-artifact.ts";
import { redactText } from "../../policy/redaction/redact.ts";
import { redactValue } from "../../toolcrib/workspace-journal.ts";
import type {
  FileDiff,
  FleetAction,
  FleetAnswer,
  FleetOverview,
  FleetSummary,
  RunDetail,
  RunPage,
  RunQuery,
  RunSession,
  RunSummary,
} from "../api.ts";
import { readPatch } from "../read-diff.ts";
import { RecordedConversation } from "./conversation.ts";

/** The fleets that a console shows, and the queue that delivers their runs. */
export interface OpenFleets {
  readonly store: FleetStore;
  /** Where workers of this machine keep the sessions of runs that have not ended. Default: only ended runs have one. */
  readonly workFolder?: string;
  /** Queues runs that were retried. Default: workers look into the store themselves. */
  readonly enqueue?: (runs: readonly string[]) => Promise<void>;
  close(): Promise<void>;
}

/** Reads the fleets of this machine or of a database. Opens them with the first request, and again after a failure. */
export class Fleets {
  readonly #open: () => Promise<OpenFleets | undefined>;
  #opened: Promise<OpenFleets | undefined> | undefined;
  #isClosed = false;

  /** `open` returns undefined while there is no fleet on this machine. */
  constructor(open: () => Promise<OpenFleets | undefined> = async () => undefined) {
    this.#open = open;
  }

  async overview(): Promise<FleetOverview> {
    const store = (await this.#find())?.store;
    if (store === undefined) return { fleets: [], workers: [], lanes: [], now: Date.now() };
    const [fleets, workers, lanes] = await Promise.all([store.fleets(), store.workers(), store.lanes()]);
    const newest = [...fleets].sort((one, other) => other.createdAt - one.createdAt).slice(0, shownFleets);
    return {
      fleets: await Promise.all(newest.map((fleet) => summarize(store, fleet))),
      workers: workers.map(({ id, host, pid, slots, seenAt, isDraining }) => ({
        ...{ id, host, pid, slots, seenAt, isDraining },
      })),
      lanes: lanes.map(({ lane, inFlight, pausedUntil }) => ({ lane, inFlight, pausedUntil })),
      now: Date.now(),
    };
  }

  async runs(fleet: string, { show, text, offset, limit }: RunQuery): Promise<RunPage> {
    const { store } = await this.#need();
    const range = { offset: readCount(offset, 0), limit: Math.min(500, readCount(limit, 200)) };
    const states = runStates.filter((state) => state === show);
    const outcomes = runOutcomes.filter((outcome) => outcome === show);
    if (show && states.length + outcomes.length === 0)
      throw new ToolError("invalid-input", "`show` must be a state or an outcome.");
    const { runs, total } = await store.runPage(
      {
        fleet,
        text: text || undefined,
        states: states.length > 0 ? states : undefined,
        outcomes: outcomes.length > 0 ? outcomes : undefined,
      },
      range,
    );
    return { runs: runs.map(toSummary), offset: range.offset, total };
  }

  async run(fleet: string, id: string): Promise<RunDetail> {
    const run = await this.#run(fleet, id);
    const { spec, result } = run;
    return {
      ...toSummary(run),
      ...redactValue({
        prompt: spec.prompt,
        repository: spec.repository,
        answer: result?.text ?? null,
        check: result?.check ?? null,
      }),
      ...(await patchOf(run)),
      revision: spec.revision,
      worker: run.worker,
      notBefore: run.notBefore,
      rounds: result?.rounds ?? null,
      calls: result?.calls ?? null,
      tokens: result && { input: result.usage.input, output: result.usage.output },
      artifacts: result?.artifacts ?? null,
      downloads: readableArtifacts(run),
      hasSession: run.session !== null,
    };
  }

  /** Returns the conversation of a run. Throws `not-found` when it is on another machine. */
  async session(fleet: string, id: string): Promise<RunSession> {
    const { workFolder = "/nonexistent" } = await this.#need();
    const run = await this.#run(fleet, id);
    const conversation = new RecordedConversation(run.session ?? "", () => undefined);
    conversation.read(await conversationOf(run, workFolder));
    return { entries: redactValue(conversation.items) };
  }

  /** Returns the bytes of an artifact of a run that is a file on this machine. Throws `not-found`. */
  async artifact(fleet: string, id: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await readArtifact(await this.#run(fleet, id), name, maxArtifactBytes);
    if (bytes === undefined) throw new ToolError("not-found", "There is no such artifact on this machine.");
    return new Uint8Array(bytes);
  }

  async act({ fleet, action, runs, outcomes }: FleetAction): Promise<FleetAnswer> {
    const { store, enqueue } = await this.#need();
    const filter = { fleet, ids: runs };
    if (action === "cancel") return { count: (await store.cancel(filter)).length };
    const retried = await store.retry({ ...filter, outcomes, isSuperseded: false });
    if (retried.length > 0) await enqueue?.(retried);
    return { count: retried.length };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#opened?.catch(() => undefined))?.close();
  }

  async #find(): Promise<OpenFleets | undefined> {
    if (this.#isClosed) throw new ToolError("cancelled", "The console was closed.");
    this.#opened ??= this.#open();
    const opening = this.#opened;
    const forget = () => {
      if (this.#opened === opening) this.#opened = undefined;
    };
    const opened = await opening.catch((error: unknown) => {
      forget();
      throw error;
    });
    // The first fleet may be submitted while the console runs.
    if (opened === undefined) forget();
    return opened;
  }

  async #need(): Promise<OpenFleets> {
    const opened = await this.#find();
    if (opened === undefined) throw noSuchRun();
    return opened;
  }

  async #run(fleet: string, id: string): Promise<Run> {
    const { store } = await this.#need();
    const run = await store.run(id);
    if (run === undefined || run.fleet !== fleet) throw noSuchRun();
    return run;
  }
}

/** Each fleet takes a few queries. */
const shownFleets = 50;
const maxArtifactBytes = 64 * 1024 * 1024;
const maxPatchBytes = 2 * 1024 * 1024;

function noSuchRun(): ToolError {
  return new ToolError("not-found", "There is no such run.", { hint: "Reload the page." });
}

function readCount(text: string | undefined, standard: number): number {
  if (text === undefined || text === "") return standard;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ToolError("invalid-input", "`offset` and `limit` must be numbers.");
}

async function summarize(
  store: FleetStore,
  { name, createdAt, spent, settings: { budget } }: Fleet,
): Promise<FleetSummary> {
  const [counts, ends] = await Promise.all([store.counts(name), store.latestEnds(name, 50)]);
  const remainingMs = estimateRemaining(counts, ends, Date.now());
  return {
    ...{ name, createdAt, spent, budget, remainingMs },
    ...{ states: counts.states, outcomes: counts.outcomes },
  };
}

function toSummary(run: Run): RunSummary {
  const {
    id,
    spec,
    state,
    outcome,
    isCancelled,
    isSuperseded,
    deliveries,
    startedAt,
    endedAt,
    reason,
    result,
  } = run;
  return {
    ...{
      id,
      task: spec.task,
      model: spec.model,
      state,
      outcome,
      isCancelled,
      isSuperseded,
      deliveries,
      startedAt,
      endedAt,
    },
    reason: redactValue(reason),
    cost: result?.cost ?? null,
    workMs: result?.workMs ?? null,
  };
}

async function patchOf(run: Run): Promise<{ changed: readonly FileDiff[]; patchNote: string | null }> {
  const { result } = run;
  if (result?.patch == null) return { changed: [], patchNote: null };
  const note = (patchNote: string) => ({ changed: [], patchNote });
  if (readableArtifacts(run).length === 0)
    return note(`The patch is stored elsewhere: ${result.artifacts ?? "unknown"}`);
  try {
    const bytes = await readArtifact(run, "patch.diff", maxPatchBytes);
    if (bytes === undefined) return note("The patch is missing or too large to show.");
    return { changed: readPatch(redactText(bytes.toString())), patchNote: null };
  } catch (error) {
    return note(`The patch cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
