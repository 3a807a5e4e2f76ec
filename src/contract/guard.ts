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
