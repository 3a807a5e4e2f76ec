import type { ToolImage } from "./tool.ts";

/** Reads documents from bytes. */
export interface Documents {
  /**
   * Reads a document. Throws `unsupported` for other, encrypted and damaged files, `too-large` above its budget, and
   * `not-found`, with the known parts, for an unknown part.
   */
  read(
    source: DocumentSource | WaitingDocument,
    wanted: DocumentWanted,
    options: DocumentReading,
  ): Promise<DocumentContent>;
}

export interface DocumentSource {
  /** A path or URL, for messages and to detect the format when the bytes do not say it. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The type that a server declared; the bytes take precedence. */
  readonly mediaType?: string | undefined;
}

/** A document that is loaded on demand: the bytes of many would take too much memory. */
export interface WaitingDocument extends Omit<DocumentSource, "bytes"> {
  load(): Promise<Uint8Array>;
}

export interface DocumentWanted {
  /**
   * An anchor or a range: "page 3", "pages 2-5", "Sheet1!A1:D20", "slide 2", "cell 7", "chapter 4". Default: the
   * beginning. "from 40001" after it starts at that character.
   */
  readonly part?: string | undefined;
  /** Stops before the part that would exceed this; a first part that does is cut. */
  readonly maxChars: number;
  /** Whether images are returned. Default: only for image files themselves. */
  readonly images?: boolean | undefined;
}

export interface DocumentReading {
  readonly signal: AbortSignal;
  /** Called with progress messages. */
  readonly progress: (message: string) => void;
}

export interface DocumentContent {
  /** "pdf", "docx", "xlsx". */
  readonly format: string;
  /** For users and models: "PDF document". */
  readonly description: string;
  /** Its metadata, most important first: title, author, dates, language, software. */
  readonly properties: Readonly<Record<string, string>>;
  /** The kind and number of all its parts: `{ one: "page", total: 120 }`; undefined without parts. */
  readonly consistsOf: { readonly one: string; readonly total: number } | undefined;
  readonly parts: readonly DocumentPart[];
  /** The anchor to continue from; undefined at the end. */
  readonly next: string | undefined;
  /** Notes for readers: "page 3 is a picture without text", "has tracked changes; shown as accepted". */
  readonly notes: readonly string[];
  readonly images: readonly ToolImage[];
}

/** One page, sheet, slide, cell or chapter, or the whole document. */
export interface DocumentPart {
  /** Identifies the part: "page 3", "Sheet1!A1:D20". Empty when the document has no parts. */
  readonly anchor: string;
  readonly title?: string | undefined;
  /** Markdown where the format has structure, else plain text. */
  readonly text: string;
}
