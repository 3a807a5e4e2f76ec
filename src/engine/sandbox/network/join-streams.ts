import { type Duplex, finished } from "node:stream";

/** Pipes each stream into the other until both have ended. When one fails, the other is destroyed. */
export function joinStreams(one: Duplex, other: Duplex): void {
  one.pipe(other);
  other.pipe(one);
  finished(one, (error) => {
    if (error) other.destroy();
  });
  finished(other, (error) => {
    if (error) one.destroy();
  });
}
