import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { EntryState, Selection } from "../../contract/history.ts";
import { isSameState, liesIn } from "../entry-states.ts";
import type { CallRecord, Journal, RecordedChange } from "../journal.ts";
import type { WholeTransactions } from "../transactions/transaction-records.ts";
import { findCheckpoint } from "./checkpoints.ts";
import type { Contents } from "./contents.ts";
import { type Conflict, decideStep, type Step } from "./plan-undo.ts";
import { stateAt } from "./settle-conflicts.ts";
import type { UndoRecords } from "./undo-records.ts";

/** The calls and paths that may be undone. Only the user may undo calls of other sessions or protected files. */
export interface UndoScope {
  readonly session: string;
  readonly calls: "session" | "workspace";
  /** The reason why a path may not be changed, as a predicate of "it"; undefined when it may. */
  readonly refuses?: ((path: string) => string | undefined) | undefined;
}

interface SelectionContext {
  readonly journal: Journal;
  readonly undos: UndoRecords;
  readonly scope: UndoScope;
  /** Groups of calls that are undone together. */
  readonly wholes: Pick<WholeTransactions, "callsOf" | "of">;
  /** Calls that the selection "last" skips. */
  readonly without?: ReadonlySet<string>;
}

export function selectChanges(selection: Selection, context: SelectionContext): readonly RecordedChange[] {
  const { journal, undos, scope, wholes } = context;
  const allOf = (ids: readonly string[]) => [...new Set(ids.flatMap((id) => wholes.callsOf(id)))];
  const changesOf = (calls: readonly CallRecord[]) =>
    journal.changesOf(allOf(calls.map(({ callId }) => callId)));
  const own = scope.calls === "session" ? { session: scope.session } : {};
  const changing = { changing: true, ...own };
  switch (selection.kind) {
    case "calls":
      return journal.changesOf(
        allOf(selection.ids.flatMap((id) => callsOf(id, journal))).map(
          (id) => findOwn(id, journal, scope).callId,
        ),
      );
    case "range": {
      const [first, last] = [selection.first, selection.last]
        .map((id) => findOwn(id, journal, scope).sequence)
        .sort((one, other) => one - other) as [number, number];
      return changesOf(journal.calls({ ...changing, after: first - 1, upTo: last }));
    }
    case "last":
      return journal.changesOf(allOf(latest(selection.count, changing, context)));
    case "since":
      return changesOf(journal.calls({ ...changing, since: selection.time }));
    case "session":
      return changesOf(journal.calls({ changing: true, session: scope.session }));
    case "checkpoint": {
      const changes = journal.changesAfter(findCheckpoint(journal, selection.name));
      return scope.calls === "workspace"
        ? changes
        : changes.filter(({ callId }) => isOwn(callId, journal, scope));
    }
    case "undo": {
      const isSelected = (callId: string) => scope.calls === "workspace" || isOwn(callId, journal, scope);
      const latestUndo = undos.latest(isSelected);
      return latestUndo === undefined ? [] : journal.changesOf([latestUndo]);
    }
  }
}

/** Returns a call with those that it made, or the calls that changed something in a session of this id. */
function callsOf(id: string, journal: Journal): readonly string[] {
  const found = journal.find(id);
  if (found !== undefined) return withInnerCalls(id, journal);
  const calls = journal.calls({ changing: true, session: id }).map(({ callId }) => callId);
  return calls.length === 0 ? [id] : calls;
}

function withInnerCalls(id: string, journal: Journal): readonly string[] {
  return [id, ...journal.innerCalls(id).flatMap(({ callId }) => withInnerCalls(callId, journal))];
}

/** Returns the call that made this one, directly or through others. */
function outermost(callId: string, journal: Journal): string {
  const parent = journal.find(callId)?.parent ?? null;
  return parent === null ? callId : outermost(parent, journal);
}

/** Returns the latest calls that are neither undone nor undos. A call and those that it made count as one. */
function latest(
  count: number,
  filter: Parameters<Journal["calls"]>[0],
  { journal, undos, without, wholes }: SelectionContext,
): readonly string[] {
  // Calls that are undone together count as one.
  const found = new Map<string, readonly string[]>();
  for (let upTo = Number.MAX_SAFE_INTEGER; found.size < count; ) {
    const calls = journal.calls({ ...filter, upTo, limit: count + 8 });
    const oldest = calls.at(-1);
    if (oldest === undefined) break;
    upTo = oldest.sequence - 1;
    for (const call of calls) {
      const { callId } = call;
      if (without?.has(callId) || undos.isUndo(callId) || undos.undoneBy(callId) !== undefined) continue;
      const first = outermost(callId, journal);
      const whole = wholes.of(callId)?.id ?? first;
      if (!found.has(whole)) found.set(whole, withInnerCalls(first, journal));
    }
  }
  return [...found.values()].slice(0, count).flat();
}

