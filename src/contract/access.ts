/** How much harm a call can do, from none to most. */
export type Risk = "read" | "write" | "execute" | "network" | "destructive";

/**
 * One thing a call would touch, said before it runs.
 * Paths are as the caller gave them: absolute, relative to the workspace, or an output handle.
 */
export type Access =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "write"; readonly path: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "execute"; readonly command: string }
  | { readonly kind: "network"; readonly host: string };
