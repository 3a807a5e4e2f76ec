/**
 * Gives the memory of bytes back that nobody will look at again. The collector would wait until there are many of them: of
 * an endless output some fifty megabytes.
 */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  // Smaller pieces may share their memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
