/** How much harm a call can do, from least to most. */
export const risks = ["read", "write", "execute", "network", "destructive"] as const;
export type ToolRisk = (typeof risks)[number];

/**
 * One thing a call would touch, declared before it runs.
 * Paths are as the caller passed them: absolute, relative to the workspace, or an output handle.
 */
export type ToolAccess =
  | { readonly kind: "read"; readonly path: string }
  /** `link: "itself"` writes the link, not its target. `by: "git"` marks git's own files, which need no approval. */
  | {
      readonly kind: "write";
      readonly path: string;
      readonly link?: "itself" | undefined;
      readonly by?: "git" | undefined;
    }
  /** Never follows a link. */
  | { readonly kind: "delete"; readonly path: string }
  | ExecuteAccess
  /** `port`: the only port, if it is known. */
  | { readonly kind: "network"; readonly host: string; readonly port?: number | undefined };

/** A command for bash. */
export interface ExecuteAccess {
  readonly kind: "execute";
  readonly command: string;
  /** Relative to the workspace, or absolute. Default: the directory of its session, else the workspace. */
  readonly cwd?: string | undefined;
  /** The persistent shell to run in; the state that earlier commands left there counts. */
  readonly session?: string | undefined;
}
