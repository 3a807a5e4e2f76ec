/** Returns about how much a file takes on the disk: even a small one takes a block. */
export function diskBytes(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / blockBytes)) * blockBytes;
}

const blockBytes = 4096;
