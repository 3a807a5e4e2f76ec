/** The limits of one program. The thread of its engine enforces time and memory; the side that makes the calls enforces the rest. */
export const limits = {
  /** The time in which it computes. Waiting for calls does not count. */
  computeMs: 10_000,
  /** The memory of its values. */
  memoryBytes: 64 * 1024 * 1024,
  /** Pages of 64 KiB of WebAssembly memory: those values, the engine itself, texts that are passed in and out, and gaps. */
  memoryPages: 2_048,
  /** The stack of the engine, which must stay within that of its thread. */
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
  /** Values in the argument of a call: reading and checking many of them blocks all other work. */
  inputValues: 200_000,
  /** Characters of the calls that wait for their turn, and calls in all, with those that are refused. More of them end the program. */
  waitingChars: 64_000_000,
  asks: 10_000,
  /** Bytes of the result of a call, and of all results that the program has not read. */
  resultBytes: 16_000_000,
  unreadBytes: 128_000_000,
} as const;
