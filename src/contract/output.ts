/** Stores outputs that are too long to show, while they are produced. */
export interface Outputs {
  /** Begins an output, which is stored completely up to a budget. */
  begin(): StoredOutput;
}

export interface StoredOutput {
  /** `out_…`: can be used wherever a path to read is expected. */
  readonly handle: string;
  /** Whether nothing more is stored, because the budget is spent or the disk is full. */
  readonly isFull: boolean;
  /** Whether nothing of it is stored, because the rest of the disk is reserved for the journal. */
  readonly isLost: boolean;
  /** Writes in order, with secrets redacted. Waits while the disk is behind; does not throw when it is full. */
  write(text: string): Promise<void>;
  /** Ends the output; `keep: false` discards it. */
  end(options: {
    readonly keep: boolean;
  }): Promise<{ readonly keptBytes: number; readonly isWhole: boolean }>;
}

/** An output that was too long to hold in memory, which the tool has stored itself. */
export interface OutputKept {
  /** Undefined when nothing could be stored. */
  readonly handle: string | undefined;
  /** One sentence: how much is stored, and how to read it. */
  readonly note: string;
  readonly gaps: readonly OutputGap[];
}

/** A line of the text, with its line end, in place of omitted bytes. */
export interface OutputGap {
  readonly mark: string;
  readonly bytes: number;
  /** The omitted length in UTF-16 units. */
  readonly chars: number;
}
