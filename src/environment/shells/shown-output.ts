import type { Window } from "./tmux-windows.ts";

/** What a command says, until it is more than anybody would read. */
export class ShownOutput {
  readonly #window: Window | undefined;
  readonly #decoder = new TextDecoder();
  #left = 1024 * 1024;
  #isCut = false;

  constructor(window: Window | undefined) {
    this.#window = window;
  }

  take(bytes: Uint8Array): void {
    if (this.#window === undefined) return;
    this.#isCut ||= bytes.length > this.#left || this.#window.isBehind;
    if (this.#isCut) return;
    this.#left -= bytes.length;
    this.#window.show(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return this.#isCut ? "\n[the rest is not shown here]\n" : "";
  }
}
