import { unquoteC } from "../../lib/text/unquote-c.ts";

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

interface DiffReading {
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

const maxPatchChars = 512 * 1024;

const beginsFile = /^(?:diff --(?:git|cc|combined) |\* Unmerged path )/;

type Draft = { -readonly [Key in keyof DiffFile]: DiffFile[Key] };

/** What git says of a file before its hunks; undefined when that does not tell its name. */
function readHead(head: readonly string[], prefix: string): Draft | undefined {
  const [, kind, names = ""] = /^(?:diff --|\* )(git|cc|combined|Unmerged path) (.*)$/m.exec(head[0]!) ?? [];
  const path = kind === "git" ? bothNames(names, prefix) : nameOf(names);
  const file: Draft & { path: string } = {
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

/** Stands in the place of hunks. */
function isBinaryNote(line: string): boolean {
  return line.startsWith("Binary files ") || line.startsWith("GIT binary patch");
}

function readLine(line: string, file: Draft, isCombined: boolean): void {
  const [, field, value = ""] = fields.exec(line) ?? [];
  switch (field) {
    case "new file mode":
      file.status = "added";
      break;
    case "deleted file mode":
      file.status = "deleted";
      break;
    case "new mode":
      if (file.status === "modified") file.status = "mode changed";
      break;
    case "index":
      if (file.status === "mode changed") file.status = "modified";
      // The outcome of a merge has no hash while it is in the working tree only.
      if (isCombined && /\.\.0+$/.test(value)) file.status = "unmerged";
      break;
    case "rename from":
    case "copy from":
      file.status = field === "copy from" ? "copied" : "renamed";
      file.from = nameOf(value);
      break;
    case "rename to":
    case "copy to":
      file.path = nameOf(value);
      break;
    default:
      if (isBinaryNote(line)) file.isBinary = true;
  }
}

const fields =
  /^(new file mode|deleted file mode|new mode|index|rename from|copy from|rename to|copy to) (.*)\n?$/;

/** "a/name b/name": both are the same but for their first letter, unless the file was renamed, which is said below. */
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

function nameOf(text: string): string {
  return text.startsWith('"') ? unquoteC(text) : text;
}
