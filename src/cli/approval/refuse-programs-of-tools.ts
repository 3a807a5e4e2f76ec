import { ToolError } from "../../contract/error.ts";
import { runVariable } from "../../system/environment-variables.ts";

/** A model must not act for the person: throws where a command that a tool runs wants to do `what`. */
export function refuseProgramsOfTools(what: string): void {
  if (process.env[runVariable] === undefined) return;
  throw new ToolError("denied", `A command that a tool runs cannot ${what}`, {
    hint: "That is for the person, in a shell of their own.",
  });
}
