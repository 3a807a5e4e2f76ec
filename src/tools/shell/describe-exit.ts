/** How a command has ended. */
export interface CommandExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** In one sentence, with what it usually means; nothing when all went well. */
export function describeExit({ exitCode, signal }: CommandExit): string | undefined {
  if (exitCode === 0) return undefined;
  if (signal !== null) return `Ended by ${signal}${meaning(signals[signal])}.`;
  if (exitCode === null) return "Ended without an exit code.";
  const byNumber = Object.entries(signalNumbers).find(([, number]) => number + 128 === exitCode)?.[0];
  if (byNumber !== undefined) return `Exit code ${exitCode}: ${byNumber}${meaning(signals[byNumber])}.`;
  return `Exit code ${exitCode}${meaning(exitCodes[exitCode])}.`;
}

function meaning(words: string | undefined): string {
  return words === undefined ? "" : `: ${words}`;
}

const exitCodes: Readonly<Record<number, string>> = {
  124: "as `timeout` says when time is up",
  126: "a program was found but could not be run",
  127: "a command was not found",
};

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGSYS: 31,
};

const signals: Readonly<Record<string, string>> = {
  SIGINT: "interrupted",
  SIGABRT: "it gave up, an assertion failed for example",
  SIGBUS: "it crashed",
  SIGFPE: "it crashed, by a division by zero for example",
  SIGILL: "it crashed",
  SIGKILL: "out of memory, or a limit was met, or somebody ended it",
  SIGPIPE: "who read its output has gone",
  SIGSEGV: "it crashed",
  SIGSYS: "the sandbox forbids what it asked of the system",
  SIGTERM: "somebody asked it to end",
  SIGXCPU: "its CPU time was used up",
  SIGXFSZ: "a file became larger than allowed",
};
