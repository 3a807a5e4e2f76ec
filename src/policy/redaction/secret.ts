/** A part of a text that looks like a secret, always within one line. */
export interface Secret {
  /** For people and models: "GitHub token". */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** A further line of the one before. */
  readonly continues?: true;
}
