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
import type { RecordedSession } from "./records/resume.ts";
import type { Session, SessionLimits, SessionOptions } from "./session.ts";
import type { SessionCore } from "./session-core.ts";
import { findGiven, inProtocol, openForAgent, pricesOf } from "./session-model.ts";
import type { ResumedConversation } from "./session-parts.ts";
import { Subagents } from "./subagents/subagents.ts";

export interface CreateSessionOptions extends SessionOptions {
  /** How to reach models. Default: `models.json` of the user. */
  readonly models?: ModelSettings | undefined;
}

/** Starts or resumes a session. Close it when done. */
export async function createSession(options: CreateSessionOptions): Promise<Session> {
  const limits = checkLimits(options.limits);
  const recorded = await findRecordedSession(options);
  const settings = options.models ?? (await readSettings(options));
  const found = findGiven(options.model ?? recorded?.model ?? noModel(), settings);
  const dialect = options.dialect ?? recorded?.start.dialect ?? dialectFor(found.name);
  const agents = agentsOf(limits, () => live!.core);
  const crib = await openToolcrib({
    ...options,
    dialect,
    agents,
    session: options.resume,
  });
  let live: LiveSession | undefined;
  try {
    live = await openSession(options, {
      limits,
      recorded,
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

/** What is open or known before the session exists. */
interface OpenedParts {
  readonly limits: SessionLimits;
  readonly recorded: RecordedSession | undefined;
  readonly settings: ModelSettings;
  readonly found: FoundModel;
  readonly dialect: string;
  readonly crib: Toolcrib;
  readonly agents: Subagents | undefined;
}

async function openSession(options: CreateSessionOptions, opened: OpenedParts): Promise<LiveSession> {
  const { limits, recorded, settings, found, dialect, crib, agents } = opened;
  const defined = crib.definitions();
  const [system, given, tools] = await Promise.all([
    recorded?.start.system ?? writeSystem({ model: found, dialect, crib, tools: defined }, options),
    found.open(),
    defined,
  ]);
  const protocol =
    recorded?.start.protocol ?? options.protocol ?? (given.facts.callsTools === false ? "text" : "native");
  const model = await inProtocol(given, protocol);
  const reasoning = options.reasoning ?? recorded?.reasoning ?? undefined;
  const recorder = openRecorder({
    conversations: crib.conversations,
    session: crib.session,
    warn: (message) => live.core.emit({ type: "warning", message }),
  });
  const resumed = recorded && (await restore(crib, recorded));
  const live = new LiveSession({
    id: crib.session,
    crib,
    caller: crib,
    model,
    openModel: async (wanted) => inProtocol(await findGiven(wanted, settings).open(), protocol),
    openForAgent: async (id, provider) => inProtocol(await openForAgent(id, provider, settings), protocol),
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
  if (options.telemetry) await startReporting(live);
  const held = { model: model.id, reasoning: reasoning ?? null };
  if (!recorded) {
    const { workspace } = crib;
    recorder.add({ kind: "start", version: 1, ...held, dialect, protocol, system, workspace });
  } else if (recorded.model !== held.model || recorded.reasoning !== held.reasoning) {
    recorder.add({ kind: "change", ...held });
  }
  return live;
}

async function findRecordedSession(options: CreateSessionOptions): Promise<RecordedSession | undefined> {
  const { resume, fork } = options;
  if (resume !== undefined && fork !== undefined) {
    throw new ToolError("invalid-input", "A session is resumed or forked, not both", {
      hint: "Leave out `resume` or `fork`.",
    });
  }
  if (resume === undefined && fork === undefined) return undefined;
  const { findRecorded } = await import("./records/resume.ts");
  return findRecorded(options, resume !== undefined ? { resume } : { fork: fork! });
}

async function restore(crib: Toolcrib, recorded: RecordedSession): Promise<ResumedConversation> {
  const { restoreSession } = await import("./records/resume.ts");
  return restoreSession(crib, recorded);
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

async function startReporting(session: Session): Promise<void> {
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

/** The notice to the model of a resumed session; undefined when the session ended normally. */
function openingOf(
  { isTurnOpen }: ResumedConversation,
  recovered: readonly RecoveredChange[],
): string | undefined {
  const notes = [
    ...(isTurnOpen ? ["The program that you worked in was ended in the middle of your last turn."] : []),
    ...recovered.map(describeRecovery),
  ];
  if (notes.length === 0) return undefined;
  return `[${notes.join(" ")} Look at what is there before you go on.]`;
}

function describeRecovery({ outcome, transaction, paths }: RecoveredChange): string {
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
