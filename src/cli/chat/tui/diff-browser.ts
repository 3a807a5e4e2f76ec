import { type Component, matchesKey, truncateToWidth } from "@earendil-works/pi-tui";
import { ToolError, textForUser } from "../../../contract/error.ts";
import { counted } from "../../../lib/text/format-quantity.ts";
import { printable, printableLine } from "../../../lib/text/printable.ts";
import type { Hunk, HunkQuestion } from "../chat-front.ts";
import { paintDiffLine } from "./highlight-code.ts";
import { tones } from "./theme.ts";

/** The changes of a session in place of the input area. The user chooses a hunk and undoes it. */
export class DiffBrowser implements Component {
  readonly #undo: HunkQuestion["undo"];
  readonly #close: () => void;
  readonly #rows: () => number;
  readonly #draw: () => void;
  #hunks: readonly Hunk[];
  #chosen = 0;
  /** The first shown line of the chosen hunk. */
  #top = 0;
  #message = "";
  #isBusy = false;

  constructor({ hunks, undo }: HunkQuestion, close: () => void, rows: () => number, draw: () => void) {
    this.#hunks = hunks;
    this.#undo = undo;
    this.#close = close;
    this.#rows = rows;
    this.#draw = draw;
  }

  render(width: number): string[] {
    const files = new Set(this.#hunks.map(({ path }) => path)).size;
    const count = `${counted(this.#hunks.length, "hunk")} in ${counted(files, "file")}`;
    const keys = "j and k choose, u undoes, Esc closes";
    return [
      tones.cyan("─".repeat(width)),
      `${tones.bold(count)}  ${tones.dim(keys)}`,
      ...this.#list(),
      ...this.#body(),
      ...(this.#message === "" ? [] : [tones.yellow(this.#message)]),
    ].map((line) => truncateToWidth(line, width, "…"));
  }

  handleInput(data: string): void {
    const isKey = (...keys: readonly Parameters<typeof matchesKey>[1][]) =>
      keys.some((key) => matchesKey(data, key));
    if (isKey("escape", "q")) this.#close();
    else if (isKey("j", "down")) this.#choose(this.#chosen + 1);
    else if (isKey("k", "up")) this.#choose(this.#chosen - 1);
    else if (isKey("pageDown", "space")) this.#scroll(this.#bodyRows);
    else if (isKey("pageUp")) this.#scroll(-this.#bodyRows);
    else if (isKey("u") && !this.#isBusy) void this.#undoChosen();
  }

  invalidate(): void {}

  get #bodyRows(): number {
    return Math.max(5, Math.min(20, this.#rows() - maxListed - 6));
  }

  #choose(index: number): void {
    this.#chosen = Math.max(0, Math.min(index, this.#hunks.length - 1));
    this.#top = 0;
    this.#message = "";
  }

  #scroll(lines: number): void {
    const last = (this.#hunks[this.#chosen]?.lines.length ?? 0) - this.#bodyRows;
    this.#top = Math.max(0, Math.min(this.#top + lines, last));
  }

  async #undoChosen(): Promise<void> {
    const hunk = this.#hunks[this.#chosen]!;
    this.#isBusy = true;
    try {
      const { hunks, message = "" } = await this.#undo(hunk);
      this.#hunks = hunks;
      this.#choose(this.#chosen);
      this.#message = message;
      if (hunks.length === 0) this.#close();
    } catch (error) {
      const { message } = error instanceof ToolError ? textForUser(error) : (error as Error);
      this.#message = printableLine(message);
    } finally {
      this.#isBusy = false;
      this.#draw();
    }
  }

  #list(): string[] {
    const start = Math.max(0, Math.min(this.#chosen - 2, this.#hunks.length - maxListed));
    return this.#hunks.slice(start, start + maxListed).map((hunk, at) => {
      const line = `${printableLine(hunk.path)}  ${printableLine(hunk.title)}`;
      return start + at === this.#chosen ? tones.cyan(`→ ${line}`) : `  ${line}`;
    });
  }

  #body(): string[] {
    const lines = this.#hunks[this.#chosen]?.lines ?? [];
    const shown = lines.slice(this.#top, this.#top + this.#bodyRows);
    const more = lines.length - this.#top - shown.length;
    return [
      ...shown.map((line) => paintDiffLine(printable(line).replaceAll("\t", "    "), tones)),
      ...(more > 0 ? [tones.dim(`… ${counted(more, "more line")}: Space`)] : []),
    ];
  }
}

const maxListed = 6;
