/** The limits of one program. The worker enforces time and memory; the process that makes the calls enforces the rest. */
export const limits = {
  /** The time in which it computes. Waiting for calls does not count. */
  computeMs: 10_000,
  /** The memory of its values. */
  memoryBytes: 64 * 1024 * 1024,
  /** The stack of the engine, which must stay within that of the process (`--stack-size`). */
  stackBytes: 256 * 1024,
  /** Calls of tools, and how many run at once. */
  calls: 1_000,
  callsAtOnce: 8,
  /** Questions about tools, whose answers may be long. */
  helps: 100,
  /** Characters that it prints and returns. */
  outputChars: 2_000_000,
  /** Characters of the message of its error. */
  messageChars: 20_000,
  /** Characters of the name of a tool, and of the argument of a call as JSON. */
  nameChars: 500,
  inputChars: 8_000_000,
  /** Bytes of the result of a call. */
  resultBytes: 16_000_000,
} as const;

/** Resident bytes at which the worker process is killed. */
export const mostResidentBytes: number = 700 * 1024 * 1024;

/** The signal for a worker whose program computes for too long inside one operation. Nothing else sends it. */
export const tooMuchTime = "SIGVTALRM";
