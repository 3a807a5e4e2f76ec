import { isTerminal } from "../terminal.ts";

/** Whether somebody sits there to be asked: never in a pipe, for a program, or in continuous integration. */
export function canAsk(options: ReadonlyMap<string, string>): boolean {
  if (options.has("json") || options.has("no-input") || isContinuousIntegration()) return false;
  return isTerminal(2) && process.stdin.isTTY;
}

function isContinuousIntegration(): boolean {
  const said = process.env.CI?.toLowerCase() ?? "";
  return said !== "" && said !== "0" && said !== "false";
}
