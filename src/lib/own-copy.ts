/** The same text with memory of its own: a piece that was cut out of another text keeps all of that in memory. */
export function ownCopy(piece: string): string {
  // In this encoding even half a character comes back as it was.
  return Buffer.from(piece, "utf16le").toString("utf16le");
}
