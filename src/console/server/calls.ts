import { ToolError } from "../../contract/error.ts";
import type { SummaryFilter } from "../../journal/journal.ts";
import type { HeldItem, ListedCall, LoggedCall, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { CallDetail, CallPage, CallQuery, CallSummary, ClientName, HeldBackEntry } from "../api.ts";
import { readChanges, readOutput } from "./changes.ts";
import type { Workspaces } from "./workspaces.ts";

/** Returns a page of calls of one or all workspaces, newest first. */
export function listCalls(workspaces: Workspaces, query: CallQuery): CallPage {
  const filter = toFilter(query);
  const limit = Math.min(Math.max(Number(query.limit ?? 100) || 100, 1), 500);
  const positions = query.before === undefined ? undefined : readPositions(query.before);
  const lists = workspaces
    .readEach(query.workspace, (journal, id): readonly List[] => {
      const before = positions?.get(shortId(id));
      if (positions !== undefined && before === undefined) return [];
      const { calls, next } = journal.summaries({ ...filter, limit, before });
      return calls.length === 0 ? [] : [{ id, calls: calls.map((call) => toSummary(call, id)), next }];
    })
    .flat();
  const merged = lists
    .flatMap(({ calls }) => calls)
    .sort((one, other) => other.startedAt - one.startedAt || other.sequence - one.sequence);
  const calls = merged.slice(0, limit);
  const next = nextPositions(lists, calls);
  const isWhole = query.before === undefined && next === null;
  return { calls, next, total: isWhole ? calls.length : countCalls(workspaces, query, filter) };
}

interface List {
  readonly id: string;
  readonly calls: readonly CallSummary[];
  readonly next: number | null;
}

/** Returns where each workspace goes on; null when all have ended. */
function nextPositions(lists: readonly List[], shown: readonly CallSummary[]): string | null {
  const taken = new Set(shown);
  const positions = lists.flatMap(({ id, calls, next }) => {
    const last = calls.findLast((call) => taken.has(call));
    const isDone = last === calls.at(-1) && next === null;
    // Before the call that was shown last, or from the first call that was read on.
    return isDone ? [] : [`${shortId(id)}.${(last?.sequence ?? calls[0]!.sequence + 1).toString(36)}`];
  });
  return positions.length === 0 ? null : positions.join("~");
}

function readPositions(text: string): ReadonlyMap<string, number> {
  const pairs = text.split("~").map((pair): [string, number] => {
    const [, id = "", sequence = ""] = /^(\w{1,40})\.([0-9a-z]{1,10})$/.exec(pair) ?? [];
    if (id === "") throw new ToolError("invalid-input", "`before` is not the `next` of a page.");
    return [id, Number.parseInt(sequence, 36)];
  });
  return new Map(pairs);
}

/** The fingerprint in the id of a workspace, so that the positions of many workspaces fit in an address. */
function shortId(id: string): string {
  return id.slice(id.lastIndexOf("-") + 1);
}

function toFilter(query: CallQuery): Omit<SummaryFilter, "before" | "limit"> {
  const { tool, client, session, target, verdict, path, text, failed, changing } = query;
  return {
    ...{ tool, client, session, target, verdict, path, text },
    failed: failed === "1",
    changing: changing === "1",
  };
}

/** Counts only for the first page, and not when every call would have to be searched again. */
function countCalls(
  workspaces: Workspaces,
  { before, text, path, workspace }: CallQuery,
  filter: Omit<SummaryFilter, "before" | "limit">,
): number | null {
  if (before !== undefined || text || path) return null;
  const counts = workspaces.readEach(workspace, (journal) => journal.countMatching(filter));
  return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}

export function toSummary(call: ListedCall, workspace: string): CallSummary {
  const { callId, sequence, session, target, tool, title, parent, startedAt, durationMs, state, message } =
    call;
  return {
    ...{ workspace, callId, sequence, session, target, tool, title, parent },
    ...{ startedAt, durationMs, state, message },
    client: toClientName(call.client),
    verdict: call.verdict,
    files: call.files,
    undoable: call.undoable === null ? null : coverages[call.undoable],
    heldBack: call.heldBack,
  };
}

export function toHeldBackEntry(
  { id, path, heldAt, allowedAt, rule }: HeldItem,
  workspace: string,
): HeldBackEntry {
  return { workspace, id, path, heldAt, isAllowed: allowedAt !== null, rule };
}

const coverages = { whole: "whole", partly: "part", gone: "none", undone: "undone" } as const;

export function toClientName(client: LoggedCall["client"]): ClientName | null {
  return client && { kind: client.kind, name: client.name ?? null, version: client.version ?? null };
}

/** Returns everything about one call. */
export async function callDetail(
  workspaces: Workspaces,
  {
    workspace,
    callId,
    config,
  }: { readonly workspace: string; readonly callId: string; readonly config: string },
): Promise<CallDetail> {
  const { call, listed, inner, undoneBy, undid } = workspaces.read(workspace, (journal) =>
    readCall(journal, callId),
  );
  const { input, accesses, decision, sandbox, notCovered, outputHandle } = call;
  const [changed, output] = await Promise.all([
    call.undoable === null ? [] : readChanges(workspaces, { workspace, callId, config }),
    outputHandle === null ? null : readOutput(workspaces, workspace, outputHandle).catch(nullIfGone),
  ]);
  const summary = toSummary(listed, workspace);
  return {
    ...summary,
    message: call.message,
    heldEntries: call.heldBack.map((held) => toHeldBackEntry(held, workspace)),
    ...{ input, accesses, decision, sandbox, notCovered, changed, output, undoneBy, undid },
    made: inner.map((made) => toSummary(made, workspace)),
    hint: null,
  };
}

/** Stored outputs are deleted after a week. */
function nullIfGone(error: unknown): null {
  if (error instanceof ToolError && error.code === "not-found") return null;
  throw error;
}

function readCall(journal: WorkspaceJournal, callId: string) {
  const call = journal.find(callId);
  const listed = journal.listed(callId);
  if (call === undefined || listed === undefined)
    throw new ToolError("not-found", "There is no such call in this workspace.", {
      hint: "Reload the page.",
    });
  const inner = journal.innerCalls(callId).flatMap((made) => journal.listed(made.callId) ?? []);
  return { call, listed, inner, ...journal.undosOf(callId) };
}
