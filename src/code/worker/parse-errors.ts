import { ToolError } from "../../contract/error.ts";

const readAsText = "Read and edit it as text; other files can still be parsed.";

export function tooSlow(about: string): ToolError {
  return new ToolError("timeout", `${about} took too long to parse`, { hint: readAsText });
}

export function parserCrashed(about: string, how: string, cause: unknown, hint = readAsText): ToolError {
  return new ToolError("unavailable", `The parser crashed on ${about} (${how})`, { hint, cause });
}
