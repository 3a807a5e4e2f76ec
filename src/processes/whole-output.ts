import type { KeptOutput, Outputs } from "../contract/output.ts";
import type { OutputLog } from "./output-log.ts";

/** All that a process says, kept from when the log will soon not hold it any more. Most processes never say so much. */
export class WholeOutput {
  readonly #log: OutputLog;
  readonly #outputs: Outputs | undefined;
  #kept: KeptOutput | undefined;

  constructor(log: OutputLog, outputs: Outputs | undefined) {
    this.#log = log;
    this.#outputs = outputs;
  }

  get handle(): string | null {
    return this.#kept === undefined || this.#kept.isLost ? null : this.#kept.handle;
  }

  /** What was just put into the log. Waits while the disk is behind. */
  async write(text: string): Promise<void> {
    if (this.#kept?.isFull === true) return;
    if (this.#kept !== undefined) return this.#kept.write(text);
    if (this.#outputs === undefined || this.#log.end < this.#log.capacity / 2) return;
    this.#kept = this.#outputs.begin();
    await this.#kept.write(Array.from(this.#log.after(0), (piece) => piece.text).join(""));
  }

  async end(): Promise<void> {
    await this.#kept?.end({ keep: true });
  }
}
