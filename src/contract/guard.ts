import { ToolError } from "./error.ts";

/**
 * Refuses paths in every mode: secrets, protected files, deny rules. Pure. The environment calls it with the real path that
 * it has reached, so that no link, spelling or race gets around it.
 */
export type PathGuard = (use: "read" | "write", realPath: string) => PathRefusal | undefined;

export interface PathRefusal {
  /** Continues a sentence after the path: "may hold secrets". */
  readonly reason: string;
  /** The rule as written, and its source: `secret .env* (built-in)`. */
  readonly rule: string;
}

/** The environment's error for a path that the guard refuses. Searches leave such files out and say so. */
export class RefusedPath extends ToolError {
  /** `given` is the caller's spelling, or a folder around it; `path` is real, relative to the workspace. */
  constructor(given: string, path: string, refusal: PathRefusal) {
    const isClass = /^(?:secret|protected)\b/.test(refusal.rule);
    super("denied", `${subject(given, path)} ${refusal.reason} (${refusal.rule})`, {
      hint: `Do not work around it. Continue without it, or ask the user to ${isClass ? `add the rule: open ${path}` : "change the rule."}`,
      forUser: {
        hint: isClass
          ? `To allow it, add --rule 'open ${path}'`
          : "To allow it, change or remove that rule. To list all rules, run: toolcrib policy show",
      },
    });
  }
}

function subject(given: string, path: string): string {
  if (given === path || given.endsWith(`/${path}`)) return given;
  return `${given} ${path.startsWith(`${given}/`) ? "holds" : "leads to"} ${path}, which`;
}

/**
 * Directories outside the workspace where tools can reach files by name; listing, searching and running stay inside the
 * workspace. Absolute, with everything in them. Secrets, system directories and Toolcrib's own data stay refused.
 */
export interface ExtraRoots {
  /** Files there may be read. */
  readonly read?: readonly string[];
  /** Files there may be read and written, as in the workspace. */
  readonly write?: readonly string[];
  /** The same, but each write needs approval, in modes that ask. */
  readonly ask?: readonly string[];
  /** Files and directories that no tool may read or write, such as the data of the embedding program. */
  readonly except?: readonly string[];
}
