import { readSync, writeSync } from "node:fs";

const chunk = Buffer.allocUnsafeSlow(256 * 1024);

/** Waits for bytes of a pipe, without an event loop. Returns no bytes at its end. */
export function readBlocking(descriptor: number): Buffer {
  const bytes = retried(() => readSync(descriptor, chunk));
  return Buffer.from(chunk.subarray(0, bytes));
}

/** Writes all bytes, and waits until the pipe has taken them. */
export function writeBlocking(descriptor: number, bytes: Uint8Array): void {
  for (let sent = 0; sent < bytes.length; ) sent += retried(() => writeSync(descriptor, bytes, sent));
}

/** Repeats what a signal interrupted. */
function retried(act: () => number): number {
  for (;;) {
    try {
      return act();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EINTR") throw error;
    }
  }
}
