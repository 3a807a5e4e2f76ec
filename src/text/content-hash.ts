let crypto: typeof import("node:crypto") | undefined;

/** SHA-256 in lower-case hex: what a file's content is told apart by. */
export function contentHash(content: Uint8Array): string {
  // Loaded by the first use: a call that only reads would pay a fifth of its start for it.
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto.hash("sha256", content, "hex");
}
