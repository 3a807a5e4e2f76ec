import { ToolError } from "../../contract/error.ts";
import { isCollectionDue, postponeCollection } from "../../system/blob-store.ts";
import type { Journal } from "../journal.ts";

interface CollectorOptions {
  readonly journal: Journal;
  readonly folder: string;
  readonly budget: JournalBudget;
  readonly scans?: string;
}

/** Keeps the history within its budget, in the background, at most once an hour in each process. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#begin(this.#closing.signal), lookEveryMs).unref();
  }

  /** Collects once more, because a program that makes only one call would never collect otherwise. */
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

  /** Collects if it is due. Ignores failures, because the next collection tries again. */
  async #collect(signal: AbortSignal): Promise<void> {
    try {
      const { journal, folder, ...rest } = this.#options;
      if (!isCollectionDue(folder, everyMs)) return;
      const { collect } = await import("./collect.ts");
      const { waitsFor } = await collect(journal, folder, { ...rest, signal });
      if (waitsFor.length > 0) postponeCollection(folder);
    } catch {
      // The database may be locked or closed, or the disk full.
    }
  }
}

const everyMs = 60 * 60 * 1000;
const lookEveryMs = 60 * 1000;
// This is enough for some hundred thousand contents. A collection that is always cut off would never remove anything.
const maxClosingMs = 10_000;

export interface JournalBudget {
  /** The limit of all stored contents. Default: 1 GiB. */
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
