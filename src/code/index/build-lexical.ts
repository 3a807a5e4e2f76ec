import type { Directory, Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { nameOf, parentOf } from "../../files/visibility.ts";
import { asBuffer } from "../../lib/as-buffer.ts";
import { Breath } from "../../lib/breath.ts";
import { contentHash } from "../../lib/content-hash.ts";
import { languageOf } from "../languages/language-of.ts";
import type { FileTraits } from "./file-record.ts";
import { hasOddCase, searchableBytes } from "./searchable-bytes.ts";
import type { Segment } from "./segment-writer.ts";
import { TrigramCollector } from "./trigram-collector.ts";

export interface LexicalRequest {
  readonly files: readonly { readonly path: string; readonly knownHash: string | undefined }[];
}

export interface LexicalAnswer {
  /** In the order of the request. */
  readonly files: readonly LexicalFile[];
  readonly segment: Segment;
}

/** "same": it has the content that is known. "gone": there is no such file any more. */
export type LexicalFile = "same" | "gone" | LexicalContent;

interface LexicalContent {
  /** Empty for a file that could not be read: then nothing else is known of it. */
  readonly hash: string;
  readonly language: string | undefined;
  readonly traits: FileTraits;
  /** Its number in the segment; undefined when it is not in it. */
  readonly document: number | undefined;
}

/** Larger files are in no index, and looked into by every search. */
const maxBytes = 16 * 1024 * 1024;

/** Nobody reads the symbols of larger ones, and a parser would need seconds. */
const maxParsedBytes = 1024 * 1024;

/** Longer lines on average are not written by people. */
const maxLineBytes = 400;

const languageBytes = 16_000;

/** Reads files and gathers their trigrams, for one request after the other. */
export class LexicalBuilder {
  readonly #environment: Environment;
  readonly #collector = new TrigramCollector();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  async build({ files }: LexicalRequest, signal: AbortSignal): Promise<LexicalAnswer> {
    const breath = new Breath(signal);
    const reader = new FilesReader(this.#environment);
    const answers: LexicalFile[] = [];
    let documents = 0;
    try {
      for (const { path, knownHash } of files) {
        const bytes = await reader.read(path, maxBytes);
        const answer = typeof bytes === "string" ? bytes : this.#look(path, bytes, knownHash, documents);
        if (typeof answer !== "string") documents++;
        answers.push(answer === "unreadable" ? unread : answer);
        if (breath.isDue) await breath.take();
      }
      return { files: answers, segment: this.#collector.write() };
    } finally {
      this.#collector.clear();
      reader.close();
    }
  }

  #look(path: string, bytes: Uint8Array, knownHash: string | undefined, document: number): LexicalFile {
    const hash = contentHash(bytes);
    if (hash === knownHash) return "same";
    const searchable = searchableBytes(bytes);
    this.#collector.add(searchable.bytes);
    return { hash, ...describe(path, searchable), document };
  }
}

const unread: LexicalContent = {
  hash: "",
  language: undefined,
  traits: { binary: true, oddCase: false, unparsed: true },
  document: undefined,
};

function describe(
  path: string,
  { bytes, binary }: { readonly bytes: Uint8Array; readonly binary: boolean },
): Pick<LexicalContent, "language" | "traits"> {
  if (binary) return { language: undefined, traits: { binary, oddCase: hasOddCase(bytes), unparsed: true } };
  const language = languageOf(path, asBuffer(bytes).toString("utf8", 0, languageBytes));
  const unparsed = bytes.length > maxParsedBytes || isMinified(bytes);
  return { language, traits: { binary, oddCase: hasOddCase(bytes), unparsed } };
}

function isMinified(bytes: Uint8Array): boolean {
  if (bytes.length < 4 * maxLineBytes) return false;
  const buffer = asBuffer(bytes);
  let lines = 1;
  for (let at = buffer.indexOf(10); at >= 0; at = buffer.indexOf(10, at + 1)) {
    if (++lines * maxLineBytes > bytes.length) return false;
  }
  return true;
}

/** Reads files that come in the order of their paths; a directory is held while its files come. */
export class FilesReader {
  readonly #environment: Environment;
  #directory: Directory | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  async read(path: string, largest: number): Promise<Uint8Array | "gone" | "unreadable"> {
    try {
      const directory = await this.#open(parentOf(path));
      return (await directory.readFile(nameOf(path), largest)) ?? "unreadable";
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return error.code === "denied" || error.code === "unavailable" ? "unreadable" : "gone";
    }
  }

  close(): void {
    this.#directory?.close();
    this.#directory = undefined;
  }

  async #open(path: string): Promise<Directory> {
    if (this.#directory?.path !== path) {
      this.close();
      this.#directory = await this.#environment.openDirectory(path || ".");
    }
    return this.#directory!;
  }
}
