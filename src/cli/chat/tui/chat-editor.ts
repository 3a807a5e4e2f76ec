import { Editor } from "@earendil-works/pi-tui";

/** The input area. A leading space is kept, because it sends a line with a slash to the model. */
export class ChatEditor extends Editor {
  onInput: (input: string) => void = () => {};
  #typed = "";

  override handleInput(data: string): void {
    this.#typed = this.getExpandedText();
    // The editor drops the other control characters from what is pasted.
    super.handleInput(data.startsWith(pasteStart) ? data.replace(/[\u007f-\u009f]/g, "") : data);
  }

  override onSubmit = (trimmed: string): void => {
    const isWhole = this.#typed.trim() === trimmed;
    this.onInput(isWhole ? this.#typed.trimEnd() : trimmed);
  };
}

const pasteStart = "\u001b[200~";
