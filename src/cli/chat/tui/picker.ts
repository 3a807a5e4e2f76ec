import {
  type Component,
  type Focusable,
  fuzzyFilter,
  Input,
  matchesKey,
  SelectList,
  truncateToWidth,
} from "@earendil-works/pi-tui";
import { QuietKeys } from "../../approvals/quiet-keys.ts";
import type { Choice, PickQuestion } from "../chat-front.ts";
import { isText, waiting } from "./question.ts";
import { listTheme, tones } from "./theme.ts";

/** A list in place of the input area, with a search. */
export class Picker implements Component, Focusable {
  readonly #question: PickQuestion;
  readonly #answer: (value: string | undefined) => void;
  readonly #typed: ((text: string) => void) | undefined;
  readonly #keys: QuietKeys;
  readonly #search = new Input({ prompt: "search: " });
  #list: SelectList;
  #isArmed: boolean;

  constructor(
    question: PickQuestion,
    answer: (value: string | undefined) => void,
    {
      typed,
      now,
    }: {
      /**
       * For a list that the user did not ask for: gets what was typed for something else, which chooses nothing, until the
       * terminal is silent.
       */
      readonly typed?: (text: string) => void;
      readonly now?: () => number;
    } = {},
  ) {
    this.#question = question;
    this.#answer = answer;
    this.#typed = typed;
    this.#keys = new QuietKeys(now);
    this.#isArmed = typed === undefined;
    this.#list = this.#newList(question.choices);
  }

  get focused(): boolean {
    return this.#search.focused;
  }

  set focused(isFocused: boolean) {
    this.#search.focused = isFocused;
  }

  render(width: number): string[] {
    const isOpen = this.#isArmed || this.#keys.isQuiet;
    return [
      tones.cyan("─".repeat(width)),
      truncateToWidth(
        `${tones.bold(this.#question.title)}  ${tones.dim("Enter chooses, Esc cancels")}`,
        width,
        "…",
      ),
      ...(isOpen ? this.#search.render(width) : [truncateToWidth(tones.dim(waiting), width, "…")]),
      ...this.#list.render(width),
    ];
  }

  handleInput(data: string): void {
    this.#isArmed ||= this.#keys.press() || matchesKey(data, "escape");
    if (!this.#isArmed) {
      this.#typed?.(isText(data) ? data : "");
      return;
    }
    const isOfList = (["up", "down", "enter", "escape", "pageUp", "pageDown"] as const).some((key) =>
      matchesKey(data, key),
    );
    if (isOfList) {
      this.#list.handleInput(data);
      return;
    }
    const before = this.#search.getValue();
    this.#search.handleInput(data);
    const wanted = this.#search.getValue();
    if (wanted === before) return;
    const found = fuzzyFilter([...this.#question.choices], wanted, ({ label, description = "", value }) =>
      [label, description, value].join(" "),
    );
    this.#list = this.#newList(found);
  }

  invalidate(): void {}

  #newList(choices: readonly Choice[]): SelectList {
    const items = choices.map(({ value, label, description = "" }) => ({ value, label, description }));
    const list = new SelectList(items, maxRows, listTheme, {
      minPrimaryColumnWidth: 20,
      maxPrimaryColumnWidth: 76,
    });
    list.onSelect = ({ value }) => this.#answer(value);
    list.onCancel = () => this.#answer(undefined);
    return list;
  }
}

const maxRows = 10;
