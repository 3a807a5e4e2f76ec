import { ToolError } from "../../contract/error.ts";

const readAsText = "Other files can still be parsed; read and edit this one as text.";

export function tooSlow(about: string): ToolError {
  return new ToolError("timeout", `${about} took too long to parse`, { hint: readAsText });
}

export function parserCrashed(about: string, how: string, cause: unknown, hint = readAsText): ToolError {
  return new ToolError("unavailable", `The parser crashed on ${about} (${how})`, { hint, cause });
}
