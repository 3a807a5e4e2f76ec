import { ToolError } from "../contract/error.ts";

/** Returns the error of a command that timed out because the session was still running `command`. */
export function sessionBusy(session: string, command: string): ToolError {
  return new ToolError("timeout", `${isBusy(session, command)}: the command was not run`, {
    hint: "Wait and retry, use another session, or stop the command with process.stop and the session's name.",
  });
}

export function isBusy(session: string, command: string): string {
  const [line = ""] = command.trim().split("\n");
  return `Session ${session} is still busy with "${line.slice(0, 200)}"`;
}
