import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { unlessAborted } from "../../../lib/async/abort.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { printable } from "../../../lib/text/printable.ts";
import { writeMention } from "../attach-files.ts";
import { completeChatLine } from "../chat-commands.ts";
import type { Choice } from "../chat-front.ts";
import type { Mentions } from "./mentions.ts";

/** Completes `/` commands with their arguments, and what `@` mentions. A key that is typed meanwhile does not wait. */
export class ChatCompletion implements AutocompleteProvider {
  readonly triggerCharacters = ["@"];
  mentions: Mentions | undefined;
  /** Reads the commands and skills of the user and the project. */
  readCommands: (() => Promise<readonly Choice[]>) | undefined;
  #commands: Promise<readonly Choice[]> = Promise.resolve([]);
  #readAt = Number.NEGATIVE_INFINITY;

  async getSuggestions(
    lines: readonly string[],
    line: number,
    column: number,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[line] ?? "").slice(0, column);
    if (line === 0 && before.startsWith("/")) {
      const custom = (await unlessAborted(this.#customCommands(), signal)) ?? [];
      const [choices, prefix] = completeChatLine(before, custom);
      return suggestions(choices, prefix);
    }
    const word = /(?:^|\s)@(\S*)$/.exec(before)?.[1];
    if (word === undefined || this.mentions === undefined) return null;
    const finding = this.mentions.find(word, signal).catch(() => []);
    const found = (await unlessAborted(finding, signal)) ?? [];
    const choices = found.map(({ value, ...choice }) => ({ ...choice, value: writeMention(value) }));
    return suggestions(choices, `@${word}`);
  }

  /** Reads the files again after a while, not with every key. */
  #customCommands(): Promise<readonly Choice[]> {
    if (this.readCommands && monotonicMs() - this.#readAt > rereadMs) {
      this.#readAt = monotonicMs();
      this.#commands = this.readCommands().catch(() => []);
    }
    return this.#commands;
  }

  applyCompletion(
    lines: readonly string[],
    line: number,
    column: number,
    item: AutocompleteItem,
    prefix: string,
  ): { lines: string[]; cursorLine: number; cursorCol: number } {
    const text = lines[line] ?? "";
    const start = text.slice(0, column - prefix.length);
    // Keys typed since the list was made: it is about another word.
    const isStale = !text.slice(0, column).endsWith(prefix) || /\S$/.test(start);
    if (isStale) return { lines: [...lines], cursorLine: line, cursorCol: column };
    const rest = text.slice(column);
    const gap = rest.startsWith(" ") || item.value.endsWith("/") ? "" : " ";
    return {
      lines: lines.with(line, `${start}${item.value}${gap}${rest}`),
      cursorLine: line,
      cursorCol: start.length + item.value.length + gap.length,
    };
  }
}

const rereadMs = 3_000;

/** A name with control characters is left out: typed, it would control the terminal. */
function suggestions(choices: readonly Choice[], prefix: string): AutocompleteSuggestions | null {
  const items = choices
    .filter(({ value, label }) => printable(value) === value && printable(label) === label)
    .map(({ value, label, description = "" }) => ({ value, label, description: printable(description) }));
  // The only choice is typed already: Enter sends the line.
  const isTyped = items.length === 1 && items[0]?.value === prefix;
  return items.length === 0 || isTyped ? null : { items, prefix };
}
