/** Keeps outputs that are too long to show, while they are being made. */
export interface Outputs {
  /** Begins one. It is kept whole up to a budget. */
  begin(): KeptOutput;
}

export interface KeptOutput {
  /** `out_…`: stands for it wherever a path to read can be given. */
  readonly handle: string;
  /** In order; waits while the disk is behind. Says nothing when the disk is full: see `end`. */
  write(text: string): Promise<void>;
  /** `keep: false` when nobody needs it after all. */
  end(options: {
    readonly keep: boolean;
  }): Promise<{ readonly keptBytes: number; readonly isWhole: boolean }>;
}
