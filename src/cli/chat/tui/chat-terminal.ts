import { ProcessTerminal } from "@earendil-works/pi-tui";
import { monotonicMs } from "../../../lib/clock.ts";

/** The terminal of the user. It knows whether the user looks at it. */
export class ChatTerminal extends ProcessTerminal {
  /** The setting of this name: `auto`, `bell`, `desktop` or `none`. */
  notifications = "auto";
  /** The terminal has reported that the user looks elsewhere. */
  #isAway = false;
  #usedAt = monotonicMs();
  #answer: Promise<unknown> = Promise.resolve();

  override start(onInput: (data: string) => void, onResize: () => void): void {
    super.start((data) => {
      if (data === focusIn || data === focusOut) this.#isAway = data === focusOut;
      else {
        this.#usedAt = monotonicMs();
        onInput(data);
      }
    }, onResize);
    super.write(reportFocus);
    this.#answer = new Promise<void>((resolve) => {
      let seen = "";
      const look = (data: unknown) => {
        seen = `${seen}${data}`.slice(-maxAnswerChars);
        if (deviceAttributes.test(seen)) settle();
      };
      const settle = () => {
        process.stdin.off("data", look);
        clearTimeout(limit);
        resolve();
      };
      const limit = setTimeout(settle, maxAnswerMs);
      process.stdin.on("data", look);
    });
  }

  /** Waits until the terminal has answered what it was asked at the start: a later answer would be printed in the shell. */
  async answered(): Promise<void> {
    await this.#answer;
  }

  override stop(): void {
    super.write(ignoreFocus);
    super.stop();
  }

  override write(data: string): void {
    // Old messages are only in the scrollback: a redraw must not clear it.
    super.write(data.replaceAll("\u001b[3J", ""));
  }

  /** Rings the bell and asks for a desktop notification, when the user looks elsewhere or has not typed for a while. */
  notify(text: string): void {
    const isIdle = monotonicMs() - this.#usedAt > idleMs;
    const bell = this.notifications === "desktop" ? "" : "\u0007";
    const desktop = this.notifications === "bell" ? "" : `\u001b]9;Toolcrib: ${text}\u0007`;
    if (this.notifications !== "none" && (this.#isAway || isIdle)) super.write(`${bell}${desktop}`);
  }
}

const idleMs = 10_000;
/** A terminal far away takes this long. One that never answers delays only a chat that ends at once. */
const maxAnswerMs = 2_000;
const maxAnswerChars = 100;
// biome-ignore lint/suspicious/noControlCharactersInRegex: Terminals answer with escape sequences.
const deviceAttributes = /\u001b\[\?[\d;]*c/;
const focusIn = "\u001b[I";
const focusOut = "\u001b[O";
const reportFocus = "\u001b[?1004h";
const ignoreFocus = "\u001b[?1004l";
