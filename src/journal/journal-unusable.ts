import { ToolError } from "../contract/error.ts";

/** The database of a journal cannot be opened, read or written. `comfort` says what that means for the call. */
export function journalUnusable(file: string, cause: unknown, comfort = ""): ToolError {
  if (cause instanceof ToolError) return cause;
  return new ToolError("unavailable", `The journal ${file} cannot be used: ${(cause as Error).message}`, {
    hint: `${comfort}Free disk space, or set TOOLCRIB_HOME to a folder that can be written.`,
    cause,
  });
}
