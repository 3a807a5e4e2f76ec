import { unquoteC } from "../../lib/text/unquote-c.ts";
import type { Draft } from "../parse-status.ts";
import type { Repository } from "../run-git.ts";

/** One file of a diff. Paths are relative to the workspace. */
export interface DiffFile {
  readonly path: string;
  readonly status: DiffStatus;
  /** The old path of a rename, or the source of a copy. */
  readonly from?: string;
  readonly additions: number;
  readonly deletions: number;
  /** Whether the content is not text or is over 100 MB, and is not shown. */
  readonly isBinary: boolean;
  /** The hunks, or only their beginning: see `isCut`. */
  readonly patch: string;
  readonly isCut: boolean;
}

type ContentStatus = "added" | "modified" | "deleted" | "renamed" | "copied";
export type DiffStatus = ContentStatus | "mode changed" | "unmerged";

interface DiffReading {
  readonly prefix: Repository["prefix"];
  /** Whether a file may be shown; called before any of its text is returned. */
  readonly shows: (path: string) => boolean;
}

/**
 * Parses the output of `git diff -p` as a stream. Lines of content begin with a sign, so that none can be mistaken for
 * the head of a file; git quotes names that could be.
 */
export class DiffReader {
  readonly files: DiffFile[] = [];
  readonly hidden: string[] = [];
  readonly #reading: DiffReading;
  readonly #decoder = new TextDecoder();
  #state: "before" | "head" | "content" | "hidden" = "before";
  #file: Draft<DiffFile> | undefined;
  #head: string[] = [];
  /** An incomplete line, and whether the next text continues a line that was already handled. */
  #rest = "";
  #isInLine = false;
  /** The number of signs before a line of content: one, or in a merge one per parent. */
  #signs = 1;
  #patchChars = maxPatchChars;
  #shown: string[] = [];

  constructor(reading: DiffReading) {
    this.#reading = reading;
  }

  /** Returns the text that may be shown. */
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
      // The beginning of a very long line decides its kind.
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

  /** Decides whether a file is shown, once its head is complete. */
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

const maxPatchChars = 512 * 1024;

const beginsFile = /^(?:diff --(?:git|cc|combined) |\* Unmerged path )/;

/** Parses the lines before the hunks; undefined if they do not contain the file's name. */
function readHead(head: readonly string[], prefix: string): Draft<DiffFile> | undefined {
  const [, kind, names = ""] = /^(?:diff --|\* )(git|cc|combined|Unmerged path) (.*)$/m.exec(head[0]!) ?? [];
  const path = kind === "git" ? bothNames(names, prefix) : nameOf(names);
  const file: Draft<DiffFile> = {
    path: path ?? "",
    status: kind === "Unmerged path" ? "unmerged" : "modified",
    additions: 0,
    deletions: 0,
    isBinary: false,
    patch: "",
    isCut: false,
  };
  for (const line of head.slice(1)) readLine(line, file, kind !== "git");
  if (file.path === "") return undefined;
  file.path = prefix + file.path;
  if (file.from !== undefined) file.from = prefix + file.from;
  return file;
}

/** Recognizes the line that replaces the hunks of a binary file. */
function isBinaryNote(line: string): boolean {
  return line.startsWith("Binary files ") || line.startsWith("GIT binary patch");
}

function readLine(line: string, file: Draft<DiffFile>, isCombined: boolean): void {
  const [, field, value = ""] = fields.exec(line) ?? [];
  if (field === "new file mode") file.status = "added";
  else if (field === "deleted file mode") file.status = "deleted";
  else if (field === "new mode" && file.status === "modified") file.status = "mode changed";
  else if (field === "index") {
    if (file.status === "mode changed") file.status = "modified";
    // A merge result that is only in the working tree has no hash.
    if (isCombined && /\.\.0+$/.test(value)) file.status = "unmerged";
  } else if (field === "rename from" || field === "copy from") {
    file.status = field === "copy from" ? "copied" : "renamed";
    file.from = nameOf(value);
  } else if (field === "rename to" || field === "copy to") file.path = nameOf(value);
  else if (isBinaryNote(line)) file.isBinary = true;
}

const fields =
  /^(new file mode|deleted file mode|new mode|index|rename from|copy from|rename to|copy to) (.*)\n?$/;

/** Reads the name in "a/name b/name". Both names are equal unless the file is renamed, which other lines show. */
function bothNames(text: string, prefix: string): string | undefined {
  const [, from, to] = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(text) ?? [];
  const middle = (text.length - 1) / 2;
  const [left, right] =
    from !== undefined && to !== undefined
      ? [unquoteC(from), unquoteC(to)]
      : [text.slice(0, middle), text.slice(middle + 1)];
  const name = left.startsWith(`a/${prefix}`) ? left.slice(2 + prefix.length) : undefined;
  return name !== undefined && right === `b/${prefix}${name}` ? name : undefined;
}

/** Reads a file name as git prints it, with quotes only where needed. */
export function nameOf(text: string): string {
  return text.startsWith('"') ? unquoteC(text) : text;
}
