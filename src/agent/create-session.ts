import { ToolError } from "../contract/error.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { FoundModel } from "../models/open-model.ts";
import type { ModelSettings } from "../models/settings.ts";
import { dialectFor, openToolcrib, type RecoveredChange, type Toolcrib } from "../toolcrib/index.ts";
import { ContextMeter } from "./context/meter.ts";
import { checkLimits } from "./limits.ts";
import { LiveSession } from "./live-session.ts";
import type { SystemOptions } from "./prompt/build-system.ts";
import { openRecorder } from "./records/recorder.ts";
import type { KeptSession } from "./records/resume.ts";
import type { Session, SessionLimits, SessionOptions } from "./session.ts";
import type { SessionCore } from "./session-core.ts";
import { findGiven, openForAgent, pricesOf, speaking } from "./session-model.ts";
import type { ResumedConversation } from "./session-parts.ts";
import { Subagents } from "./subagents/subagents.ts";

export interface CreateSessionOptions extends SessionOptions {
  /** How models are reached; as the person has set it in `models.json`, if not said. */
  readonly models?: ModelSettings | undefined;
}

/** Begins a session, or goes on with one. Close it when done. */
export async function createSession(options: CreateSessionOptions): Promise<Session> {
  const limits = checkLimits(options.limits);
  const kept = await findKeptSession(options);
  const settings = options.models ?? (await readSettings(options));
  const found = findGiven(options.model ?? kept?.model ?? noModel(), settings);
  const dialect = options.dialect ?? kept?.start.dialect ?? dialectFor(found.name);
  const agents = agentsOf(limits, () => live!.core);
  const crib = await openToolcrib({
    ...options,
    dialect,
    ...(agents && { agents }),
    ...(options.resume !== undefined && { session: options.resume }),
  });
  let live: LiveSession | undefined;
  try {
    live = await openSession(options, {
      limits,
      kept,
      settings,
      found,
      dialect: nameOf(dialect),
      crib,
      agents,
    });
    return live;
  } catch (error) {
    await crib.close();
    throw error;
  }
}

/** What is open or known before there is a session. */
interface Beginning {
  readonly limits: SessionLimits;
  readonly kept: KeptSession | undefined;
  readonly settings: ModelSettings;
  readonly found: FoundModel;
  readonly dialect: string;
  readonly crib: Toolcrib;
  readonly agents: Subagents | undefined;
}

async function openSession(options: CreateSessionOptions, beginning: Beginning): Promise<LiveSession> {
  const { limits, kept, settings, found, dialect, crib, agents } = beginning;
  const defined = crib.definitions();
  const [system, given, tools] = await Promise.all([
    kept?.start.system ?? writeSystem({ model: found, dialect, crib, tools: defined }, options),
    found.open(),
    defined,
  ]);
  const protocol =
    kept?.start.protocol ?? options.protocol ?? (given.facts.callsTools === false ? "text" : "native");
  const model = await speaking(given, protocol);
  const reasoning = options.reasoning ?? kept?.reasoning ?? undefined;
  const recorder = openRecorder({
    conversations: crib.conversations,
    session: crib.session,
    warn: (message) => live.core.emit({ type: "warning", message }),
  });
  const resumed = kept && (await restore(crib, kept));
  const live = new LiveSession({
    id: crib.session,
    crib,
    caller: crib,
    model,
    openModel: async (wanted) => speaking(await findGiven(wanted, settings).open(), protocol),
    openForAgent: async (id, provider) => speaking(await openForAgent(id, provider, settings), protocol),
    pricesOf: (id) => (id === model.id ? model.facts.prices : pricesOf(id, settings)),
    dialect,
    protocol,
    reasoning,
    system,
    tools,
    limits,
    hooks: options.hooks ?? {},
    approve: options.approve,
    recorder,
    meter: new ContextMeter({ model, system, tools }),
    agents,
    systemFor: (frame) => writeSystem({ ...frame, crib, worksFor: "agent" }, options),
    resumed,
    opening: resumed && openingOf(resumed, crib.recovered),
    release: () => crib.close(),
  });
  if (options.telemetry) await tellTelemetry(live);
  const held = { model: model.id, reasoning: reasoning ?? null };
  if (!kept) {
    const { workspace } = crib;
    recorder.add({ kind: "start", version: 1, ...held, dialect, protocol, system, workspace });
  } else if (kept.model !== held.model || kept.reasoning !== held.reasoning) {
    recorder.add({ kind: "change", ...held });
  }
  return live;
}

async function findKeptSession(options: CreateSessionOptions): Promise<KeptSession | undefined> {
  const { resume, fork } = options;
  if (resume !== undefined && fork !== undefined) {
    throw new ToolError("invalid-input", "A session is resumed or forked, not both", {
      hint: "Leave out `resume` or `fork`.",
    });
  }
  if (resume === undefined && fork === undefined) return undefined;
  const { findKept } = await import("./records/resume.ts");
  return findKept(options, resume !== undefined ? { resume } : { fork: fork! });
}

async function restore(crib: Toolcrib, kept: KeptSession): Promise<ResumedConversation> {
  const { restoreSession } = await import("./records/resume.ts");
  return restoreSession(crib, kept);
}

async function readSettings({ configDirectory }: CreateSessionOptions): Promise<ModelSettings> {
  const { readModelSettings } = await import("./read-model-settings.ts");
  return readModelSettings(configDirectory);
}

async function writeSystem(
  frame: Pick<SystemOptions, "model" | "dialect" | "crib" | "tools" | "worksFor">,
  { instructions, projectInstructions = true, configDirectory, sandbox }: CreateSessionOptions,
): Promise<string> {
  const { buildSystem } = await import("./prompt/build-system.ts");
  return buildSystem({ ...frame, instructions, projectInstructions, configDirectory, sandbox });
}

async function tellTelemetry(session: Session): Promise<void> {
  const { startTelemetry } = await import("./telemetry.ts");
  await startTelemetry(session);
}

function agentsOf({ agentDepth, agents }: SessionLimits, parent: () => SessionCore): Subagents | undefined {
  return agentDepth >= 1 && agents >= 1 ? new Subagents(parent) : undefined;
}

function nameOf(dialect: string | Dialect): string {
  return typeof dialect === "string" ? dialect : dialect.name;
}

function noModel(): never {
  throw new ToolError("invalid-input", "A session needs a model", {
    hint: 'Say which: model: "provider/name". See: toolcrib models',
  });
}

/** What a model has to know before a session goes on; undefined where it ended as it should. */
function openingOf(
  { isTurnOpen }: ResumedConversation,
  recovered: readonly RecoveredChange[],
): string | undefined {
  const words = [
    ...(isTurnOpen ? ["The program that you worked in was ended in the middle of your last turn."] : []),
    ...recovered.map(tellChange),
  ];
  if (words.length === 0) return undefined;
  return `[${words.join(" ")} Look at what is there before you go on.]`;
}

function tellChange({ outcome, transaction, paths }: RecoveredChange): string {
  const what = transaction ? "An open transaction" : "A change of files that was half done";
  const files = paths.slice(0, shownPaths).join(", ") + (paths.length > shownPaths ? ", …" : "");
  const became = {
    completed: "was completed",
    "taken back": "was taken back",
    failed: "could not be settled yet",
  };
  return `${what} ${became[outcome]}: ${files}.`;
}

const shownPaths = 10;
