import type { Image } from "./tool.ts";

/** Reads documents: what people make with other programs than editors. What it is given is bytes, wherever they come from. */
export interface Documents {
  /**
   * `unsupported` for what is no document, encrypted, or damaged beyond reading; `too-large` for what would take more than
   * it may; `not-found` for a part that is not there, with those that are.
   */
  read(
    source: DocumentSource | WaitingDocument,
    wanted: DocumentWanted,
    options: DocumentReading,
  ): Promise<DocumentContent>;
}

export interface DocumentSource {
  /** A path or URL: for messages, and where the bytes alone do not tell the format. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** As a server declares it; the bytes are believed first. */
  readonly mediaType?: string | undefined;
}

/** One whose bytes are asked for when its turn has come: those of many at once would take much memory. */
export interface WaitingDocument extends Omit<DocumentSource, "bytes"> {
  load(): Promise<Uint8Array>;
}

/** Which part, and how much of it. */
export interface DocumentWanted {
  /** An anchor, or a range: "page 3", "pages 2-5", "Sheet1!A1:D20", "slide 2", "cell 7", "chapter 4"; from its beginning if not said. "from 40001" after it begins at that character. */
  readonly part?: string | undefined;
  /** Ends before the part that would pass it; where that is the first, it is cut. */
  readonly maxChars: number;
  /** Also pictures, for models that see. If not said: none of a document, but a picture file itself. */
  readonly images?: boolean | undefined;
}

export interface DocumentReading {
  readonly signal: AbortSignal;
  /** Told how far it is. */
  readonly progress: (message: string) => void;
}

/** What a document says. */
export interface DocumentContent {
  /** "pdf", "docx", "xlsx". */
  readonly format: string;
  /** For people and models: "PDF document". */
  readonly description: string;
  /** What it says of itself, in the order worth telling: title, author, dates, language, software. */
  readonly properties: Readonly<Record<string, string>>;
  /** What it consists of, all of it: `{ one: "page", total: 120 }`; undefined where it has no parts. */
  readonly consistsOf: { readonly one: string; readonly total: number } | undefined;
  readonly parts: readonly DocumentPart[];
  /** The anchor to go on with; undefined when nothing was left out. */
  readonly next: string | undefined;
  /** What a reader should know: "page 3 is a picture without text", "has tracked changes; shown as accepted". */
  readonly notes: readonly string[];
  readonly images: readonly Image[];
}

/** One page, sheet, slide, cell, chapter; or the whole. */
export interface DocumentPart {
  /** What to ask for to see it again: "page 3", "Sheet1!A1:D20". Empty where the document has no parts. */
  readonly anchor: string;
  readonly title?: string | undefined;
  /** Markdown where the format has structure, else plain text. */
  readonly text: string;
}
