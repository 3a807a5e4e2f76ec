import { ToolError } from "./error.ts";

/**
 * Refuses paths in every mode: secrets, protected files, deny rules. Pure. The environment asks it about the real path
 * that it has reached, so that no link, spelling or race leads around it.
 */
export type PathGuard = (use: "read" | "write", realPath: string) => PathRefusal | undefined;

export interface PathRefusal {
  /** "may hold secrets", to go on after the path. */
  readonly reason: string;
  /** The rule as written, and where: `secret .env* (built-in)`. */
  readonly rule: string;
}

/** What the environment throws for a path that the guard refuses: searches leave such files out and say so. */
export class RefusedPath extends ToolError {
  /** `given` is how the caller spelled it, or what holds it; `path` is real, relative to the workspace. */
  constructor(given: string, path: string, refusal: PathRefusal) {
    super("denied", `${subject(given, path)} ${refusal.reason} (${refusal.rule})`, {
      hint: `This holds in every mode. ${wayOut(path, refusal)}`,
    });
  }
}

function subject(given: string, path: string): string {
  if (given === path || given.endsWith(`/${path}`)) return given;
  return `${given} ${path.startsWith(`${given}/`) ? "holds" : "leads to"} ${path}, which`;
}

function wayOut(path: string, { rule }: PathRefusal): string {
  if (!/^(?:secret|protected)\b/.test(rule)) return "Do without it, or ask the person, who wrote the rule.";
  return `Do without it, or ask the person: a line "open ${path}" in their own rules lifts it.`;
}

/**
 * Where the tools of a room reach besides its workspace, file by file: what lists, searches or runs stays in it. Absolute
 * directories, with all in them; secrets, system directories and Toolcrib's own data stay refused.
 */
export interface ExtraRoots {
  /** Files may be read there. */
  readonly read?: readonly string[];
  /** Files may be read and written there, as in the workspace. */
  readonly write?: readonly string[];
  /** The same, but a person is asked before each writing, in modes that ask. */
  readonly ask?: readonly string[];
  /** Files and directories that no tool reads or writes: the data of the program that the tools serve. */
  readonly except?: readonly string[];
}
