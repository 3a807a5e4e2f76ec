/** How much harm a call can do, from none to most. */
export const risks = ["read", "write", "execute", "network", "destructive"] as const;
export type Risk = (typeof risks)[number];

/**
 * One thing a call would touch, said before it runs.
 * Paths are as the caller gave them: absolute, relative to the workspace, or an output handle.
 */
export type Access =
  | { readonly kind: "read"; readonly path: string }
  /**
   * `link: "itself"`: what stands at the path is meant also if it is a link, not what the link leads to. `by: "git"`: git
   * itself writes what it keeps there, in its own form, which is no reason to ask.
   */
  | { readonly kind: "write"; readonly path: string; readonly link?: "itself"; readonly by?: "git" }
  /** Always what stands at the path itself. `inEdit`: one file that a patch names, judged as the writes beside it. */
  | { readonly kind: "delete"; readonly path: string; readonly inEdit?: true }
  | ExecuteAccess
  | { readonly kind: "network"; readonly host: string };

/** A command for bash. */
export interface ExecuteAccess {
  readonly kind: "execute";
  readonly command: string;
  /** Where it starts: relative to the workspace, or absolute; the workspace, or where its session is, if not said. */
  readonly cwd?: string;
  /** The shell that stays which it runs in: what earlier commands left there counts. */
  readonly session?: string;
}
