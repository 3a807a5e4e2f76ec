import { batch, signal } from "@preact/signals";
import type { CallPage, CallQuery, CallSummary } from "../api.ts";
import { get } from "./request.ts";

/**
 * The calls that match a filter, newest first, as far as they are loaded. New calls wait in `held` while the user reads
 * further below, so that nothing moves.
 */
export class CallList {
  readonly query: CallQuery;
  readonly calls = signal<readonly CallSummary[]>([]);
  readonly held = signal<readonly CallSummary[]>([]);
  readonly total = signal<number | null>(null);
  readonly state = signal<"loading" | "ready" | "end">("loading");
  readonly error = signal<unknown>(null);
  #next: string | null = null;
  #isLoading = false;
  #isStale = false;
  /** The end of the held calls, when more arrived than a page has: the list then begins again with them. */
  #restart: string | null = null;

  /** Settles when the first page is loaded, which begins at once: effects would wait for a frame. */
  readonly firstPage: Promise<void>;

  constructor(query: CallQuery) {
    this.query = query;
    this.firstPage = this.more();
  }

  /** Loads the first page, or the next one. */
  async more(): Promise<void> {
    if (this.#isLoading || this.state.value === "end") return;
    this.#isLoading = true;
    try {
      const before = this.#next === null ? {} : { before: this.#next };
      const from = this.#next;
      const page = await get<CallPage>("/api/calls", { ...this.query, ...before, limit: "200" });
      // The list began again meanwhile.
      if (this.#next !== from) return;
      batch(() => {
        this.calls.value = [...this.calls.value, ...page.calls];
        if (page.total !== null || this.#next === null) this.total.value = page.total;
        this.#next = page.next;
        this.state.value = page.next === null ? "end" : "ready";
        this.error.value = null;
      });
    } catch (error) {
      this.error.value = error;
    } finally {
      this.#isLoading = false;
    }
  }

  /** Takes over the ends of calls in the list, and asks the server for calls that it does not know. */
  update(changed: readonly CallSummary[]): void {
    if (this.state.value === "loading") return;
    const byKey = new Map(changed.map((call) => [keyOf(call), call]));
    const replace = (call: CallSummary) => {
      const newer = byKey.get(keyOf(call));
      byKey.delete(keyOf(call));
      return newer ?? call;
    };
    const isKnown = (call: CallSummary) => byKey.has(keyOf(call));
    if (this.calls.value.some(isKnown)) this.calls.value = this.calls.value.map(replace);
    if (this.held.value.some(isKnown)) this.held.value = this.held.value.map(replace);
    if (byKey.size > 0) void this.refresh();
  }

  /** Loads the newest calls. Only the server can say which of them match. */
  async refresh(): Promise<void> {
    if (this.#isStale) return;
    this.#isStale = true;
    // One request for many events.
    await new Promise((resolve) => setTimeout(resolve, 150));
    this.#isStale = false;
    const page = await get<CallPage>("/api/calls", { ...this.query, limit: "200" }).catch(() => null);
    if (page === null) return;
    const known = new Set([...this.held.value, ...this.calls.value].map(keyOf));
    const fresh = page.calls.filter((call) => !known.has(keyOf(call)));
    batch(() => {
      this.total.value = page.total;
      const hasGap = fresh.length === page.calls.length && page.next !== null;
      if (hasGap) this.#restart = page.next;
      this.held.value = hasGap ? fresh : [...fresh, ...this.held.value];
    });
  }

  /** Shows the calls that were held back. */
  release(): void {
    if (this.held.value.length === 0) return;
    batch(() => {
      this.calls.value = this.#restart === null ? [...this.held.value, ...this.calls.value] : this.held.value;
      if (this.#restart !== null) {
        this.#next = this.#restart;
        this.state.value = "ready";
      }
      this.#restart = null;
      this.held.value = [];
    });
  }
}

export function keyOf({ workspace, callId }: Pick<CallSummary, "workspace" | "callId">): string {
  return `${workspace} ${callId}`;
}
