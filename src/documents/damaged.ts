import { ToolError } from "../contract/error.ts";

/** What is no whole document of its format. `why`: "its directory is missing". */
export function damaged(name: string, why: string): ToolError {
  return new ToolError("unsupported", `${name} is damaged: ${why}`, {
    hint: "Get the file again, or open it in the program that made it and save it anew.",
  });
}

/** `how` is the program's way to take the password off, if there is a usual one. */
export function encrypted(name: string, how = "Save it without a password"): ToolError {
  return new ToolError("unsupported", `${name} is encrypted: it cannot be read without its password`, {
    hint: `${how}, and read that.`,
  });
}
