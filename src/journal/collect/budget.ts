import { ToolError } from "../../contract/error.ts";

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
