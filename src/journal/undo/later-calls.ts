import type { Environment } from "../../contract/environment.ts";
import type { EntryState } from "../../contract/history.ts";
import { isSameState, liesIn } from "../entry-states.ts";
import type { Journal, RecordedChange } from "../journal.ts";
import type { Contents } from "./contents.ts";
import { stateAt } from "./look-at.ts";
import { type Conflict, judge, type Step } from "./plan-undo.ts";
import type { Reach } from "./select-calls.ts";

export interface LaterCallsParts {
  readonly journal: Journal;
  readonly environment: Environment;
  readonly contents: Contents;
  readonly reach: Reach;
  /** What is to be undone. */
  readonly changes: readonly RecordedChange[];
}

/** What other calls have done since to what is to be undone. */
export class LaterCalls {
  readonly #parts: LaterCallsParts;

  constructor(parts: LaterCallsParts) {
    this.#parts = parts;
  }

  /** The call that made a path what it is now; undefined when it was none. */
  whoElse(path: string, now: EntryState): { readonly callId: string; readonly tool: string } | undefined {
    const { journal, changes } = this.#parts;
    const undone = new Set(changes.map(({ callId }) => callId));
    const latest = journal
      .changesAfter(changes[0]?.sequence ?? 0)
      .findLast((change) => liesIn(path, [change.path]) && !undone.has(change.callId));
    const isIt = latest && (latest.path === path ? isSameState(latest.after, now) : now.kind === "nothing");
    if (!isIt) return undefined;
    return { callId: latest.callId, tool: journal.find(latest.callId)?.tool ?? "unknown" };
  }

  /** Judges what is gone under the name that calls have given it since. */
  async follow(conflict: Conflict): Promise<Conflict | Step> {
    const { net, now, phase } = conflict;
    if (now?.kind !== "nothing") return conflict;
    const path = this.#nameOf(net.path);
    if (path === net.path) return conflict;
    const { contents } = this.#parts;
    const state = await stateAt(path, this.#parts, undefined);
    if ("kind" in state) contents.note(path, state);
    const judged = judge({ ...net, path, present: path }, state, contents);
    return "reason" in judged ? { ...judged, phase } : judged;
  }

  #nameOf(path: string): string {
    const { journal, changes } = this.#parts;
    const since = changes.findLast((change) => change.path === path)?.sequence ?? 0;
    return journal.changesAfter(since).reduce((name, { path: to, moved: from, after }) => {
      const isArrival = from !== undefined && after.kind !== "nothing";
      return isArrival && liesIn(name, [from]) ? to + name.slice(from.length) : name;
    }, path);
  }
}
