import { ToolError } from "../../contract/error.ts";
import { isCollectionDue, postponeCollection } from "../../system/blob-store.ts";
import type { Journal } from "../journal.ts";

interface CollectorOptions {
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

/** How much of the past is kept. */
export interface JournalBudget {
  /** Of contents of files as they were; 1 GiB if not said. */
  readonly maxBytes: number;
  /** Of everything; 30 if not said. */
  readonly maxDays: number;
}

/** What is said in the options, else in TOOLCRIB_JOURNAL_MAX_BYTES and TOOLCRIB_JOURNAL_MAX_DAYS, else the usual. */
export function journalBudget(
  said: Partial<JournalBudget> = {},
  variables: NodeJS.ProcessEnv = process.env,
): JournalBudget {
  return {
    maxBytes: said.maxBytes ?? read(variables, "TOOLCRIB_JOURNAL_MAX_BYTES") ?? 1024 ** 3,
    maxDays: said.maxDays ?? read(variables, "TOOLCRIB_JOURNAL_MAX_DAYS") ?? 30,
  };
}

/** How much of one output is kept that is too long to show: as TOOLCRIB_OUTPUT_MAX_BYTES says, else the usual. */
export function outputBudget(variables: NodeJS.ProcessEnv = process.env): number {
  return read(variables, "TOOLCRIB_OUTPUT_MAX_BYTES") ?? 32 * 1024 ** 2;
}

function read(variables: NodeJS.ProcessEnv, name: string): number | undefined {
  const text = variables[name];
  if (!text) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ToolError("invalid-input", `${name} must be a whole number, not "${text}"`, {
    hint: `For example: ${name}=100.`,
  });
}
