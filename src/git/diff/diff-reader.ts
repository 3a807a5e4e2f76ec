import { type Draft, isBinaryNote, readHead } from "./diff-head.ts";

/** One file of a diff. Paths are of the workspace. */
export interface DiffFile {
  readonly path: string;
  readonly status: DiffStatus;
  /** Where it was, or what it is a copy of. */
  readonly from?: string;
  readonly additions: number;
  readonly deletions: number;
  /** Its content is no text, or over 100 MB, and not shown. */
  readonly isBinary: boolean;
  /** Its hunks; of many files or long ones only the beginning, or nothing: see `isCut`. */
  readonly patch: string;
  readonly isCut: boolean;
}

export type DiffStatus =
  | "added"
  | "modified"
  | "deleted"
  | "renamed"
  | "copied"
  | "mode changed"
  | "unmerged";

export interface DiffReading {
  /** What stands before git's names in the workspace. */
  readonly prefix: string;
  /** Whether files of these names are shown; asked before any of their text is handed out. */
  readonly shows: (path: string) => boolean;
}

/**
 * Reads what git says with `-p`, as it comes, and takes it apart by files. Lines of content begin with a sign of their own,
 * so that none can pass for the head of a file; names that could are quoted by git.
 */
export class DiffReader {
  readonly files: DiffFile[] = [];
  /** Files that are not shown. */
  readonly hidden: string[] = [];
  readonly #reading: DiffReading;
  readonly #decoder = new TextDecoder();
  #state: "before" | "head" | "content" | "hidden" = "before";
  #file: Draft | undefined;
  #head: string[] = [];
  /** A line that has no end yet; and whether the one after it is still the same. */
  #rest = "";
  #isInLine = false;
  /** How many signs begin a line of content: one, or of a merge one for each parent. */
  #signs = 1;
  #patchChars = maxPatchChars;
  #shown: string[] = [];

  constructor(reading: DiffReading) {
    this.#reading = reading;
  }

  /** The text that may be shown of what has come. */
  push(piece: Uint8Array): string {
    return this.#read(this.#decoder.decode(piece, { stream: true }));
  }

  end(): string {
    const text = this.#read(this.#decoder.decode());
    if (this.#rest !== "") this.#line(this.#rest);
    if (this.#state === "head") this.#settle();
    return text + this.#take();
  }

  #read(text: string): string {
    const all = this.#rest + text;
    const end = all.lastIndexOf("\n") + 1;
    for (let at = 0; at < end; ) {
      const next = all.indexOf("\n", at) + 1;
      this.#line(all.slice(at, next));
      at = next;
    }
    this.#rest = all.slice(end);
    if (this.#rest.length > longestLine) {
      // Of an endless line the beginning tells what it is.
      this.#line(this.#rest);
      this.#isInLine = true;
      this.#rest = "";
    }
    return this.#take();
  }

  #take(): string {
    const text = this.#shown.join("");
    this.#shown = [];
    return text;
  }

  #line(line: string): void {
    const isRest = this.#isInLine;
    this.#isInLine = isRest && !line.endsWith("\n");
    if (!isRest && beginsFile.test(line)) {
      if (this.#state === "head") this.#settle();
      this.#head = [line];
      this.#state = "head";
    } else if (this.#state === "head") {
      const isHunk = line.startsWith("@@");
      if (isHunk) this.#settle();
      else this.#head.push(line);
      if (isHunk) this.#content(line, true);
      else if (isBinaryNote(line)) this.#settle();
    } else if (this.#state === "content") this.#content(line, isRest);
    else if (this.#state === "before") this.#shown.push(line);
  }

  /** The head of a file is whole: its names are known. */
  #settle(): void {
    // Only the time of the file has changed.
    if (this.#head.length === 1 && this.#head[0]!.startsWith("diff --git ")) {
      this.#state = "hidden";
      return;
    }
    const file = readHead(this.#head, this.#reading.prefix);
    const isShown =
      file !== undefined &&
      this.#reading.shows(file.path) &&
      (file.from === undefined || this.#reading.shows(file.from));
    this.#state = isShown ? "content" : "hidden";
    this.#file = file;
    if (isShown) {
      this.files.push(file);
      this.#shown.push(...this.#head);
    } else this.hidden.push(file?.path ?? this.#head[0]!.trim());
    this.#head = [];
  }

  #content(line: string, isUncounted: boolean): void {
    if (this.#state === "hidden") return;
    const file = this.#file!;
    if (line.startsWith("@@")) this.#signs = line.indexOf(" ") - 1;
    if (!isUncounted && !line.startsWith("@")) {
      const signs = line.slice(0, this.#signs);
      if (signs.includes("+")) file.additions += 1;
      else if (signs.includes("-")) file.deletions += 1;
    }
    this.#shown.push(line);
    if (file.isCut || line.length > this.#patchChars) file.isCut = true;
    else {
      file.patch += line;
      this.#patchChars -= line.length;
    }
  }
}

const longestLine = 64 * 1024;

/** Of the hunks of all files, for programs. */
const maxPatchChars = 512 * 1024;

const beginsFile = /^(?:diff --(?:git|cc|combined) |\* Unmerged path )/;
