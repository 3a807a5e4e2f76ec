import type { Environment } from "../../contract/environment.ts";
import type { EntryState } from "../../contract/history.ts";
import { isSameState, liesIn } from "../entry-states.ts";
import type { Journal, RecordedChange } from "../journal.ts";
import type { Contents } from "./contents.ts";
import { stateAt } from "./look-at.ts";
import { type Conflict, judge, type Step } from "./plan-undo.ts";
import type { Reach } from "./select-calls.ts";

export interface LaterCallsParts {
  readonly journal: Pick<Journal, "changesAfter" | "find">;
  readonly environment: Environment;
  readonly contents: Contents;
  readonly reach: Reach;
  /** What is to be undone. */
  readonly changes: readonly RecordedChange[];
}

/** What other calls have done since to what is to be undone. Looked up once: there may be thousands of paths. */
export class LaterCalls {
  readonly #parts: LaterCallsParts;
  #known: KnownChanges | undefined;
  readonly #tools = new Map<string, string>();

  constructor(parts: LaterCallsParts) {
    this.#parts = parts;
  }

  /** The call that made a path what it is now; undefined when it was none. */
  whoElse(path: string, now: EntryState): { readonly callId: string; readonly tool: string } | undefined {
    const { changes, latest: places } = this.#look();
    const latest = changes[Math.max(...withParents(path).map((name) => places.get(name) ?? -1))];
    const isIt = latest && (latest.path === path ? isSameState(latest.after, now) : now.kind === "nothing");
    return isIt ? { callId: latest.callId, tool: this.#toolOf(latest.callId) } : undefined;
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
    const others = changes.flatMap(({ path, callId }, place) =>
      undone.has(callId) ? [] : [[path, place] as const],
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
  /** All since. */
  readonly changes: readonly RecordedChange[];
  /** Where the latest stands of those that are not to be undone, by path. */
  readonly latest: ReadonlyMap<string, number>;
}

/** A path, the directories that it is in, and the workspace. */
function withParents(path: string): readonly string[] {
  const names = path.split("/");
  return names.map((_, depth) => names.slice(0, depth + 1).join("/")).concat("");
}
