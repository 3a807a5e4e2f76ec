import { existsSync } from "node:fs";
import { join } from "node:path";
import { nameForUser } from "../dialects/find-tool.ts";
import { printableLine } from "../lib/text/printable.ts";
import { userDirectories, workspaceFiles } from "../system/directories.ts";
import { workspaceId } from "../toolcrib/elsewhere.ts";
import type { WorkspaceJournal } from "../toolcrib/workspace-journal.ts";
import type { Command } from "./command.ts";
import { dialectHere } from "./options.ts";

/** A completion of the last word. */
export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

export interface CandidateContext {
  readonly options: ReadonlyMap<string, string>;
  readonly commands: readonly Command[];
}

/** Returns the candidates for a placeholder such as `call`; none for one that cannot be completed. Asks no server. */
export async function candidatesOf(kind: string, context: CandidateContext): Promise<readonly Candidate[]> {
  return (await loaders[kind]?.(context)) ?? [];
}

const loaders: Readonly<Record<string, (context: CandidateContext) => Promise<readonly Candidate[]>>> = {
  command: async ({ commands }) =>
    commands.map(({ name, summary }) => ({ value: name, description: summary })),
  tool: ({ options }) => tools(options.get("dialect")),
  call: (context) => fromJournal(context, calls),
  checkpoint: (context) => fromJournal(context, checkpoints),
  session: (context) => fromJournal(context, sessions),
  recorded: (context) => fromJournal(context, recordedSessions),
  id: approvals,
  item: heldBack,
  model: models,
  target: targets,
  fleet: fleets,
};

/** Lists the names of `[targets]` in the user's `config.toml`. */
async function targets(): Promise<readonly Candidate[]> {
  const { configuredTargets } = await import("./config/with-target.ts");
  const names = (await configuredTargets())?.names ?? [];
  return names.map(([value, description]) => ({ value, description }));
}

/** Lists the fleets of this machine. A database is not asked. */
async function fleets(): Promise<readonly Candidate[]> {
  const file = join(userDirectories().state, "fleet/fleet.sqlite");
  if (!existsSync(file)) return [];
  const { openFleetStore } = await import("../fleet/store/open-fleet-store.ts");
  const store = await openFleetStore({ file });
  try {
    return (await store.fleets()).map(({ name }) => ({ value: name }));
  } finally {
    await store.close();
  }
}

async function tools(dialect: string | undefined): Promise<readonly Candidate[]> {
  return (await dialectHere(dialect)).tools.map((tool) => ({ value: nameForUser(tool) }));
}

/** Opens the journal only when there is one: a completion creates nothing. */
async function fromJournal(
  { options }: CandidateContext,
  list: (journal: WorkspaceJournal) => readonly Candidate[] | Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  const { workspace, files, state } = await placesOf(options);
  if (!existsSync(files.journal)) return [];
  const { WorkspaceJournal } = await import("../toolcrib/workspace-journal.ts");
  const journal = new WorkspaceJournal({ state, workspace });
  try {
    return await list(journal);
  } finally {
    journal.close();
  }
}

async function placesOf(options: CandidateContext["options"]) {
  const { targetOf } = await import("./config/with-target.ts");
  const target = await targetOf(options);
  const workspace = workspaceId(target === undefined ? { workspace: options.get("workspace") } : { target });
  const { state } = userDirectories();
  return { workspace, state, files: workspaceFiles(state, workspace) };
}

function calls(journal: WorkspaceJournal): readonly Candidate[] {
  return journal.summaries({ limit: mostListed }).calls.map(({ callId, tool, title }) => ({
    value: callId,
    description: printableLine(`${tool} ${title}`).slice(0, mostChars),
  }));
}

function checkpoints(journal: WorkspaceJournal): readonly Candidate[] {
  const made = journal.calls({ tool: "journal.checkpoint", limit: mostListed });
  return made.flatMap(({ input }) => {
    const { name } = (input ?? {}) as { readonly name?: unknown };
    return typeof name === "string" ? [{ value: name }] : [];
  });
}

async function sessions(journal: WorkspaceJournal): Promise<readonly Candidate[]> {
  const { summariseSession } = await import("../agent/records/summarise-session.ts");
  const stored = journal.conversations.list().slice(0, mostListed);
  const conversations = stored.map((info) => ({
    value: info.session,
    description: summariseSession(journal.conversations, info).task.slice(0, mostChars),
  }));
  return conversations.length === 0 ? [] : [{ value: "last", description: "the latest" }, ...conversations];
}

/** Lists all sessions that made calls, also those of MCP clients. */
function recordedSessions(journal: WorkspaceJournal): readonly Candidate[] {
  const newest = journal.sessions().toReversed().slice(0, mostListed);
  return newest.map(({ session, state }) => ({ value: session, description: state }));
}

async function approvals({ options }: CandidateContext): Promise<readonly Candidate[]> {
  const { QuestionStore } = await import("../engine/approvals/question-store.ts");
  const { workspace, state } = await placesOf(options);
  return new QuestionStore(state)
    .list(workspace)
    .filter(({ answer }) => answer === undefined)
    .map(({ id, request }) => ({ value: id, description: request.tool }));
}

async function heldBack({ options }: CandidateContext): Promise<readonly Candidate[]> {
  const { listHeldBack } = await import("../engine/sandbox/held-back.ts");
  const { recordFolders } = await import("../sandbox/restore-abandoned.ts");
  const { workspace, state } = await placesOf(options);
  const { quarantine } = recordFolders(workspaceFiles(state, workspace).sandbox);
  return listHeldBack(quarantine)
    .filter(({ allowedAt }) => allowedAt === null)
    .map(({ id, path }) => ({ value: id, description: path }));
}

async function models(context: CandidateContext): Promise<readonly Candidate[]> {
  const [{ readModelSettings }, { modelsByName }] = await Promise.all([
    import("../agent/read-model-settings.ts"),
    import("../models/default-model.ts"),
  ]);
  const known = modelsByName(await readModelSettings(), process.env);
  const used = await fromJournal(context, usedModels);
  const names = new Set([...known, ...used.map(({ value }) => value)]);
  return [...names].map((value) => ({ value }));
}

async function usedModels(journal: WorkspaceJournal): Promise<readonly Candidate[]> {
  const { summariseSession } = await import("../agent/records/summarise-session.ts");
  const stored = journal.conversations.list().slice(0, mostListed);
  return stored.flatMap((info) => {
    const { model } = summariseSession(journal.conversations, info);
    return model ? [{ value: model }] : [];
  });
}

const mostListed = 30;
const mostChars = 60;
