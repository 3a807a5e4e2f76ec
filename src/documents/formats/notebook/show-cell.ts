import type { Image } from "../../../contract/tool.ts";
import { plainTerminalText } from "../../../lib/terminal-text.ts";
import { fenced, shorten } from "./fenced.ts";
import { membersOf } from "./members.ts";
import type { Cell, Notebook, Output } from "./notebook.ts";
import { showData, showPicture } from "./show-data.ts";

export interface ShownCell {
  /** "code [3], id 8f2a". */
  readonly title: string;
  readonly text: string;
  readonly images: readonly Image[];
  /** Something of its outputs was left out. */
  readonly isShortened: boolean;
}

export interface ShowOptions {
  readonly language: Notebook["language"];
  /** Characters that are shown of one output. */
  readonly maxOutput: number;
}

/** A cell as Markdown: its source, then what it put out. */
export function showCell(cell: Cell, { language, maxOutput }: ShowOptions): ShownCell {
  const isCode = cell.kind === "code";
  const count = cell.executionCount === undefined ? "" : ` [${cell.executionCount}]`;
  const outputs = cell.outputs.map((output) => showOutput(output, maxOutput));
  const attached = Object.entries(cell.attachments).map(([name, formats]) =>
    showPicture(membersOf(formats), `attachment ${name}`),
  );
  const source = cell.kind === "markdown" ? cell.source : fenced(cell.source, isCode ? language : "");
  const parts = [source, ...outputs.map(({ text }) => text), ...attached.map(({ text }) => text)];
  return {
    title: `${cell.kind}${count}${cell.id === undefined ? "" : `, id ${cell.id}`}`,
    text: parts.filter((part) => part !== "").join("\n\n"),
    images: [...outputs.flatMap(({ images }) => images), ...attached.flatMap(({ images }) => images)],
    isShortened: outputs.some(({ isShortened }) => isShortened),
  };
}

/** What became of one output. */
interface ShownOutput {
  readonly text: string;
  readonly images: readonly Image[];
  readonly isShortened: boolean;
}

function showOutput(output: Output, maxChars: number): ShownOutput {
  switch (output.kind) {
    case "stream":
      return block(`Output (${output.name}):`, plainTerminalText(output.text), maxChars);
    case "error": {
      const told = plainTerminalText(output.traceback) || `${output.name}: ${output.value}`;
      return block("Error:", told, maxChars);
    }
    case "data": {
      const head = output.count === undefined ? "Output:" : `Output [${output.count}]:`;
      const { text, isMarkdown, images } = showData(output.data);
      if (!isMarkdown) return block(head, text, maxChars);
      const { text: shown, isShortened } = shorten(text, maxChars);
      return { text: `${head}\n\n${shown}`, images, isShortened };
    }
  }
}

function block(head: string, text: string, maxChars: number): ShownOutput {
  const { text: shown, isShortened } = shorten(text.replace(/\n$/, ""), maxChars);
  return { text: `${head}\n${fenced(shown, "")}`, images: [], isShortened };
}
