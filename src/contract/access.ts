/** How much harm a call can do, from least to most. */
export const risks = ["read", "write", "execute", "network", "destructive"] as const;
export type Risk = (typeof risks)[number];

/**
 * One thing a call would touch, declared before it runs.
 * Paths are as the caller passed them: absolute, relative to the workspace, or an output handle.
 */
export type Access =
  | { readonly kind: "read"; readonly path: string }
  /**
   * `link: "itself"`: writes the link at the path, not its target. `by: "git"`: git itself writes its own files there, which
   * needs no approval.
   */
  | { readonly kind: "write"; readonly path: string; readonly link?: "itself"; readonly by?: "git" }
  /** Never follows a link. `inEdit`: one file that a patch names, checked like the writes of the patch. */
  | { readonly kind: "delete"; readonly path: string; readonly inEdit?: true }
  | ExecuteAccess
  | { readonly kind: "network"; readonly host: string };

/** A command for bash. */
export interface ExecuteAccess {
  readonly kind: "execute";
  readonly command: string;
  /** Relative to the workspace, or absolute. Default: the directory of its session, else the workspace. */
  readonly cwd?: string;
  /** The shell that stays open: what earlier commands left there counts. */
  readonly session?: string;
}
