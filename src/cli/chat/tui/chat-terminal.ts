import { ProcessTerminal } from "@earendil-works/pi-tui";
import { monotonicMs } from "../../../lib/clock.ts";

/** The terminal of the user. It knows whether the user looks at it. */
export class ChatTerminal extends ProcessTerminal {
  /** The setting of this name: `auto`, `bell`, `desktop` or `none`. */
  notifications = "auto";
  /** The terminal has reported that the user looks elsewhere. */
  #isAway = false;
  #usedAt = monotonicMs();

  override start(onInput: (data: string) => void, onResize: () => void): void {
    super.start((data) => {
      if (data === focusIn || data === focusOut) this.#isAway = data === focusOut;
      else {
        this.#usedAt = monotonicMs();
        onInput(data);
      }
    }, onResize);
    super.write(reportFocus);
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
const focusIn = "\u001b[I";
const focusOut = "\u001b[O";
const reportFocus = "\u001b[?1004h";
const ignoreFocus = "\u001b[?1004l";
