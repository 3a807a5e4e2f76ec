import {
  type Component,
  type Focusable,
  fuzzyFilter,
  Input,
  matchesKey,
  SelectList,
  truncateToWidth,
} from "@earendil-works/pi-tui";
import type { Choice, PickQuestion } from "../chat-front.ts";
import { listTheme, tones } from "./theme.ts";

/** A list in place of the input area, with a search. */
export class Picker implements Component, Focusable {
  readonly #question: PickQuestion;
  readonly #answer: (value: string | undefined) => void;
  readonly #search = new Input({ prompt: "search: " });
  #list: SelectList;

  constructor(question: PickQuestion, answer: (value: string | undefined) => void) {
    this.#question = question;
    this.#answer = answer;
    this.#list = this.#newList(question.choices);
  }

  get focused(): boolean {
    return this.#search.focused;
  }

  set focused(isFocused: boolean) {
    this.#search.focused = isFocused;
  }

  render(width: number): string[] {
    return [
      tones.cyan("─".repeat(width)),
      truncateToWidth(
        `${tones.bold(this.#question.title)}  ${tones.dim("Enter chooses, Esc cancels")}`,
        width,
        "…",
      ),
      ...this.#search.render(width),
      ...this.#list.render(width),
    ];
  }

  handleInput(data: string): void {
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
