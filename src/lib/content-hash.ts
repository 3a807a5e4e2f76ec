import { sha256 } from "./sha256.ts";

let crypto: typeof import("node:crypto") | undefined;
let hashedBytes = 0;

/** SHA-256 in lower-case hex: what a content is told apart by. Of a text, its bytes in UTF-8. */
export function contentHash(content: Uint8Array | string): string {
  if (crypto === undefined) {
    // To load node:crypto costs a fifth of the start of a call that only reads, and so has hardly anything to hash.
    hashedBytes += content.length;
    if (hashedBytes <= mostByHand)
      return sha256(typeof content === "string" ? Buffer.from(content) : content);
    crypto = process.getBuiltinModule("node:crypto");
  }
  return crypto.hash("sha256", content, "hex");
}

const mostByHand = 16 * 1024;
