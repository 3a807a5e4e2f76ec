import { monotonicMs } from "../../lib/clock.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { formatTime } from "./call-lines.ts";
import type { Screen } from "./screen.ts";

/**
 * Tells a person who waits what goes on: a line that is written again where the terminal can do that; elsewhere a plain line
 * for what takes long, and again from time to time. What ends within a second is not mentioned.
 */
export class Activity {
  readonly #screen: Screen;
  readonly #running = new Map<string, Running>();
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  begin(id: string, what: string): void {
    this.#running.set(id, { what, startedAt: monotonicMs(), message: "", toldAt: 0 });
    this.#timer ??= setInterval(() => this.#show(), redrawMs).unref();
  }

  /** How far it is. */
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
    const line = `${oldest.what} … ${tellWhole(elapsed)}${others}${oldest.message}`;
    if (this.#screen.outputs.canRedraw) this.#screen.showLive(line);
    else if (elapsed - oldest.toldAt >= (oldest.toldAt === 0 ? firstMs : againMs)) {
      oldest.toldAt = elapsed;
      this.#screen.tell(`${oldest.what} … ${tellWhole(elapsed)}`);
    }
  }
}

interface Running {
  readonly what: string;
  readonly startedAt: number;
  message: string;
  toldAt: number;
}

/** Whole seconds: digits that run help nobody. */
function tellWhole(milliseconds: number): string {
  return milliseconds < 10_000 ? `${Math.floor(milliseconds / 1000)} s` : formatTime(milliseconds);
}

const redrawMs = 250;
const quietMs = 1_000;
const firstMs = 2_000;
const againMs = 30_000;

/**
 * The words of a model for a terminal, piece by piece: nothing in them steers it, and none can be taken for the question
 * that we ask. What only the next piece decides is held until then.
 */
export class ModelWords {
  #held = "";

  add(piece: string): string {
    const text = this.#held + piece;
    const end = text.length - undecided(text);
    this.#held = text.slice(end);
    return showWords(text.slice(0, end));
  }

  /** What is left when no more comes. */
  end(): string {
    const left = showWords(this.#held);
    this.#held = "";
    return left;
  }
}

/** As approvals ask, see approve-on-terminal.ts. */
const question = "allow it?";

/** The same for words that are whole. */
export function showWords(text: string): string {
  return printable(text).replace(/allow it\?/gi, (words) => `"${words}"`);
}

/** How many characters at the end may belong together with what follows. */
function undecided(text: string): number {
  const tail = text.slice(1 - question.length).toLowerCase();
  for (let start = 0; start < tail.length; start += 1)
    if (question.startsWith(tail.slice(start))) return tail.length - start;
  // Half of a line end, or of a character.
  return /[\r\ud800-\udbff]$/.test(text) ? 1 : 0;
}
