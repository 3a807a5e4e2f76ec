import { monotonicMs } from "../../lib/clock.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { formatTime } from "./call-lines.ts";
import type { Screen } from "./screen.ts";

/**
 * Shows what is running, in a line that is rewritten, or in plain lines from time to time on a terminal that cannot do
 * that. Shows nothing for the first second.
 */
export class Activity {
  readonly #screen: Screen;
  readonly #running = new Map<string, Running>();
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  begin(id: string, what: string): void {
    this.#running.set(id, { what, startedAt: monotonicMs(), message: "", shownAt: 0 });
    this.#timer ??= setInterval(() => this.#show(), redrawMs).unref();
  }

  note(id: string, message: string): void {
    const running = this.#running.get(id);
    if (running) running.message = ` ${printableLine(message)}`;
  }

  end(id: string): void {
    this.#running.delete(id);
    this.#screen.showLive();
    if (this.#running.size === 0) this.stop();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#running.clear();
    this.#screen.showLive();
  }

  #show(): void {
    const [oldest] = this.#running.values();
    if (oldest === undefined) return;
    const elapsed = monotonicMs() - oldest.startedAt;
    if (elapsed < quietMs) return;
    const others = this.#running.size > 1 ? ` (and ${this.#running.size - 1} more)` : "";
    const line = `${oldest.what} … ${wholeSeconds(elapsed)}${others}${oldest.message}`;
    if (this.#screen.outputs.canRedraw) this.#screen.showLive(line);
    else if (elapsed - oldest.shownAt >= (oldest.shownAt === 0 ? firstMs : againMs)) {
      oldest.shownAt = elapsed;
      this.#screen.showLine(`${oldest.what} … ${wholeSeconds(elapsed)}`);
    }
  }
}

interface Running {
  readonly what: string;
  readonly startedAt: number;
  message: string;
  shownAt: number;
}

function wholeSeconds(milliseconds: number): string {
  return milliseconds < 10_000 ? `${Math.floor(milliseconds / 1000)} s` : formatTime(milliseconds);
}

const redrawMs = 250;
const quietMs = 1_000;
const firstMs = 2_000;
const againMs = 30_000;

/**
 * Streams a model's text to a terminal. The text can neither control the terminal nor imitate the approval question.
 * Holds back a piece that the next one completes.
 */
export class ModelText {
  #held = "";

  add(piece: string): string {
    const text = this.#held + piece;
    const end = text.length - undecided(text);
    this.#held = text.slice(end);
    return showModelText(text.slice(0, end));
  }

  /** Returns the rest of the text. */
  end(): string {
    const rest = showModelText(this.#held);
    this.#held = "";
    return rest;
  }
}

/** The beginning of the choices in show-request.ts, in lower case. */
const question = "[y]es";

/** Does the same as `ModelText` for a complete text. */
export function showModelText(text: string): string {
  return printable(text).replace(/\[y\]es/gi, (found) => `"${found}"`);
}

/** Returns how many characters at the end may belong to the next piece. */
function undecided(text: string): number {
  const tail = text.slice(1 - question.length).toLowerCase();
  for (let start = 0; start < tail.length; start += 1)
    if (question.startsWith(tail.slice(start))) return tail.length - start;
  // The text may end inside a line end or a surrogate pair.
  return /[\r\ud800-\udbff]$/.test(text) ? 1 : 0;
}
