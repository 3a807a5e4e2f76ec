import { ToolError } from "../contract/error.ts";
import type { Model } from "../models/model.ts";
import type { FoundModel } from "../models/open-model.ts";
import type { ModelSettings } from "../models/settings.ts";
import { checkNames, optionNames } from "../toolcrib/check-options.ts";
import { dialectFor, type RecoveredChange, type Toolcrib } from "../toolcrib/index.ts";
import { openInstance } from "../toolcrib/open-toolcrib.ts";
import { ContextMeter } from "./context/meter.ts";
import type { ToolProtocol } from "./event.ts";
import { checkLimits, checkSampling } from "./limits.ts";
import { LiveSession } from "./live-session.ts";
import type { SystemOptions } from "./prompt/build-system.ts";
import { readModelSettings } from "./read-model-settings.ts";
import { openRecorder } from "./records/recorder.ts";
import type { RecordedSession } from "./records/resume.ts";
import type { Session, SessionLimits, SessionOptions } from "./session.ts";
import {
  deferredTools,
  findGiven,
  inProtocol,
  listedTools,
  openForAgent,
  pricesOf,
} from "./session-model.ts";
import { noSkills, readUserSkills, type Skills, skillTool, withProjectSkills } from "./skills.ts";
import { Subagents } from "./subagents/subagents.ts";

export interface CreateSessionOptions extends SessionOptions {
  /** Model settings. Default: the user's `models.json`. */
  readonly models?: ModelSettings | undefined;
  /** Wraps every model that the session opens, also for subagents: to count, delay or refuse requests. */
  readonly wrapModel?: ((model: Model) => Model) | undefined;
}

/** Starts or resumes a session. Close it when done. */
export async function createSession(options: CreateSessionOptions): Promise<Session> {
  checkNames(options, sessionOptionNames, "createSession");
  const limits = checkLimits(options.limits);
  checkSampling(options.sampling);
  const recorded = await findRecordedSession(options);
  const settings = options.models ?? (await readModelSettings(options.configDirectory));
  const found = findGiven(options.model ?? recorded?.model ?? noModel(), settings);
  const dialect = options.dialect ?? recorded?.start.dialect ?? dialectFor(found.name);
  const hasAgents = limits.agentDepth >= 1 && limits.agents >= 1;
  const agents = hasAgents ? new Subagents(() => live!.core) : undefined;
  const isOffered = options.skills !== false;
  const own = isOffered ? await readUserSkills(options.configDirectory) : noSkills;
  const tools = [...(options.tools ?? []), ...(own.skills.length > 0 ? [skillTool(own.skills)] : [])];
  // The session runs its hooks itself, for the calls of the model.
  const given = { ...options, hooks: undefined, tools, dialect, agents, session: options.resume };
  const crib = await openInstance(given, { knowsSession: true });
  let live: LiveSession | undefined;
  try {
    const name = typeof dialect === "string" ? dialect : dialect.name;
    const skills = isOffered ? await withProjectSkills(own, crib.project) : noSkills;
    live = await openSession(options, {
      limits,
      recorded,
      settings,
      found,
      dialect: name,
      crib,
      agents,
      skills,
    });
    return live;
  } catch (error) {
    await crib.close();
    throw error;
  }
}

const { agents: _agents, session: _session, ...sharedNames } = optionNames;

/** The names of all options of `createSession`. */
const sessionOptionNames: Readonly<Record<keyof CreateSessionOptions, true>> = {
  ...sharedNames,
  model: true,
  models: true,
  allowUnpriced: true,
  wrapModel: true,
  protocol: true,
  reasoning: true,
  sampling: true,
  system: true,
  instructions: true,
  projectInstructions: true,
  plan: true,
  skills: true,
  limits: true,
  hooks: true,
  resume: true,
  fork: true,
  store: true,
  telemetry: true,
};

interface KnownParts {
  readonly limits: SessionLimits;
  readonly recorded: RecordedSession | undefined;
  readonly settings: ModelSettings;
  readonly found: FoundModel;
  readonly dialect: string;
  readonly crib: Toolcrib;
  readonly agents: Subagents | undefined;
  readonly skills: Skills;
}

