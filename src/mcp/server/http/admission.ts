import { abortError } from "../../../lib/async/abort.ts";
import { Semaphore } from "../../../lib/async/semaphore.ts";

/**
 * Decides which request of a server runs next. Instances open one after the other, and few calls start at once. The
 * sessions take turns, so that a session with many calls delays the call of another one by a single call.
 */
export class Admission {
  readonly #openings = new Semaphore(1);
  readonly #starts = new Semaphore(mostStarts);

  /** Opens the instance of a session. Calls of open instances do not wait for it. */
  async open<Instance>(open: () => Promise<Instance>): Promise<Instance> {
    const release = await this.#openings.take(always, abortError);
    // Requests that have arrived meanwhile come first.
    return untilSlow(open, () => setImmediate(release));
  }

  async run<Result>(session: object, call: () => Promise<Result>): Promise<Result> {
    return untilSlow(call, await this.#starts.take(always, abortError, session));
  }
}

export const mostStarts = 8;
export const startMs = 100;

/** A cancelled call fails by itself when its turn comes. */
const { signal: always } = new AbortController();

/** Releases the turn when the work ends, or takes long: then it waits for a command, a server or the user. */
async function untilSlow<Result>(work: () => Promise<Result>, release: () => void): Promise<Result> {
  let isReleased = false;
  const releaseOnce = () => {
    if (!isReleased) release();
    isReleased = true;
  };
  const timer = setTimeout(releaseOnce, startMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    releaseOnce();
  }
}
