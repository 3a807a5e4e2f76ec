/** Keeps outputs that are too long to show, while they are being made. */
export interface Outputs {
  /** Begins one. It is kept whole up to a budget. */
  begin(): KeptOutput;
}

export interface KeptOutput {
  /** `out_…`: stands for it wherever a path to read can be given. */
  readonly handle: string;
  /** Nothing more is kept: the budget is spent, or the disk is full. */
  readonly isFull: boolean;
  /** Nothing of it is kept: what the disk has left is for the journal. */
  readonly isLost: boolean;
  /** In order, without what looks like a secret; waits while the disk is behind. Says nothing when the disk is full. */
  write(text: string): Promise<void>;
  /** `keep: false` when nobody needs it after all. */
  end(options: {
    readonly keep: boolean;
  }): Promise<{ readonly keptBytes: number; readonly isWhole: boolean }>;
}

/** What a tool says of an output that it could not hold, and has kept itself. */
export interface OutputKept {
  /** Undefined when nothing could be kept. */
  readonly handle: string | undefined;
  /** One sentence: how much is kept, and how to see it. */
  readonly note: string;
  /** The lines, with their ends, that stand in the text for what is not in it, and for how many bytes each. */
  readonly gaps: readonly { readonly mark: string; readonly bytes: number }[];
}
