/** Stores outputs that are too long to show, while they are produced. */
export interface Outputs {
  /** Begins one. It is stored completely up to a budget. */
  begin(): KeptOutput;
}

export interface KeptOutput {
  /** `out_…`: can be used wherever a path to read is expected. */
  readonly handle: string;
  /** Nothing more is stored: the budget is spent, or the disk is full. */
  readonly isFull: boolean;
  /** Nothing of it is stored: the rest of the disk is reserved for the journal. */
  readonly isLost: boolean;
  /** Writes in order, with secrets redacted. Waits while the disk is behind; does not throw when it is full. */
  write(text: string): Promise<void>;
  /** `keep: false` discards it. */
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

/** A line of the text, with its end, that stands for omitted bytes. */
export interface OutputGap {
  readonly mark: string;
  readonly bytes: number;
  /** The same in UTF-16 units. */
  readonly chars: number;
}