async function openSession(options: CreateSessionOptions, known: KnownParts): Promise<LiveSession> {
  const { limits, recorded, settings, found, dialect, crib, agents, skills } = known;
  const adapt = modelAdapter(options.wrapModel);
  const opened = found.open().then(priced(limits, options));
  const defined = opened.then((model) => listedTools(crib, model));
  const chosen = opened.then(
    ({ facts }) =>
      recorded?.start.protocol ?? options.protocol ?? (facts.callsTools === false ? "text" : "native"),
  );
  const frame = { model: found, dialect, crib, tools: defined, protocol: chosen, skills: skills.skills };
  const [given, protocol, tools, system] = await Promise.all([
    opened,
    chosen,
    defined,
    recorded?.start.system ?? writeSystem(frame, options),
  ]);
  const deferred = await deferredTools(crib, given, tools);
  const model = await adapt(given, protocol);
  const reasoning = options.reasoning ?? recorded?.reasoning ?? undefined;
  const store = options.store ?? crib.conversations;
  const recorder = openRecorder(store, crib.session, (message) =>
    live.core.emit({ type: "warning", message }),
  );
  crib.setPlanning(options.plan ?? recorded?.isPlanning ?? false);
  const { restoreSession } = recorded ? await import("./records/resume.ts") : {};
  const resumed = recorded && (await restoreSession?.(crib, recorded, store));
  const live = new LiveSession({
    id: crib.session,
    crib,
    caller: crib,
    model,
    openModel: async (wanted) =>
      adapt(priced(limits, options)(await findGiven(wanted, settings).open()), protocol),
    openForAgent: async (id, provider) =>
      adapt(priced(limits, options)(await openForAgent(id, provider, settings)), protocol),
    pricesOf: (id) => (id === model.id ? model.facts.prices : pricesOf(id, settings)),
    dialect,
    protocol,
    reasoning,
    sampling: checkSampling(options.sampling),
    system,
    tools,
    deferred,
    limits,
    skills,
    hooks: options.hooks ?? {},
    approve: options.approve,
    recorder,
    meter: new ContextMeter({ model, system, tools, ...limits }),
    agents,
    systemFor: (frame) => writeSystem({ ...frame, crib, worksFor: "agent", skills: skills.skills }, options),
    resumed,
    opening: resumed && ((isContinued) => openingOf(resumed.isTurnOpen && !isContinued, crib)),
    release: () => crib.close(),
  });
  if (options.telemetry) await (await import("./telemetry.ts")).startTelemetry(live);
  const current = { model: model.id, reasoning: reasoning ?? null };
  const constant = { dialect, protocol, system, workspace: crib.workspace };
  if (recorded === undefined) recorder.add({ kind: "start", version: 1, ...current, ...constant });
  else if (recorded.model !== current.model || recorded.reasoning !== current.reasoning)
    recorder.add({ kind: "change", ...current });
  if (crib.isPlanning !== (recorded?.isPlanning ?? false))
    recorder.add({ kind: "change", isPlanning: crib.isPlanning });
  return live;
}

/** Refuses models whose cost the session could not limit. */
function priced(
  { cost }: SessionLimits,
  { allowUnpriced = false }: CreateSessionOptions,
): (model: Model) => Model {
  return (model) => {
    if (allowUnpriced || cost === Number.POSITIVE_INFINITY || model.facts.prices !== undefined) return model;
    throw new ToolError("invalid-input", `The price of ${model.id} is not known, so no limit of cost holds`, {
      hint: "Set its prices in models.json, or allow it with --allow-unpriced (allowUnpriced: true).",
    });
  };
}

/** Wraps models and adapts them to a protocol. A program may give the session one of its own models, which stays as it is. */
function modelAdapter(
  wrapModel: CreateSessionOptions["wrapModel"],
): (model: Model, protocol: ToolProtocol) => Promise<Model> {
  const adapted = new WeakSet<Model>();
  return async (given, protocol) => {
    if (adapted.has(given)) return given;
    const model = await inProtocol(wrapModel?.(given) ?? given, protocol);
    adapted.add(model);
    return model;
  };
}

async function findRecordedSession(options: CreateSessionOptions): Promise<RecordedSession | undefined> {
  const { resume, fork } = options;
  if (resume === undefined && fork === undefined) return undefined;
  if (resume !== undefined && fork !== undefined)
    throw new ToolError("invalid-input", "A session cannot be both resumed and forked", {
      hint: "Leave out `resume` or `fork`.",
    });
  const { findRecorded } = await import("./records/resume.ts");
  return findRecorded(options);
}

async function writeSystem(
  frame: Pick<SystemOptions, "model" | "dialect" | "crib" | "tools" | "protocol" | "worksFor" | "skills">,
  { system, instructions, projectInstructions = true, configDirectory, sandbox }: CreateSessionOptions,
): Promise<string> {
  if (typeof system === "string") return system;
  const { buildSystem } = await import("./prompt/build-system.ts");
  const base = await buildSystem({ ...frame, instructions, projectInstructions, configDirectory, sandbox });
  const changed: unknown = system === undefined ? base : system(base);
  if (typeof changed === "string") return changed;
  throw new ToolError("invalid-input", "The option system returned something else than text", {
    hint: 'Return the whole prompt: system: (base) => base + "…". The function cannot be asynchronous.',
  });
}

function noModel(): never {
  throw new ToolError("invalid-input", "No model is configured", {
    hint: 'Set model: "provider/name". To list models, run: toolcrib models',
  });
}

/** Returns a notice to the model of a resumed session; undefined when the session ended normally. */
function openingOf(wasTerminated: boolean, { recovered }: Toolcrib): string | undefined {
  const notes = recovered.map(describeRecovery);
  if (wasTerminated) notes.unshift("The program was terminated during your last turn.");
  return notes.length === 0 ? undefined : `[${notes.join(" ")} Check the current state before you continue.]`;
}

function describeRecovery({ outcome, transaction, paths }: RecoveredChange): string {
  const what = transaction ? "An open transaction" : "An unfinished file change";
  const files = paths.slice(0, shownPaths).join(", ") + (paths.length > shownPaths ? ", …" : "");
  return `${what} ${recoveries[outcome]}: ${files}.`;
}

const recoveries: Readonly<Record<RecoveredChange["outcome"], string>> = {
  completed: "was completed",
  "taken back": "was undone",
  failed: "could not be recovered yet",
};

const shownPaths = 10;
