import { releaseBytes } from "../lib/bytes.ts";
import type { OutputLog, Stream } from "./output-log.ts";
import type { WholeOutput } from "./whole-output.ts";

/** Leaves secrets out of a text that comes in pieces; holds back what could be the beginning of one. */
export interface Redactor {
  push(text: string): string;
  end(): string;
}

/** Puts what comes from one stream of a process on record, without secrets, until the stream ends. */
export async function readOutput(
  stream: Stream,
  bytes: AsyncIterable<Uint8Array>,
  into: {
    readonly log: OutputLog;
    readonly whole: WholeOutput;
    readonly redactor: Redactor;
    /** Called for whatever comes. */
    readonly heard: () => void;
  },
): Promise<void> {
  const { log, whole, redactor, heard } = into;
  const decoder = new TextDecoder();
  const take = async (text: string) => {
    if (text === "") return;
    log.append(stream, text);
    await whole.write(text);
  };
  // A line that is not finished in a while is a prompt, or all there is.
  const pause = setTimeout(() => void take(redactor.end()), pauseMs).unref();
  for await (const piece of bytes) {
    heard();
    const text = decoder.decode(piece, { stream: true });
    releaseBytes(piece);
    await take(redactor.push(text));
    pause.refresh();
  }
  clearTimeout(pause);
  await take(redactor.push(decoder.decode()) + redactor.end());
}

const pauseMs = 150;
