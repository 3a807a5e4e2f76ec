import { type Duplex, finished } from "node:stream";

/** Lets each hear what the other says, until both have ended; when one breaks off, so does the other. */
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
