/** What is packed in one file, as far as it was looked at. */
export interface Archive {
  /** For people and models: "ZIP archive". */
  readonly description: string;
  readonly entries: readonly ArchiveEntry[];
  /** How many there are, or were found before the budget ended. */
  readonly count: number;
  readonly notes: readonly string[];
  /** The last of the name, as unpacking would leave it; undefined for what is no file. */
  read(name: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

export interface ArchiveEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
  /** Unpacked, in bytes, as declared. */
  readonly size: number;
  /** "2026-11-15 17:30"; undefined where it has none. */
  readonly modified: string | undefined;
  readonly linkTarget?: string | undefined;
  readonly isEncrypted?: boolean;
}
