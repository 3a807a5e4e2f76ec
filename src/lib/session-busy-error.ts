import { ToolError } from "../contract/error.ts";

/** A command's time was up before the session had finished with another. */
export function sessionBusy(session: string, command: string): ToolError {
  return new ToolError("timeout", `${isBusy(session, command)}: the command was not run`, {
    hint: "Wait and run it again, use another session or none, or end what runs there by process.stop with the session's name.",
  });
}

export function isBusy(session: string, command: string): string {
  const [line = ""] = command.trim().split("\n");
  return `Session ${session} is still busy with "${line.slice(0, mostShown)}"`;
}

const mostShown = 200;
