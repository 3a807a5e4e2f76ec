/** @module-tag slow */
import type { Terminal } from "@earendil-works/pi-tui";
import xterm from "@xterm/headless";
import { expect, it } from "vitest";
import { LinesBlock, StreamedText } from "./blocks.ts";
import { TranscriptScreen } from "./transcript.ts";

it("draws only what the screen shows after ten thousand messages, and keeps them all in the scrollback", {
  tags: "slow",
}, async () => {
  const { terminal, lines } = emulated(60, 20);
  const screen = new TranscriptScreen(terminal);
  screen.addChild({ render: () => ["input"], invalidate: () => {} });
  let drawn = 0;
  let most = 0;
  for (let number = 0; number < 10_000; number += 1) {
    const block = new CountedBlock(`Message ${number}.`, () => {
      drawn += 1;
    });
    screen.transcript.add(block);
    if (number % 10 !== 0) continue;
    drawn = 0;
    screen.renderNow();
    most = Math.max(most, drawn);
  }
  screen.renderNow();
  const all = await lines();
  // Ten new messages, and those that fill a screen.
  expect(most).toBeLessThanOrEqual(10 + 20);
  expect(all.filter((line) => line.startsWith("Message "))).toEqual(
    Array.from({ length: 10_000 }, (_, number) => `Message ${number}.`),
  );
  expect(all.at(-1)).toBe("input");
});

it("parses only the last paragraph of a long reply again", async () => {
  const { terminal, lines } = emulated(60, 20);
  const screen = new TranscriptScreen(terminal);
  const text = new StreamedText(screen.transcript);
  const paragraphs = Array.from(
    { length: 300 },
    (_, index) => `Paragraph **${index}**, which is written slowly.\n\n`,
  );
  for (const piece of paragraphs.join("").match(/.{1,7}/gs)!) text.add(piece);
  screen.renderNow();
  text.add("- one\n- two\n\n```\ncode");
  text.end();
  screen.renderNow();
  expect(screen.transcript.blocks.length).toBeLessThan(20);
  expect((await lines()).filter((line) => line.trim() !== "")).toEqual([
    ...Array.from({ length: 300 }, (_, index) => `Paragraph ${index}, which is written slowly.`),
    ...["- one", "- two", "```", "  code", "```"],
  ]);
});

class CountedBlock extends LinesBlock {
  readonly #count: () => void;

  constructor(text: string, count: () => void) {
    super(text);
    this.#count = count;
  }

  override render(width: number): string[] {
    this.#count();
    return super.render(width);
  }
}

/** A terminal that an emulator draws; `lines` are those of its scrollback and its screen. */
function emulated(columns: number, rows: number): { terminal: Terminal; lines(): Promise<string[]> } {
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  const write = (data: string) => emulator.write(data);
  const nothing = () => {};
  const terminal: Terminal = {
    ...{
      start: nothing,
      stop: nothing,
      drainInput: async () => {},
      write,
      columns,
      rows,
      kittyProtocolActive: false,
    },
    ...{
      moveBy: nothing,
      hideCursor: nothing,
      showCursor: nothing,
      clearLine: nothing,
      clearFromCursor: nothing,
    },
    ...{ clearScreen: nothing, setTitle: nothing, setProgress: nothing },
  };
  return {
    terminal,
    lines: async () => {
      await new Promise<void>((resolve) => emulator.write("", resolve));
      const { active } = emulator.buffer;
      const shown = Array.from({ length: active.length }, (_, index) =>
        active.getLine(index)!.translateToString(true).trimEnd(),
      );
      return shown.slice(0, shown.findLastIndex((line) => line !== "") + 1);
    },
  };
}
