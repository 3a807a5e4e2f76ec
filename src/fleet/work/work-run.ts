import { readFileSync, writeFileSync } from "node:fs";
import { createSession, type ModelSettings, type Session, type TurnResult } from "../../agent/index.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { redactText } from "../../policy/redaction/redact.ts";
import { writePrivateFile } from "../../system/private-file.ts";
import type { TargetOptions } from "../../toolcrib/options.ts";
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import { gatherArtifacts } from "../artifacts/gather-artifacts.ts";
import type { Claim, FleetSettings, FleetStore, Run, RunResult } from "../fleet.ts";
import { runId } from "../run-id.ts";
import { isDatabaseUnavailable } from "../store/sql-database.ts";
import { runCheck, runSetup, stopProcesses } from "./commands.ts";
import { ModelGate } from "./model-gate.ts";
import {
  type CheckResult,
  cancelled,
  decideCheck,
  decideTurn,
  ended,
  parkingTime,
  type StopReason,
  usedUp,
  type WorkEnd,
} from "./outcome.ts";
import { pathPart, RunFolder } from "./run-folder.ts";
import { RunContainer, removeTarget, TargetFolder } from "./run-target.ts";
import { WorkClock } from "./work-clock.ts";
import { restrict, type WorkerLimits } from "./worker-limits.ts";
import { checkedPath, type Workspaces } from "./workspace.ts";

/** The parts that all runs of a worker share. */
export interface WorkContext {
  readonly store: FleetStore;
  readonly workFolder: string;
  readonly workspaces: Workspaces;
  /** Starts git and containers. */
  readonly environment: Environment;
  readonly artifacts: ArtifactStore;
  readonly limits: WorkerLimits;
  /** Files that no model may read, besides the working folder: specs, results. */
  readonly hiddenPaths: readonly string[];
  readonly models?: ModelSettings | undefined;
  readonly configDirectory?: string | undefined;
  readonly telemetry?: boolean | undefined;
  readonly patience: Patience;
}

/** How long a run waits for a provider that refuses requests. */
export interface Patience {
  /** Attempts to repeat a request before the run is parked. */
  readonly retries: number;
  /** The longest wait of a run that keeps its slot. */
  readonly longestWaitMs: number;
  /** The shortest time for which a run is parked, and the first pause of a lane. */
  readonly parkMs: number;
}

/** One delivery of a run, from its claim to its end. */
export class WorkRun {
  readonly run: Run;
  readonly claim: Claim;
  readonly #context: WorkContext;
  readonly #folder: RunFolder;
  readonly #stopping = new AbortController();
  #stop: StopReason | undefined;
  #gate: ModelGate | undefined;
  #clock: WorkClock | undefined;
  #session: Session | undefined;
  #container: RunContainer | undefined;
  #turn: TurnResult | undefined;
  #patch: Buffer | null = null;
  #check: CheckResult | undefined;

  constructor(context: WorkContext, run: Run, claim: Claim) {
    this.#context = context;
    this.run = run;
    this.claim = claim;
    this.#folder = new RunFolder(context.workFolder, run);
  }

  /** Does the work. Returns how it ended, and when to deliver the run again. Rejects only when the store fails. */
  async work(): Promise<Finished> {
    const { store } = this.#context;
    const fleet = await store.fleet(this.run.fleet);
    if (fleet === undefined) return { end: { kind: "lost" }, again: undefined };
    const { budget } = fleet.settings;
    try {
      const end = this.run.isCancelled
        ? cancelled
        : budget !== null && fleet.spent >= budget
          ? usedUp
          : await this.#do(fleet.settings).catch((error: unknown) => this.#endOf(error));
      return await this.#finish(end, fleet.settings);
    } finally {
      await this.#close();
    }
  }

