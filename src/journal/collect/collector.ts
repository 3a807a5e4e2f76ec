import { isCollectionDue, postponeCollection } from "../../system/blob-store.ts";
import type { Journal } from "../journal.ts";
import type { JournalBudget } from "./budget.ts";

export interface CollectorOptions {
  readonly journal: Journal;
  /** Where the blobs are. */
  readonly folder: string;
  readonly budget: JournalBudget;
  /** Where scans are that have not been completed. */
  readonly scans?: string;
}

/** Keeps the past within its budget: once an hour at most, whichever process gets to it, and in nobody's way. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#begin(this.#closing.signal), lookEveryMs).unref();
  }

  /** Programs that live for one call only would never collect: so it is done at their end. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#work;
    if (!this.#options.journal.hasWritten) return;
    this.#begin(AbortSignal.timeout(maxClosingMs));
    await this.#work;
  }

  #begin(signal: AbortSignal): void {
    this.#work = this.#work.then(() => this.#collect(signal));
  }

  /** What could not be collected now is collected later; nobody's call depends on it. */
  async #collect(signal: AbortSignal): Promise<void> {
    try {
      const { journal, folder, ...rest } = this.#options;
      if (!isCollectionDue(folder, everyMs)) return;
      const { collect } = await import("./collect.ts");
      const { waitsFor } = await collect(journal, folder, { ...rest, signal });
      if (waitsFor.length > 0) postponeCollection(folder);
    } catch {
      // Locked, full or closed: the next one will find it.
    }
  }
}

const everyMs = 60 * 60 * 1000;
const lookEveryMs = 60 * 1000;
// Enough for some hundred thousand contents: who is cut off every time never collects anything.
const maxClosingMs = 10_000;
