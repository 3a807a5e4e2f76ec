import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
  fuzzyFilter,
} from "@earendil-works/pi-tui";
import type { Session } from "../../../agent/session.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { printable } from "../../../lib/text/printable.ts";
import { completeChatLine } from "../chat-commands.ts";
import type { Choice } from "../chat-front.ts";

/** Finds what the word after an `@` may mean. */
type MentionSource = (word: string, signal: AbortSignal) => Promise<readonly Choice[]>;

/** Completes `/` commands with their arguments, and what `@` mentions. */
export class ChatCompletion implements AutocompleteProvider {
  readonly triggerCharacters = ["@"];
  mentions: MentionSource | undefined;

  async getSuggestions(
    lines: readonly string[],
    line: number,
    column: number,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[line] ?? "").slice(0, column);
    if (line === 0 && before.startsWith("/")) {
      const [choices, prefix] = completeChatLine(before);
      return suggestions(choices, prefix);
    }
    const word = /(?:^|\s)@(\S*)$/.exec(before)?.[1];
    if (word === undefined || this.mentions === undefined) return null;
    const found = await this.mentions(word, signal).catch(() => []);
    const choices = found.map(({ value, ...choice }) => ({ ...choice, value: `@${value}` }));
    return suggestions(choices, `@${word}`);
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
    const rest = text.slice(column);
    const gap = rest.startsWith(" ") || item.value.endsWith("/") ? "" : " ";
    return {
      lines: lines.with(line, `${start}${item.value}${gap}${rest}`),
      cursorLine: line,
      cursorCol: start.length + item.value.length + gap.length,
    };
  }
}

/** Completes the files of a session's workspace, of which it asks for a list at most once a minute. */
export function filesOf({ crib }: Pick<Session, "crib">): MentionSource {
  let listedAt = Number.NEGATIVE_INFINITY;
  let files: Promise<readonly string[]> = Promise.resolve([]);
  return async (word, signal) => {
    if (monotonicMs() - listedAt > listedMs) {
      listedAt = monotonicMs();
      // The list also serves the words that are typed next, so a word that changes does not cancel it.
      files = crib.listFiles(AbortSignal.timeout(listMs));
    }
    const listed = await files;
    if (signal.aborted) return [];
    const found = fuzzyFilter([...listed], word, (path) => path).slice(0, maxShown);
    return found.map((path) => ({ value: path, label: path }));
  };
}

const maxShown = 20;
const listMs = 60_000;
const listedMs = 60_000;

/** A name with control characters is left out: typed, it would control the terminal. */
function suggestions(choices: readonly Choice[], prefix: string): AutocompleteSuggestions | null {
  const items = choices
    .filter(({ value, label }) => printable(value) === value && printable(label) === label)
    .map(({ value, label, description = "" }) => ({ value, label, description: printable(description) }));
  // The only choice is typed already: Enter sends the line.
  const isTyped = items.length === 1 && items[0]?.value === prefix;
  return items.length === 0 || isTyped ? null : { items, prefix };
}
