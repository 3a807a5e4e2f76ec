import type { ProcessStatus } from "../contract/process.ts";

/** How a process has ended: "ended with exit code 1", "was ended by SIGKILL". */
export function describeEnd({ exitCode, signal }: Pick<ProcessStatus, "exitCode" | "signal">): string {
  if (signal !== null) return `was ended by ${signal}`;
  return exitCode === null ? "has ended" : `ended with exit code ${exitCode}`;
}
