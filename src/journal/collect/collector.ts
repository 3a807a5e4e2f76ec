import { ToolError } from "../../contract/error.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import { attemptQuietly } from "../../system/attempt.ts";
import { claimCollection, postponeCollection } from "../../system/blob-store.ts";
import type { Journal } from "../journal.ts";

interface CollectorOptions {
  readonly journal: Journal;
  readonly folder: string;
  readonly budget: JournalBudget;
  readonly scans?: string;
  /** Whether the history begins in this process. It has nothing to collect in its first minute. */
  readonly isNew?: boolean;
}

/** Keeps the history within its budget, in the background, at most once an hour in each process. */
export class Collector {
  readonly #options: Omit<CollectorOptions, "isNew">;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #isNew: boolean;
  #work: Promise<void> = Promise.resolve();

  constructor({ isNew = false, ...options }: CollectorOptions) {
    this.#options = options;
    this.#isNew = isNew;
    this.#timer = setInterval(() => {
      this.#isNew = false;
      this.#begin(() => this.#closing.signal);
      this.#work = this.#work.then(() => this.#prepareLists(this.#closing.signal));
    }, lookEveryMs).unref();
  }

  /** Collects once more, within a strict time, because a program that makes only one call would never collect. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#work;
    if (!this.#options.journal.hasWritten || this.#isNew) return;
    this.#begin((interrupted) => AbortSignal.timeout(Math.min(closingMs * 2 ** interrupted, maxClosingMs)));
    await this.#work;
  }

  #begin(signalFor: (interrupted: number) => AbortSignal): void {
    this.#work = this.#work.then(() => this.#collect(signalFor));
  }

  /** Pruning continues in further steps. A collection that did not get that far needs more time. */
  #continueLater(interrupted: number, first: number): void {
    const { journal, folder } = this.#options;
    postponeCollection(folder, journal.firstSequence() > first ? interrupted : interrupted + 1);
  }

  /** Prepares the calls that were recorded since for lists and searches, so that these need not wait. */
  async #prepareLists(signal: AbortSignal): Promise<void> {
    const { journal } = this.#options;
    try {
      const timeSlice = new TimeSlice(signal);
      while (journal.hasWritten && journal.prepareSummaries() > 0) await timeSlice.next();
    } catch {
      // A list prepares the rest when it is read.
    }
  }

  /** Collects if it is due. Ignores failures, because the next collection tries again. */
  async #collect(signalFor: (interrupted: number) => AbortSignal): Promise<void> {
    const { journal, folder, ...rest } = this.#options;
    let signal: AbortSignal | undefined;
    let interrupted: number | undefined;
    let first = 0;
    try {
      interrupted = claimCollection(folder, everyMs);
      if (interrupted === undefined) return;
      signal = signalFor(interrupted);
      first = journal.firstSequence();
      const { collect } = await import("./collect.ts");
      const { waitsFor } = await collect(journal, folder, { ...rest, signal });
      if (waitsFor.length > 0) postponeCollection(folder, 0);
      await this.#prepareLists(signal);
    } catch {
      // The database may be locked or closed, or the disk full.
      const count = interrupted;
      if (signal?.aborted && count !== undefined) attemptQuietly(() => this.#continueLater(count, first));
    }
  }
}

const everyMs = 60 * 60 * 1000;
const lookEveryMs = 60 * 1000;
// A program that has answered must end. Only collections that were interrupted before get more time.
const closingMs = 50;
const maxClosingMs = 2_000;

export interface JournalBudget {
  /** The limit of all stored contents and of the database after its first 16 MiB. Default: 1 GiB. */
  readonly maxBytes: number;
  /** The maximum age of contents, records and conversations. Default: 30. */
  readonly maxDays: number;
}

/** Returns the options, else TOOLCRIB_JOURNAL_MAX_BYTES and TOOLCRIB_JOURNAL_MAX_DAYS, else the defaults. */
export function journalBudget(
  options: Partial<JournalBudget> = {},
  variables: NodeJS.ProcessEnv = process.env,
): JournalBudget {
  return {
    maxBytes: options.maxBytes ?? read(variables, "TOOLCRIB_JOURNAL_MAX_BYTES") ?? 1024 ** 3,
    maxDays: options.maxDays ?? read(variables, "TOOLCRIB_JOURNAL_MAX_DAYS") ?? 30,
  };
}

/** Returns how much of one output is stored: TOOLCRIB_OUTPUT_MAX_BYTES. Default: 32 MiB. */
export function outputBudget(variables: NodeJS.ProcessEnv = process.env): number {
  return read(variables, "TOOLCRIB_OUTPUT_MAX_BYTES") ?? 32 * 1024 ** 2;
}

function read(variables: NodeJS.ProcessEnv, name: string): number | undefined {
  const text = variables[name];
  if (!text) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ToolError("invalid-input", `${name} must be a whole number, not "${text}"`, {
    hint: `Set it to a number, for example: ${name}=100`,
  });
}
