import { exportSession } from "../../agent/records/export/export-session.ts";
import type { AgentNode } from "../../agent/session.ts";
import { pricesOf } from "../../agent/session-model.ts";
import { ToolError } from "../../contract/error.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import type { ModelSettings } from "../../models/settings.ts";
import { redactValue, type SessionRecord, type WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { AgentItem, SessionDetail, SessionPage, SessionSummary } from "../api.ts";
import { toClientName } from "./calls.ts";
import { RecordedConversation } from "./conversation.ts";
import type { LiveSessions } from "./live-sessions.ts";
import type { Workspaces } from "./workspaces.ts";

/** The recorded sessions of all workspaces: agents, MCP clients, commands and programs. */
export class Sessions {
  readonly #workspaces: Workspaces;
  readonly #live: Pick<LiveSessions, "get">;
  readonly #settings: ModelSettings;
  /** Conversations that were read, the latest at the end. */
  readonly #read = new Map<string, RecordedConversation>();

  constructor(workspaces: Workspaces, live: Pick<LiveSessions, "get">, settings: ModelSettings) {
    this.#workspaces = workspaces;
    this.#live = live;
    this.#settings = settings;
  }

  /** Returns the sessions that a running process has open, except those of consoles. */
  open(workspace: string): readonly SessionSummary[] {
    return this.#workspaces.read(workspace, (journal) => {
      const records = journal
        .sessions()
        .filter(({ state, client }) => state === "open" && client?.kind !== "console");
      return this.#summaries(workspace, journal, records);
    });
  }

  /**
   * Returns a page of the sessions of one or all workspaces, the latest first. Without `all`, no single calls and no undos
   * of a console.
   */
  list({ workspace, before, all }: SessionQuery): SessionPage {
    const found = this.#workspaces
      .readEach(workspace, (journal, id) => latest(journal).map((found) => ({ ...found, id })))
      .flat()
      .filter(({ record: { client }, isTalk }) => {
        // The console also opens forks of conversations.
        return all || isTalk || (client?.kind !== "cli" && client?.kind !== "console");
      })
      .filter(({ lastAt, record }) => before === undefined || keyOf(lastAt, record.session) < before)
      .sort((one, other) =>
        keyOf(one.lastAt, one.record.session) < keyOf(other.lastAt, other.record.session) ? 1 : -1,
      );
    const shown = found.slice(0, pageSize);
    const sessions = shown.flatMap(({ id, record }) =>
      this.#workspaces.read(id, (journal) => this.#summaries(id, journal, [record])),
    );
    const last = found.length > pageSize ? shown.at(-1) : undefined;
    return { sessions, next: last ? keyOf(last.lastAt, last.record.session) : null };
  }

  detail(workspace: string, session: string): SessionDetail {
    return this.#workspaces.read(workspace, (journal) => {
      const [summary] = this.#summaries(workspace, journal, [recordOf(journal, session)]);
      const conversation = this.#conversation(workspace, journal, session);
      const { items = [], usage = [], agents = [] } = conversation ?? {};
      const live = this.#live.get(session);
      const shown = { entries: items, agents: live ? live.agents.map(toAgent) : agents.map(ended) };
      return {
        ...summary!,
        ...redactValue({ ...shown, plan: live?.plan ?? planOf(journal, session) }),
        usage,
      };
    });
  }

  /** Returns the conversation as Markdown, with secrets redacted. */
  export(workspace: string, session: string): string {
    return this.#workspaces.read(workspace, (journal) => {
      const entries = journal.conversations.entries(session);
      if (entries.length === 0) throw noSuchSession();
      return exportSession(session, entries, "markdown");
    });
  }

  #summaries(
    workspace: string,
    journal: WorkspaceJournal,
    records: readonly SessionRecord[],
  ): readonly SessionSummary[] {
    const counts = journal.countCalls(records.map(({ session }) => session));
    return records.map(({ session, client, openedAt, state, pid }) => {
      const conversation = this.#conversation(workspace, journal, session);
      const { calls = 0, lastAt = openedAt } = counts.get(session) ?? {};
      const live = state === "open" ? this.#live.get(session) : undefined;
      return {
        ...{ workspace, session, openedAt, state, calls },
        client: toClientName(client),
        lastAt: Math.max(lastAt, conversation?.lastAt ?? 0),
        live: live === undefined || live.state === "closed" ? null : live.state,
        pid: pid ?? null,
        title: redactValue(conversation?.title ?? null),
        // An agent says its model and turns only once, so its conversation knows them better.
        model: conversation?.model ?? live?.model ?? null,
        cost: live ? live.cost : (conversation?.cost ?? null),
        turns: conversation?.turns ?? live?.turns ?? 0,
        parent: conversation?.parent ?? null,
        canSteer: live !== undefined,
      };
    });
  }

  /** Returns a conversation with everything recorded so far; undefined when there is none. */
  #conversation(
    workspace: string,
    journal: WorkspaceJournal,
    session: string,
  ): RecordedConversation | undefined {
    const key = `${workspace}/${session}`;
    const known = this.#read.get(key);
    const entries = journal.conversations.entries(session, { from: known?.readTo ?? 1 });
    this.#read.delete(key);
    const [first, ...rest] = entries;
    if (first === undefined) return undefined;
    // The user may have deleted the conversation since then.
    const isSame = known !== undefined && first.number === known.readTo;
    const conversation = isSame
      ? known
      : new RecordedConversation(session, (model) => pricesOf(model, this.#settings));
    conversation.read(isSame ? rest : journal.conversations.entries(session));
    this.#read.set(key, conversation);
    if (this.#read.size > maxRead) this.#read.delete(this.#read.keys().next().value!);
    return conversation;
  }
}

interface SessionQuery {
  readonly workspace?: string | undefined;
  readonly before?: string | undefined;
  readonly all: boolean;
}

function toAgent({ id, task, state, agents }: AgentNode): AgentItem {
  return { id, task, state, agents: agents.map(toAgent) };
}

/** Subagents end with the process of their session. */
function ended({ id, task, state, agents }: AgentItem): AgentItem {
  return { id, task, state: state === "running" ? "interrupted" : state, agents: agents.map(ended) };
}

const pageSize = 50;
const maxRead = 100;

/** Sorts by time; the session makes it unique. */
function keyOf(lastAt: number, session: string): string {
  return `${String(lastAt).padStart(15, "0")}.${session}`;
}

/** Returns the sessions that made calls or have a conversation, with the time of the latest. */
function latest(journal: WorkspaceJournal): readonly LatestSession[] {
  const talks = new Map(journal.conversations.list().map((info) => [info.session, info.lastAt]));
  const records = journal.sessions();
  const counts = journal.countCalls(records.map(({ session }) => session));
  return records.flatMap((record) => {
    const { session, openedAt, state } = record;
    const isTalk = talks.has(session);
    const used = counts.has(session) || isTalk || state === "open";
    const lastAt = Math.max(openedAt, counts.get(session)?.lastAt ?? 0, talks.get(session) ?? 0);
    return used ? [{ record, lastAt, isTalk }] : [];
  });
}

interface LatestSession {
  readonly record: SessionRecord;
  readonly lastAt: number;
  /** Whether it has a conversation with a model. */
  readonly isTalk: boolean;
}

function recordOf(journal: WorkspaceJournal, session: string): SessionRecord {
  const found = journal.sessions().find((record) => record.session === session);
  if (found === undefined) throw noSuchSession();
  return found;
}

function noSuchSession(): ToolError {
  return new ToolError("not-found", "There is no such session in this workspace.", {
    hint: "Reload the page.",
  });
}

/** Returns the plan that the session recorded last. */
function planOf(journal: WorkspaceJournal, session: string): SessionDetail["plan"] {
  const calls = journal.calls({ session, tool: "plan.update", limit: 20 });
  const steps = calls.map(({ input }) => (isRecord(input) ? input.steps : undefined)).find(Array.isArray);
  return (steps ?? []).flatMap((step: unknown) =>
    isRecord(step) && typeof step.step === "string"
      ? [{ text: step.step, state: planStates[String(step.status)] ?? "pending" }]
      : [],
  );
}

const planStates: { readonly [status: string]: "active" | "done" | undefined } = {
  in_progress: "active",
  completed: "done",
  cancelled: "done",
};
