/** Returns git's name for a content, by the hash function of another name. */
export function blobName(content: Uint8Array, like: string): string {
  return process
    .getBuiltinModule("node:crypto")
    .createHash(like.length === 40 ? "sha1" : "sha256")
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest("hex");
}
