import { dirname, join } from "node:path";
import { socketFolder } from "../../agent/live/live-protocol.ts";
import { ToolError } from "../../contract/error.ts";
import { FolderWatch } from "../../system/folder-watch.ts";
import { FileStamps } from "../../system/policy-files.ts";
import type { ConsoleEvent, Overview } from "../api.ts";
import { toSummary } from "./calls.ts";
import type { LiveSessions } from "./live-sessions.ts";
import { readPart, toOverview, type WorkspacePart } from "./overview.ts";
import type { Questions } from "./questions.ts";
import { maxRecent, type NumberedEvent, RecentEvents } from "./recent-events.ts";
import type { Sessions } from "./sessions.ts";
import type { Workspaces } from "./workspaces.ts";

type Listener = (event: NumberedEvent) => void;

/**
 * Follows the journals and pending approvals of all workspaces, for all pages together. Clients know nothing about it: it
 * looks at the time stamps of their files, and reads a journal only when one has changed. It looks often where something
 * has just changed, and watches the folders of the other workspaces. It rests while nothing listens.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #followed = new Map<string, Followed>();
  readonly #listeners = new Set<Listener>();
  readonly #recent = new RecentEvents();
  readonly #closed = new AbortController();
  readonly #watch = new FolderWatch((group) => {
    if (group === newcomers) this.#newUntil = performance.now() + newcomersMs;
    this.#lookSoon();
  });
  #overview: Overview | undefined;
  #overviewText = "";
  /** Undefined when they may have changed. */
  #approvals: Overview["approvals"] | undefined;
  #isTouched = false;
  #preparing: Promise<void> = Promise.resolve();
  /** Until then, workspaces and sessions may be opening. */
  #newUntil = 0;
  #lookedAt = 0;
  #lookedAtAllAt = Number.NEGATIVE_INFINITY;
  #checkedAt = 0;
  /** The cost of the last look at all workspaces. */
  #costMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isSoon = false;
  #hasWarned = false;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    parts.questions.onChange(() => {
      this.#approvals = undefined;
      this.#touch();
    });
    parts.live.onChange((path) => {
      const followed = this.#followed.get(parts.workspaces.idOf(path));
      if (followed !== undefined) followed.isStale = true;
      this.#touch();
    });
  }

  /** The id of the latest event. */
  get lastId(): string {
    return this.#recent.lastId;
  }

  /** Returns the current overview. */
  overview(): Overview {
    // Without a listener nothing is followed, so everything is looked at now.
    if (this.#listeners.size === 0) this.#look({ all: true });
    return this.#overview ?? this.#look({ all: true });
  }

  /**
   * Calls the listener with the overview, and with everything that happens from now on. With the id of an event, first
   * with the calls since then.
   */
  subscribe(listener: Listener, after?: string): () => void {
    const overview = this.overview();
    const missing = after === undefined ? [] : this.#recent.since(after);
    this.#listeners.add(listener);
    // A stream that breaks before the missing calls are sent resumes at the same event.
    listener({ id: after ?? this.lastId, event: { type: "overview", overview } });
    for (const event of missing) listener(event);
    this.#schedule(fastestMs);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#rest();
    };
  }

  /** Looks at once, because the console itself has changed something. */
  nudge(): void {
    if (this.#listeners.size > 0) this.#look({ all: false });
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Calls the listener when the console closes. Returns a function that ends this. */
  onClose(listener: () => void): () => void {
    this.#closed.signal.addEventListener("abort", listener, { once: true });
    return () => this.#closed.signal.removeEventListener("abort", listener);
  }

  close(): void {
    this.#rest();
    this.#listeners.clear();
    this.#closed.abort();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#watch.close();
  }

  /** Something may have changed that no file shows. */
  #touch(): void {
    this.#isTouched = true;
    this.#lookSoon();
  }

  /** One call writes several times, so its first write is not looked at alone. */
  #lookSoon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#schedule(Math.max(fastestMs - (performance.now() - this.#lookedAt), togetherMs));
  }

  #schedule(pause: number): void {
    clearTimeout(this.#timer);
    if (this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => {
      try {
        this.#look({ all: false });
        this.#hasWarned = false;
      } catch (error) {
        // The next look may succeed, for example when file descriptors are free again.
        if (!this.#hasWarned)
          process.emitWarning(`The console could not look for changes: ${(error as Error).message}`);
        this.#hasWarned = true;
      }
      this.#schedule(this.#pause);
    }, pause).unref();
  }

  get #pause(): number {
    const now = performance.now();
    // A question whose session ends must not stay, and nothing tells about that.
    const isBusy = this.#isTouched || now < this.#newUntil || this.#parts.questions.areOpen;
    return isBusy || [...this.#followed].some(([id, found]) => this.#isDue(id, found, now))
      ? fastestMs
      : this.#pauseBetweenAll;
  }

  /** Looks are frequent while some folders are not watched, but take at most half a percent of the time. */
  get #pauseBetweenAll(): number {
    const isWatched = (group: string) => this.#watch.has(group);
    return isWatched(newcomers) && [...this.#followed.keys()].every(isWatched)
      ? netMs
      : Math.min(Math.max(this.#costMs * restFactor, quietMs), slowestMs);
  }

  /** Whether something has just changed in a workspace, or its folders can be watched from now on. */
  #isDue(id: string, followed: Followed | undefined, now: number): boolean {
    if (followed === undefined || now <= followed.hotUntil) return true;
    return !this.#watch.has(id) && followed.canWatch !== false;
  }

  #look({ all }: { readonly all: boolean }): Overview {
    const begun = performance.now();
    this.#isSoon = false;
    this.#lookedAt = begun;
    // Some file systems do not tell about changes.
    const isAll = all || begun - this.#lookedAtAllAt > this.#pauseBetweenAll * 0.9;
    if (isAll) this.#lookedAtAllAt = begun;
    const isAsked = this.#parts.questions.hasChanged();
    if (isAsked) this.#approvals = undefined;
    let isChanged = all || isAsked || this.#overview === undefined || this.#isTouched;
    this.#isTouched = false;
    for (const id of this.#knownIds(begun))
      if ((isAll || this.#isDue(id, this.#followed.get(id), begun)) && this.#lookAt(id, begun, all))
        isChanged = true;
    // Sessions and calls of a process that died leave no record.
    const isOld = begun - this.#checkedAt > recheckMs;
    if (isChanged || isOld) this.#renew(begun, { all, isOld });
    // Reading a change is not part of the cost of looking for one.
    if (isAll && !isChanged && !isOld) this.#costMs = performance.now() - begun;
    return this.#overview!;
  }

  /** Attaches to new sessions too. */
  #knownIds(now: number): readonly string[] {
    const { workspaces, live } = this.#parts;
    const { state } = workspaces;
    // A folder is watched before it is looked at, so that nothing happens in between.
    if (this.#listeners.size > 0 && now > this.#newUntil && !this.#watch.has(newcomers))
      this.#watch.add(newcomers, [state, join(state, "workspaces"), socketFolder(state)]);
    live.look();
    const ids = workspaces.ids();
    const known = new Set(ids);
    for (const id of this.#followed.keys()) {
      if (known.has(id)) continue;
      this.#followed.delete(id);
      this.#watch.remove(id);
    }
    return ids;
  }

  /** Returns whether the workspace has changed. */
  #lookAt(id: string, now: number, all: boolean): boolean {
    const { workspaces } = this.#parts;
    const found = this.#followed.get(id);
    try {
      if (found === undefined) {
        const { journal } = workspaces.files(id);
        const stamps = new FileStamps([journal, `${journal}-wal`]);
        const upTo = workspaces.read(id, (journal) => journal.lastSequence());
        this.#preparing = this.#preparing.then(() => this.#prepare(id));
        this.#followed.set(id, {
          stamps,
          upTo: this.#overview === undefined ? upTo : 0,
          hotUntil: now + hotMs,
          restUntil: 0,
        });
        // A workspace that appears while others are followed has only new calls.
        if (this.#overview !== undefined) this.#lookAt(id, now, true);
        return true;
      }
      if (now > found.hotUntil && !this.#watch.has(id)) this.#watchFolders(id);
      if (!found.stamps.areSame) {
        found.hotUntil = now + hotMs;
        this.#watch.remove(id);
      }
      // Two writes within one tick of the file system's clock look like one, so a changed journal is read for a while.
      if (!all && (now < found.restUntil || now > found.hotUntil)) return false;
      found.stamps.note();
      const begun = performance.now();
      const isNew = this.#readNew(id, found);
      // Many calls are read together, which disturbs their writer less.
      found.restUntil = now + Math.min((performance.now() - begun) * readRestFactor, maxReadRestMs);
      return isNew;
    } catch (error) {
      // A journal that cannot be read now must not hide the others.
      if (error instanceof ToolError) return false;
      throw error;
    }
  }

  #watchFolders(id: string): void {
    if (this.#listeners.size === 0) return;
    const { journal } = this.#parts.workspaces.files(id);
    this.#watch.add(id, [dirname(journal)]);
    const followed = this.#followed.get(id);
    if (followed !== undefined) followed.canWatch = this.#watch.has(id);
  }

  /** Lists and counts of a long journal are quick once it is prepared. */
  async #prepare(id: string): Promise<void> {
    try {
      await this.#parts.workspaces.read(id, (journal) => journal.prepare(this.#closed.signal));
    } catch {
      // It was closed meanwhile, or cannot be read. Lists then prepare what they need.
      return;
    }
    const followed = this.#followed.get(id);
    if (followed !== undefined) followed.isStale = true;
    this.#touch();
  }

  #readNew(id: string, followed: Followed): boolean {
    return this.#parts.workspaces.read(id, (journal) => {
      const last = journal.lastSequence();
      if (last === followed.upTo) return false;
      followed.isStale = true;
      // A damaged journal was replaced by a new one, or much happened while nothing listened.
      if (last < followed.upTo || last - followed.upTo > maxRecent) {
        followed.upTo = last;
        this.#emit({ type: "missed" });
        return true;
      }
      const { calls, upTo } = journal.changedSince(followed.upTo);
      followed.upTo = upTo;
      if (calls.length > 0) this.#emit({ type: "calls", calls: calls.map((call) => toSummary(call, id)) });
      return true;
    });
  }

  #renew(now: number, { all, isOld }: { readonly all: boolean; readonly isOld: boolean }): void {
    const { questions, version } = this.#parts;
    if (isOld) this.#checkedAt = now;
    if (all) this.#approvals = undefined;
    for (const [id, followed] of this.#followed) {
      const { part, isStale = true, readAt = -partMs } = followed;
      // The user can allow a held entry in a terminal.
      const isLive =
        part !== undefined && [part.sessions, part.running, part.heldBack].some(({ length }) => length > 0);
      if (!isStale && !(isLive && (isOld || all))) continue;
      if (all || now - readAt >= partMs) this.#readPart(id, followed, now);
      // It is read with one of the next looks.
      else this.#isTouched = true;
    }
    this.#approvals ??= questions.list();
    const parts = [...this.#followed.values()].flatMap(({ part }) => part ?? []);
    const overview = toOverview(version, parts, this.#approvals);
    const text = JSON.stringify(overview);
    this.#overview = overview;
    if (text === this.#overviewText) return;
    this.#overviewText = text;
    this.#emit({ type: "overview", overview });
  }

  #readPart(id: string, followed: Followed, now: number): void {
    const { workspaces, sessions } = this.#parts;
    try {
      followed.part = readPart(workspaces, sessions, id);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
    followed.isStale = false;
    followed.readAt = now;
  }

  #emit(event: ConsoleEvent): void {
    const numbered = this.#recent.add(event);
    for (const listener of this.#listeners) listener(numbered);
  }
}

interface FollowerParts {
  readonly version: string;
  readonly workspaces: Workspaces;
  readonly sessions: Sessions;
  readonly questions: Questions;
  readonly live: Pick<LiveSessions, "look" | "onChange">;
}

interface Followed {
  readonly stamps: FileStamps;
  upTo: number;
  hotUntil: number;
  /** False when the system could not watch its folders. */
  canWatch?: boolean;
  /** Its journal is not read again before. */
  restUntil: number;
  part?: WorkspacePart;
  /** Whether the part may have changed since `readAt`. */
  isStale?: boolean;
  readAt?: number;
}

/** The name of the folders in which workspaces and sessions appear. */
const newcomers = "";
const newcomersMs = 5000;

/** A question must be visible within 300 ms, also the first one of a new session. */
const fastestMs = 100;
const slowestMs = 1000;
const togetherMs = 20;
/** How often watched folders are looked at. */
const netMs = 2000;
/** How often folders are looked at that cannot be watched. */
const quietMs = 200;
const restFactor = 200;
const readRestFactor = 10;
const maxReadRestMs = 300;
const hotMs = 1000;
/** How often the part of a busy workspace is read. Its calls and questions are shown at once. */
const partMs = 500;
const recheckMs = 5000;
