import type { OutputKept, StoredOutput } from "../../contract/output.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { releaseBytes } from "../../lib/bytes/bytes.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import {
  looksBinary,
  OutputTape,
  type ShownOutput,
  type StreamName,
  showOutput,
  streamNames,
} from "./show-output.ts";

/**
 * Consumes the output of a running command: streams it to listeners, stores it up to a budget, and holds both ends for
 * the answer. Each byte is decoded at most once, and none beyond the budget.
 */
export class CommandOutput {
  readonly #context: Pick<ToolContext, "output" | "outputs">;
  readonly #tape = new OutputTape();
  readonly #streams = { stdout: new Stream(), stderr: new Stream() };
  readonly #timer: NodeJS.Timeout;
  #kept: StoredOutput | undefined;
  /** Output that is stored only if more follows. */
  #unstored = "";
  #pending: { stream: StreamName; text: string } | undefined;
  #totalBytes = 0;
  #lastMs = monotonicMs();

  constructor(context: Pick<ToolContext, "output" | "outputs">) {
    this.#context = context;
    this.#timer = setInterval(() => void this.#emitWhenQuiet(), updateMs);
    this.#timer.unref();
  }

  get quietMs(): number {
    return monotonicMs() - this.#lastMs;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Returns the end of the output so far, of both streams. */
  get lastText(): string {
    return showOutput(this.#tape).text.slice(-1000);
  }

  async read(stream: StreamName, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { lines } = this.#streams[stream];
    for await (const piece of pieces) {
      this.#lastMs = monotonicMs();
      this.#totalBytes += piece.length;
      await this.#take(stream, lines.push(piece));
      releaseBytes(piece);
    }
  }

  /** Ends the output and returns it. If it does not fit into the answer, it is kept in the store. */
  async end(fits: (shown: ShownOutput) => boolean): Promise<ShownOutput & { readonly kept?: OutputKept }> {
    clearInterval(this.#timer);
    await this.#flush();
    this.#emit();
    const shown = showOutput(this.#tape);
    const isKept = shown.gaps.length > 0 || !fits(shown);
    if (isKept && this.#kept === undefined) await this.#keep();
    const kept = await this.#kept?.end({ keep: isKept });
    if (!isKept || kept === undefined || this.#kept === undefined) return shown;
    return { ...shown, kept: { ...this.#describe(this.#kept.handle, kept), gaps: shown.gaps } };
  }

  async #take(stream: StreamName, pieces: readonly Uint8Array[]): Promise<void> {
    for (const bytes of pieces) this.#tape.add(stream, bytes);
    if (this.#kept?.isFull) return this.#emit();
    const text = pieces.map((bytes) => this.#streams[stream].decode(bytes)).join("");
    if (text === "") return;
    if (this.#pending !== undefined && this.#pending.stream !== stream) this.#emit();
    this.#pending = { stream, text: (this.#pending?.text ?? "") + text };
    if (this.#pending.text.length >= updateChars) this.#emit();
    this.#unstored += text;
    if (this.#kept !== undefined || this.#unstored.length >= unstoredChars) await this.#keep();
  }

  async #keep(): Promise<void> {
    const text = this.#unstored;
    this.#unstored = "";
    this.#kept ??= this.#context.outputs.begin();
    await this.#kept.write(text);
  }

  #emit(): void {
    if (this.#pending === undefined) return;
    const { stream, text } = this.#pending;
    this.#pending = undefined;
    this.#context.output(stream, text);
  }

  /** Emits pending output, and an unfinished line, such as a prompt, if nothing follows it. */
  async #emitWhenQuiet(): Promise<void> {
    if (this.quietMs >= updateMs) await this.#flush();
    this.#emit();
  }

  async #flush(): Promise<void> {
    for (const stream of streamNames) {
      await this.#take(stream, this.#streams[stream].lines.flush());
    }
  }

  #describe(
    handle: string,
    { keptBytes, isWhole }: Awaited<ReturnType<StoredOutput["end"]>>,
  ): Omit<OutputKept, "gaps"> {
    const usage = "pass it as a path to file.read or search.grep.";
    if (isWhole) return { handle, note: `The whole output is stored as ${handle}; ${usage}` };
    if (keptBytes === 0)
      return { handle: undefined, note: "The rest could not be stored: redirect it to a file." };
    const part = `The first ${showSize(keptBytes)} of ${showSize(this.#totalBytes)}`;
    return {
      handle,
      note: `${part} of output are stored as ${handle}; ${usage} To keep all of it, redirect it to a file.`,
    };
  }
}

/** Splits one stream into whole lines and decodes it, unless it is binary. */
class Stream {
  readonly lines = new WholeLines();
  readonly #decoder = new TextDecoder();
  #isBinary: boolean | undefined;

  decode(bytes: Uint8Array): string {
    if (this.#isBinary) return "";
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#isBinary ??= looksBinary(text);
    return this.#isBinary ? "" : text;
  }
}

/** Listeners get updates this often, or after this much output. */
const updateMs = 50;
const updateChars = 64 * 1024;

/** Output is stored only when it has more characters than this, because shorter output may be shown whole. */
const unstoredChars = 32 * 1024;

/**
 * Passes on the bytes of one stream by whole lines, so that lines of two streams do not mix. Holds an unfinished line
 * until its end, or until `flush`.
 */
export class WholeLines {
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  /** Returns the lines that are now complete, in as many pieces as they arrived. */
  push(piece: Uint8Array): readonly Uint8Array[] {
    const end = piece.lastIndexOf(newline) + 1;
    if (end === 0 && this.#heldBytes + piece.length <= maxHeldBytes) {
      this.#hold(piece);
      return [];
    }
    const whole = [...this.flush(), end === 0 ? piece : piece.subarray(0, end)];
    if (end > 0 && end < piece.length) this.#hold(piece.subarray(end));
    return whole;
  }

  /** Returns the unfinished line, when the stream has ended or is quiet. */
  flush(): readonly Uint8Array[] {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    return held;
  }

  #hold(piece: Uint8Array): void {
    this.#held.push(new Uint8Array(piece));
    this.#heldBytes += piece.length;
  }
}

const newline = 0x0a;
const maxHeldBytes = 16 * 1024;
