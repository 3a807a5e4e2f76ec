import { type Component, type Terminal, TuiMainScreen } from "@earendil-works/pi-tui";

/** One piece of the conversation on the screen. */
export interface Block extends Component {
  /** Calls follow each other without an empty line. */
  readonly kind: "call" | "other";
  /** It never changes again. */
  readonly isDone: boolean;
}

/**
 * The conversation, as far as it can still change or is visible. Finished blocks that have left the screen stay in the
 * terminal's own scrollback and are forgotten here, so that a frame costs the same after ten thousand messages.
 */
export class Transcript implements Component {
  readonly #entries: { readonly block: Block; readonly hasGap: boolean; height: number }[] = [];
  #lastKind: Block["kind"] | undefined;

  get blocks(): readonly Block[] {
    return this.#entries.map(({ block }) => block);
  }

  add(block: Block): void {
    const isFirst = this.#lastKind === undefined;
    const hasGap = !isFirst && !(block.kind === "call" && this.#lastKind === "call");
    this.#lastKind = block.kind;
    this.#entries.push({ block, hasGap, height: 0 });
  }

  render(width: number): string[] {
    const lines: string[] = [];
    for (const entry of this.#entries) {
      const before = lines.length;
      const rendered = entry.block.render(width);
      if (entry.hasGap && rendered.length > 0) lines.push("");
      for (const line of rendered) lines.push(line);
      entry.height = lines.length - before;
    }
    return lines;
  }

  /** Forgets the finished blocks that lie wholly within the first `lines` lines. Returns how many lines they had. */
  forget(lines: number): number {
    let forgotten = 0;
    for (;;) {
      const [entry] = this.#entries;
      if (!entry?.block.isDone || forgotten + entry.height > lines) return forgotten;
      forgotten += entry.height;
      this.#entries.shift();
    }
  }

  invalidate(): void {
    for (const { block } of this.#entries) block.invalidate();
  }
}

/** A screen whose first child is the transcript. */
export class TranscriptScreen extends TuiMainScreen {
  readonly transcript = new Transcript();

  constructor(terminal: Terminal) {
    super(terminal);
    this.addChild(this.transcript);
  }

  protected override doRender(): void {
    super.doRender();
    const state = this.captureRenderState();
    const gone = this.transcript.forget(state.previousViewportTop);
    if (gone === 0) return;
    this.restoreRenderState({
      ...state,
      previousLines: state.previousLines.slice(gone),
      cursorRow: state.cursorRow - gone,
      hardwareCursorRow: state.hardwareCursorRow - gone,
      maxLinesRendered: state.maxLinesRendered - gone,
      previousViewportTop: state.previousViewportTop - gone,
    });
  }
}