  /** Ends the work at once. A lost run stays as it is for its new worker. */
  stop(reason: "lost" | "cancelled"): void {
    if (this.#stop === "lost") return;
    this.#stop = reason;
    this.#stopping.abort(new ToolError("cancelled", `The run was ${reason}`));
    if (reason === "lost") void this.#session?.suspend(AbortSignal.abort());
    else void this.#session?.abort();
  }

  /** Ends the work after the running round, or at once when `signal` aborts. The next delivery continues it. */
  drain(signal: AbortSignal): void {
    this.#stop ??= "drain";
    const stop = () => this.#stopping.abort(new ToolError("cancelled", "The worker stops"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
    if (this.#session?.state === "processing") void this.#session.suspend(signal);
  }

  async #do(settings: FleetSettings): Promise<WorkEnd> {
    const { run } = this;
    const { spec } = run;
    if (run.deliveries > settings.deliveries)
      return ended(
        "infrastructure",
        `The run did not end in ${counted(settings.deliveries, "delivery", "deliveries")}.`,
      );
    if (run.id !== runId(spec) || run.fleet !== spec.fleet)
      return ended("infrastructure", "The spec of the run is not the one that was submitted.");
    const policy = restrict(spec, this.#context.limits);
    await this.#prepare();
    this.#clock = new WorkClock(this.#folder.progress?.workMs ?? 0);
    const session = await this.#open(policy, settings.budget);
    if (spec.setup !== null && this.#folder.progress?.setup !== "done") {
      const problem = await this.#setUp(session, spec.setup);
      if (problem !== undefined) return ended("infrastructure", problem);
    }
    if (this.#stop === "drain") return { kind: "released" };
    this.#turn = await this.#takeTurn(session);
    this.#gate!.throwIfStoreFailed();
    const end = await this.#decide(session, this.#turn, settings.budget);
    if (end !== undefined && (end.kind !== "ended" || end.outcome === "cancelled")) return end;
    await stopProcesses(session);
    this.#patch = await this.#takePatch();
    if (end !== undefined) return end;
    if (spec.check !== null)
      this.#check = await runCheck(session, spec.check, this.#folder.workspace, this.#signal);
    this.#signal.throwIfAborted();
    return decideCheck(this.#check);
  }

  get #signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Makes the workspace, unless an earlier delivery has. */
  async #prepare(): Promise<void> {
    const { spec, session } = this.run;
    const { progress } = this.#folder;
    const isSame = session !== null && progress?.session === session && progress.setup !== "begun";
    if (isSame) return;
    if (!this.#isHere && spec.repository !== null)
      throw new ToolError("unsupported", `A repository cannot be cloned to the target ${spec.target}.`, {
        hint: "Clone it with the set-up command.",
      });
    if (!this.#isHere && Object.keys(spec.check?.files ?? {}).length > 0)
      throw new ToolError(
        "unsupported",
        `Files of the check cannot be written on the target ${spec.target}.`,
        {
          hint: "Write them with the check command.",
        },
      );
    await removeTarget(this.#context, spec, this.#folder);
    await this.#folder.startOver();
    const base = await this.#context.workspaces.prepare(spec, this.#folder, this.#signal);
    for (const path of Object.keys(spec.check?.files ?? {})) checkedPath(this.#folder.workspace, path);
    this.#folder.save({ base, commit: spec.repository === null ? null : base });
  }

  #containerOf(): RunContainer {
    this.#container ??= new RunContainer(this.#context.environment, this.#folder);
    return this.#container;
  }

  /** Few images contain Node, which the tools in the container need. */
  async #containerTarget(image: string): Promise<TargetOptions> {
    const name = await this.#containerOf().start(image, this.#folder.workspace, this.#signal);
    return { name, uploadNode: process.execPath };
  }

  async #remoteTarget(target: string): Promise<string> {
    const folder = new TargetFolder(this.#context.environment, target, this.#folder);
    await folder.make(this.#signal);
    return folder.name;
  }

  async #open(policy: ReturnType<typeof restrict>, budget: number | null): Promise<Session> {
    const { store, models, configDirectory, telemetry, limits, patience, workFolder } = this.#context;
    const { spec, session: known } = this.run;
    const [, image] = /^image:(.+)$/s.exec(spec.target) ?? [];
    const target = image
      ? await this.#containerTarget(image)
      : spec.target === "local"
        ? undefined
        : await this.#remoteTarget(spec.target);
    const { longestWaitMs, parkMs: firstPauseMs, retries } = patience;
    const { run, claim } = this;
    const clock = this.#clock!;
    this.#gate = new ModelGate({ store, run, claim, clock, longestWaitMs, firstPauseMs });
    const options = {
      ...{ ...policy, model: spec.model, reasoning: spec.reasoning ?? undefined, sandbox: limits.sandbox },
      ...(target === undefined ? { workspace: this.#folder.workspace } : { target }),
      ...{ stateDirectory: this.#folder.state, configDirectory, models, telemetry },
      // Other runs are in the working folder, with files that their models may not share.
      hiddenPaths: [workFolder, ...this.#context.hiddenPaths],
      limits: {
        rounds: spec.limits.rounds,
        // No run may spend more than the whole fleet.
        cost: Math.min(spec.limits.dollars ?? Number.POSITIVE_INFINITY, budget ?? Number.POSITIVE_INFINITY),
        retries,
        retryWaitMs: longestWaitMs,
      },
      allowUnpriced: limits.allowUnpriced,
      wrapModel: this.#gate.wrap,
    };
    const isSame = known !== null && this.#folder.progress?.session === known;
    const session = isSame
      ? // A session without a message was not recorded.
        await createSession({ ...options, resume: known }).catch((error) => {
          if (!(error instanceof ToolError)) throw error;
          if (error.code === "not-found") return createSession(options);
          // The worker that had the run before may be about to close it.
          throw error.code === "unavailable" ? new PassingFailure(error.message) : error;
        })
      : await createSession(options);
    this.#session = session;
    if (this.#signal.aborted || !(await store.setSession(claim, session.id))) {
      this.#stop ??= "lost";
      throw new ToolError("cancelled", "The run was lost");
    }
    this.#folder.save({ session: session.id });
    return session;
  }

  async #setUp(session: Session, command: string): Promise<string | undefined> {
    this.#folder.save({ setup: "begun" });
    const { problem, log } = await runSetup(session, command, this.run.spec.limits.minutes, this.#signal);
    writeFileSync(this.#folder.setupLog, log, { mode: 0o600 });
    this.#signal.throwIfAborted();
    if (problem !== undefined) return problem;
    // The files of the set-up are not changes of the model.
    const { base } = this.#folder.progress!;
    const { workspaces } = this.#context;
    const after = this.#isHere ? await workspaces.snapshot(this.#folder, base, this.#signal) : base;
    this.#folder.save({ setup: "done", base: after });
    return undefined;
  }

  /** Whether the workspace is a folder of this machine. */
  get #isHere(): boolean {
    const { target } = this.run.spec;
    return target === "local" || target.startsWith("image:");
  }

  /** Starts the turn, continues it, or returns how it ended in an earlier delivery. */
  async #takeTurn(session: Session): Promise<TurnResult> {
    const clock = this.#clock!;
    const { prompt, limits } = this.run.spec;
    session.on(({ type }) => {
      if (type === "round-start") this.#folder.save({ workMs: clock.elapsedMs });
    });
    const stopTimer = clock.at(limits.minutes * 60_000, () => {
      this.#stop ??= "minutes";
      void session.abort();
    });
    try {
      if (session.turns === 0) return await session.run(prompt).result;
      const last = lastResult(session);
      if (last === undefined || last.outcome === "failed") return await session.continue().result;
      // Only the time limit ends a turn like this: turns of cancelled runs are never resumed, and others stay open.
      if (last.outcome === "aborted") this.#stop ??= "minutes";
      return last;
    } finally {
      stopTimer();
      this.#folder.save({ workMs: clock.elapsedMs });
    }
  }

  async #decide(session: Session, turn: TurnResult, budget: number | null): Promise<WorkEnd | undefined> {
    const refusal = this.#gate?.refusal;
    if (refusal === "cancelled" && this.#stop === undefined) {
      const now = await this.#context.store.run(this.run.id);
      this.#stop = now?.isCancelled && now.worker === this.claim.worker ? "cancelled" : "lost";
    }
    const cost = [...session.usageByModel.values()].reduce((sum, each) => sum + (each.cost ?? 0), 0);
    const { limits } = this.run.spec;
    return decideTurn({ stop: this.#stop, turn, refusal, limits, budget, cost });
  }

  /** Takes the patch once: a later delivery may find files of the check in the workspace. */
  async #takePatch(): Promise<Buffer | null> {
    if (!this.#isHere) return null;
    try {
      return readFileSync(this.#folder.patch);
    } catch {
      const { base } = this.#folder.progress!;
      const patch = await this.#context.workspaces.patch(this.#folder, base, this.#signal);
      writePrivateFile(this.#folder.patch, [patch]);
      return patch;
    }
  }

  /** The end of work that threw. Throws failures of the store again: they say nothing about the run. */
  #endOf(error: unknown): WorkEnd {
    if (this.#stop === "lost") return { kind: "lost" };
    if (isDatabaseUnavailable(error)) throw error;
    if (this.#stop === "cancelled") return cancelled;
    if (this.#stop === "drain") return { kind: "released" };
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof PassingFailure) return { kind: "parked", reason };
    const hint = error instanceof ToolError && error.hint ? ` ${error.hint}` : "";
    return ended("infrastructure", redactText(`${reason}${hint}`));
  }

  async #finish(end: WorkEnd, { parkedHours }: FleetSettings): Promise<Finished> {
    const { store } = this.#context;
    if (end.kind === "lost") return { end, again: undefined };
    if (end.kind === "released") {
      await this.#close();
      await this.#container?.stop();
      await store.release(this.claim);
      return { end, again: Date.now() };
    }
    const parkedSince = (await store.run(this.run.id))?.parkedSince ?? null;
    const isTooLong = parkedSince !== null && Date.now() - parkedSince > parkedHours * 3_600_000;
    const tooLong = (reason: string) => ended("infrastructure", `Parked for ${parkedHours} hours: ${reason}`);
    if (end.kind === "parked" && !isTooLong) return this.#park(end.reason, parkedSince);
    const last = end.kind === "parked" ? tooLong(redactText(end.reason)) : end;
    const found = this.#result();
    await this.#close();
    try {
      return await this.#end(last, await this.#storeArtifacts(last, found));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const reason = `The artifacts could not be stored: ${error instanceof Error ? error.message : String(error)}`;
      return isTooLong ? this.#end(tooLong(redactText(reason)), found) : this.#park(reason, parkedSince);
    }
  }

  async #park(reason: string, parkedSince: number | null): Promise<Finished> {
    const now = Date.now();
    const leastMs = this.#context.patience.parkMs;
    const until = Math.max(this.#gate?.retryAt ?? 0, now + parkingTime(now, parkedSince, { leastMs }));
    const end: WorkEnd = { kind: "parked", reason: redactText(reason) };
    await this.#close();
    await this.#container?.stop();
    const isParked = await this.#context.store.park(this.claim, Math.round(until), end.reason);
    return isParked ? { end, again: Math.round(until) } : { end: { kind: "lost" }, again: undefined };
  }

  /** Stores the artifacts in a folder of this delivery. They count with the end of the run. */
  async #storeArtifacts(end: EndedWork, found: RunResult): Promise<RunResult> {
    const { id, fleet, spec } = this.run;
    const folder = await this.#folder.artifactsOf(this.claim);
    const names = await gatherArtifacts(folder, {
      // A run that ends without being opened again has the session of an earlier delivery.
      ...{ state: this.#folder.state, session: this.#session?.id ?? this.run.session },
      ...{ patch: this.#patch, setupLog: this.#folder.setupLog, checkLog: this.#check?.output ?? null },
      result: {
        ...{ run: id, fleet, task: spec.task, model: spec.model, data: spec.data },
        ...{ outcome: end.outcome, reason: end.reason, ...found },
      },
    });
    const key = [pathPart(fleet), pathPart(id), `${this.#folder.stamp}-${this.claim.delivery}`].join("/");
    const artifacts = await this.#context.artifacts.put(key, folder, names);
    return { ...found, artifacts, artifactNames: names };
  }

  /** Makes the end count. Without stored artifacts, their files stay here. */
  async #end(end: EndedWork, result: RunResult): Promise<Finished> {
    if (!(await this.#context.store.end(this.claim, end.outcome, end.reason, result)))
      return { end: { kind: "lost" }, again: undefined };
    if (end.outcome === "budget") await this.#context.store.endUnpaid(this.run.fleet);
    const { keepWorkspace: keep } = this.run.spec;
    const isKept = keep === "always" || (keep === "unsolved" && end.outcome !== "solved");
    if (!isKept || this.#isHere)
      await removeTarget(this.#context, this.run.spec, this.#folder).catch(() => {});
    if (result.artifacts !== null) await this.#folder.remove({ keepWorkspace: isKept }).catch(() => {});
    return { end, again: undefined };
  }

  /** Closes the session. Failures of its target do not change the end of the run. */
  async #close(): Promise<void> {
    await this.#session?.close().catch(() => {});
  }

  #result(): RunResult {
    const session = this.#session;
    const { rounds = 0, calls = 0, text = "" } = this.#turn ?? {};
    const { exitCode = null, output = "" } = this.#check ?? {};
    return {
      ...{ text: redactText(text), rounds, calls },
      usage: session?.usage ?? { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 },
      // The session of an earlier delivery may have spent more than nothing.
      cost: session ? session.cost : this.run.session === null ? 0 : null,
      workMs: this.#clock?.elapsedMs ?? 0,
      base: this.#folder.progress?.commit ?? null,
      patch: this.#patch === null ? null : countChanges(this.#patch),
      check: this.#check ? { exitCode, output: redactText(output).slice(-shownOutput) } : null,
      ...{ artifacts: null, artifactNames: [] },
    };
  }
}

type EndedWork = WorkEnd & { readonly kind: "ended" };

interface Finished {
  readonly end: WorkEnd;
  readonly again: number | undefined;
}

/** A failure that waiting can fix. */
class PassingFailure extends Error {}

const shownOutput = 4_000;

/** Returns how the last turn of a session ended; undefined while it is open. */
function lastResult(session: Session): TurnResult | undefined {
  const entries = session.toolcrib.conversations.entries(session.id);
  const last = entries.findLast(({ entry }) => ["user", "reply", "turn-end"].includes(Object(entry).kind));
  const { kind, result } = Object(last?.entry);
  return kind === "turn-end" ? (result as TurnResult) : undefined;
}

/** Counts line by line: a patch may have millions. */
function countChanges(patch: Buffer): NonNullable<RunResult["patch"]> {
  const counts = { files: 0, added: 0, removed: 0 };
  for (let at = 0; at < patch.length; ) {
    const start = patch.toString("latin1", at, at + 11);
    if (start === "diff --git ") counts.files += 1;
    else if (start.startsWith("+") && !start.startsWith("+++ ")) counts.added += 1;
    else if (start.startsWith("-") && !start.startsWith("--- ")) counts.removed += 1;
    const end = patch.indexOf(10, at);
    at = end < 0 ? patch.length : end + 1;
  }
  return counts;
}
