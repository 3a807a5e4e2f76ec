import { ModelError } from "../../models/model-error.ts";
import { longestTimer } from "../retry/pause.ts";
import { inWords } from "../retry/retry-wait.ts";

export interface Watch {
  /** Ends it from outside. */
  readonly signal: AbortSignal;
  /** The longest that nothing may come. */
  readonly silenceMs: number;
}

/**
 * Hands on what a stream gives until `take` says that it has all. Ends at once when told to, also where the stream does not
 * listen, and by a `timeout` where it falls silent, before its first word or between two.
 */
export async function eachEvent<Event>(
  open: (signal: AbortSignal) => AsyncIterable<Event>,
  { signal, silenceMs }: Watch,
  take: (event: Event) => boolean,
): Promise<void> {
  signal.throwIfAborted();
  const ending = new AbortController();
  let giveUp: (reason: unknown) => void = () => {};
  const end = (reason: unknown) => {
    ending.abort(reason);
    giveUp(reason);
  };
  const stop = () => end(signal.reason);
  signal.addEventListener("abort", stop);
  const timer = silenceMs <= longestTimer ? setTimeout(() => end(silent(silenceMs)), silenceMs) : undefined;
  let iterator: AsyncIterator<Event> | undefined;
  try {
    const stream = open(ending.signal)[Symbol.asyncIterator]();
    iterator = stream;
    for (;;) {
      const result = await new Promise<IteratorResult<Event>>((resolve, reject) => {
        giveUp = reject;
        stream.next().then(resolve, reject);
      });
      ending.signal.throwIfAborted();
      if (result.done) return;
      if (take(result.value)) return letEnd(stream, ending);
      timer?.refresh();
    }
  } catch (error) {
    // What a stream says about having been ended is not what ended it.
    const reason = ending.signal.aborted ? ending.signal.reason : error;
    ending.abort();
    // Nobody waits: a stream that hangs would not let go of us.
    Promise.resolve(iterator?.return?.()).catch(() => {});
    throw reason;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** Lets a stream of which all has come end by itself for a while, so that its connection can be used again. */
function letEnd(stream: AsyncIterator<unknown>, ending: AbortController): void {
  const timer = setTimeout(() => ending.abort(), 2_000).unref();
  const forget = () => clearTimeout(timer);
  stream.next().then(forget, forget);
}

function silent(silenceMs: number): ModelError {
  return new ModelError("timeout", `Nothing came from the model for ${inWords(silenceMs)}`);
}