function findOwn(callId: string, journal: Journal, scope: UndoScope): CallRecord {
  const found = journal.find(callId);
  if (found === undefined)
    throw new ToolError("not-found", `There is no call "${callId}" in the journal of this workspace`, {
      hint: "Use a call id from the result of an earlier call.",
      forUser: { hint: "Use a call id from: toolcrib log" },
    });
  if (scope.calls === "session" && found.session !== scope.session)
    throw new ToolError("denied", `${callId} was made in another session; only the user may undo it`, {
      hint: `Ask the user to run: toolcrib undo ${callId}`,
      forUser: { hint: `Run: toolcrib undo ${callId}` },
    });
  return found;
}

function isOwn(callId: string, journal: Journal, { session }: UndoScope): boolean {
  return journal.find(callId)?.session === session;
}

interface LaterCallsParts {
  readonly journal: Pick<Journal, "changesAfter" | "find">;
  readonly environment: Environment;
  readonly contents: Contents;
  readonly scope: UndoScope;
  readonly changes: readonly RecordedChange[];
}

/** Later changes by other calls. Read once, because there may be thousands of paths. */
export class LaterCalls {
  readonly #parts: LaterCallsParts;
  #known: KnownChanges | undefined;
  readonly #tools = new Map<string, string>();

  constructor(parts: LaterCallsParts) {
    this.#parts = parts;
  }

  /** Returns the call that left a path in its current state; undefined when there is none. */
  lastCallOn(path: string, now: EntryState): { readonly callId: string; readonly tool: string } | undefined {
    const { changes, latest: places } = this.#look();
    const latest = changes[Math.max(...withParents(path).map((name) => places.get(name) ?? -1))];
    const isIt = latest && (latest.path === path ? isSameState(latest.after, now) : now.kind === "nothing");
    return isIt ? { callId: latest.callId, tool: this.#toolOf(latest.callId) } : undefined;
  }

  /** Checks a missing path under the name that later calls have given it. */
  async follow(conflict: Conflict): Promise<Conflict | Step> {
    const { net, now, phase } = conflict;
    if (now?.kind !== "nothing") return conflict;
    const path = this.#nameOf(net.path);
    if (path === net.path) return conflict;
    const { contents } = this.#parts;
    const state = await stateAt(path, this.#parts, undefined);
    if ("kind" in state) contents.note(path, state);
    const decided = decideStep({ ...net, path, currentName: path }, state, contents);
    return "reason" in decided ? { ...decided, phase } : decided;
  }

  #nameOf(path: string): string {
    const since = this.#parts.changes.findLast((change) => change.path === path)?.sequence ?? 0;
    return this.#look().changes.reduce((name, { path: to, moved: from, after, sequence }) => {
      const isArrival = sequence > since && from !== undefined && after.kind !== "nothing";
      return isArrival && liesIn(name, [from]) ? to + name.slice(from.length) : name;
    }, path);
  }

  #look(): KnownChanges {
    if (this.#known !== undefined) return this.#known;
    const undone = new Set(this.#parts.changes.map(({ callId }) => callId));
    const changes = this.#parts.journal.changesAfter(this.#parts.changes[0]?.sequence ?? 0);
    const others = changes.flatMap(({ path, callId }, index) =>
      undone.has(callId) ? [] : [[path, index] as const],
    );
    this.#known = { changes, latest: new Map(others) };
    return this.#known;
  }

  #toolOf(callId: string): string {
    const tool = this.#tools.get(callId) ?? this.#parts.journal.find(callId)?.tool ?? "unknown";
    this.#tools.set(callId, tool);
    return tool;
  }
}

interface KnownChanges {
  readonly changes: readonly RecordedChange[];
  /** Index of the latest change by another call, by path. */
  readonly latest: ReadonlyMap<string, number>;
}

/** Returns a path, its parent directories, and the workspace. */
function withParents(path: string): readonly string[] {
  const names = path.split("/");
  return names.map((_, depth) => names.slice(0, depth + 1).join("/")).concat("");
}
