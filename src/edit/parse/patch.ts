import { ToolError } from "../../contract/error.ts";
import { type Block, blockOfHunk, type FileSection, type HunkLine } from "../block.ts";
import { hunkLineKinds, parseDiff } from "./diff.ts";
import { patchBodies } from "./envelope.ts";
import { type HunkHeader, hintsUnder, isDiffHeader, isHunkHeader, readHunkHeader } from "./headers.ts";

/*
 * The patch format called v4a:
 *
 *   patch   = "*** Begin Patch" section+ "*** End Patch"
 *   section = "*** Add File: " path, then lines that begin with "+", none for an empty file
 *           | "*** Delete File: " path
 *           | "*** Update File: " path, ["*** Move to: " path], hunk*
 *   hunk    = ("@@" [" " line of the file])*, line+, ["*** End of File"]
 *   line    = (" " | "-" | "+") text        an empty line is an empty context line
 *
 * Read strictly, only a line that begins with "***" or "@@" is a marker, so " *** End Patch" is context. Read loosely,
 * markers may be padded, headers of unified diffs are skipped, and blank lines need no "+" in a new file.
 */

/** Parses a patch. Throws `invalid-input` with the number of the unexpected line. */
export function parsePatch(patch: string, strictness: Strictness): readonly FileSection[] {
  const sections: FileSection[] = [];
  for (const body of patchBodies(patch, strictness)) {
    const reader = new PatchReader(body.lines, body.firstLine, strictness);
    while (!reader.isDone) sections.push(...readSections(reader));
  }
  if (sections.length === 0) {
    throw new ToolError("invalid-input", "The patch names no file", {
      hint: "Write `*** Update File: path`, `*** Add File: path` or `*** Delete File: path` after `*** Begin Patch`.",
    });
  }
  return sections;
}

/** Whether a loose reading of the text differs from the strict one. */
export function hasLooseReading(patch: string): boolean {
  return (
    /^(?:[^\S\n]+(?:\*\*\*|@@)|--- |diff --git |\\ No newline|@@ -0,0)/m.test(patch) ||
    !/^\s*\*\*\* Begin Patch\s*$/m.test(patch) ||
    !/^\*\*\* End Patch/m.test(patch) ||
    /^\r?\n\+/m.test(patch)
  );
}

function readSections(reader: PatchReader): readonly FileSection[] {
  return reader.isDiff ? parseDiff(reader.takeDiff()) : [readSection(reader)];
}

function readSection(reader: PatchReader): FileSection {
  const added = reader.marker("Add File:");
  if (added) return readAdded(reader, added);
  const deleted = reader.marker("Delete File:");
  if (deleted) {
    reader.advance();
    reader.skipBlank();
    return { kind: "delete", names: [deleted] };
  }
  const updated = reader.marker("Update File:");
  if (updated) return readUpdated(reader, updated);
  throw reader.unexpected(
    "A section begins with `*** Update File: path`, `*** Add File: path` or `*** Delete File: path`.",
  );
}

function readAdded(reader: PatchReader, name: string): FileSection {
  reader.advance();
  if (reader.strictness === "loose") skipDiffHeaders(reader);
  const lines: string[] = [];
  let blank = 0;
  for (; !reader.isDone && !reader.isMarker; reader.advance()) {
    if (reader.line.startsWith("+")) {
      lines.push(...Array.from({ length: blank }, () => ""), reader.line.slice(1).replace(/\r$/, ""));
      blank = 0;
    } else if (reader.line.trim() === "") blank += 1;
    else throw reader.unexpected("Every line of a new file begins with `+`.");
    if (blank > 0 && lines.length > 0 && reader.strictness === "strict" && reader.next?.startsWith("+")) {
      throw reader.unexpected("Every line of a new file begins with `+`, blank lines too.");
    }
  }
  return { kind: "add", name, lines, finalLineEnd: true };
}

function readUpdated(reader: PatchReader, name: string): FileSection {
  reader.advance();
  const moveTo = reader.isDone ? undefined : reader.marker("Move to:");
  if (moveTo !== undefined) reader.advance();
  if (reader.strictness === "loose") skipDiffHeaders(reader);
  const blocks: Block[] = [];
  for (;;) {
    const block = readHunk(reader, `hunk ${blocks.length + 1}`);
    if (!block) break;
    blocks.push(block);
  }
  if (blocks.length === 0 && !moveTo) {
    throw new ToolError("invalid-input", `The patch has no hunks for ${name}`, {
      hint: "Follow `*** Update File` with `@@` and lines that begin with a space, `-` or `+`.",
    });
  }
  return { kind: "update", names: [name], blocks, moveTo: moveTo === "" ? undefined : moveTo };
}

function readHunk(reader: PatchReader, name: string): Block | undefined {
  const headers: HunkHeader[] = [];
  const lines: HunkLine[] = [];
  let endOfFile = false;
  for (; !reader.isDone; reader.advance()) {
    if (reader.isMarker) {
      endOfFile ||= reader.marker("End of File") === "";
      if (!endOfFile) break;
      reader.advance();
      reader.skipBlank();
      break;
    }
    const header = reader.header;
    if (header !== undefined) {
      if (lines.some(({ bare }) => !bare)) break;
      lines.length = 0;
      headers.push(readHunkHeader(header));
      continue;
    }
    const line = readHunkLine(reader);
    if (line) lines.push(line);
    else endOfFile = true;
  }
  const isEmpty = lines.every(({ bare }) => bare);
  if (!isEmpty) return blockOfHunk(name, lines, hintsUnder(headers, endOfFile));
  const named = headers.findLast(({ text }) => text !== "");
  if (named || endOfFile) {
    const message = `The patch has ${name} without lines${named ? ` below "@@ ${named.text}"` : ""}`;
    const hint = "Below `@@`, lines begin with a space (context), `-` (remove) or `+` (add).";
    throw new ToolError("invalid-input", message, { hint });
  }
  return undefined;
}

/** Reads a line of a hunk; undefined for the note that the file has no final line end. */
function readHunkLine(reader: PatchReader): HunkLine | undefined {
  const { line, strictness } = reader;
  const carriageReturn = line.endsWith("\r");
  const text = (carriageReturn ? line.slice(0, -1) : line).slice(1);
  if (line === "" || line === "\r") {
    if (strictness === "loose" && reader.isAmongAdded) return { kind: "added", text: "", carriageReturn };
    return { kind: "context", text: "", bare: true, carriageReturn };
  }
  const kind = hunkLineKinds[line[0]!];
  if (kind) return { kind, text, carriageReturn };
  if (strictness === "loose" && line.startsWith("\\ No newline")) return undefined;
  throw reader.unexpected("Lines of a hunk begin with a space (context), `-` (remove) or `+` (add).");
}

function skipDiffHeaders(reader: PatchReader): void {
  const isHeader = () =>
    /^(diff --git |index [\da-f]+\.\.|old mode |new mode |new file mode |deleted file mode |similarity index )/.test(
      reader.line,
    ) ||
    (/^--- \S/.test(reader.line) && /^\+\+\+ \S/.test(reader.next ?? ""));
  while (!reader.isDone && isHeader()) {
    if (reader.line.startsWith("---")) reader.advance();
    reader.advance();
  }
  if (!reader.isDone && /^@@ -0,0 \+1/.test(reader.line)) reader.advance();
}

/** "strict": markers begin their line. "loose": they may be padded, and headers of diffs are skipped. */
export type Strictness = "strict" | "loose";

class PatchReader {
  readonly strictness: Strictness;
  readonly #lines: readonly string[];
  readonly #firstLine: number;
  /** Beside a header that begins its line, a padded one is context: a file may show a diff. */
  readonly #hasPaddedHeaders: boolean;
  #at = 0;

  constructor(lines: readonly string[], firstLine: number, strictness: Strictness) {
    this.#lines = lines;
    this.#firstLine = firstLine;
    this.strictness = strictness;
    this.#hasPaddedHeaders = strictness === "loose" && !lines.some(isHunkHeader);
    this.skipBlank();
  }

  get isDone(): boolean {
    return this.#at >= this.#lines.length;
  }

  get line(): string {
    return this.#lines[this.#at]!;
  }

  get next(): string | undefined {
    return this.#lines[this.#at + 1];
  }

  get isAmongAdded(): boolean {
    return this.#lines[this.#at - 1]?.startsWith("+") === true && this.next?.startsWith("+") === true;
  }

  advance(): void {
    this.#at += 1;
  }

  skipBlank(): void {
    while (!this.isDone && this.line.trim() === "") this.advance();
  }

  get #marked(): string {
    return this.strictness === "loose" ? this.line.trim() : this.line;
  }

  /** Returns the value of a `*** name value` marker at this line. */
  marker(name: string): string | undefined {
    const text = this.#marked;
    if (!text.startsWith("***")) return undefined;
    const rest = text.slice(3).trim();
    return rest.slice(0, name.length).toLowerCase() === name.toLowerCase()
      ? rest.slice(name.length).trim()
      : undefined;
  }

  get isMarker(): boolean {
    return this.#marked.startsWith("***") && sectionMarkers.some((name) => this.marker(name) !== undefined);
  }

  get header(): string | undefined {
    const text = this.#hasPaddedHeaders ? this.line.trim() : this.line;
    return isHunkHeader(text) ? text.slice(2).trim() : undefined;
  }

  get isDiff(): boolean {
    return isDiffHeader(this.#lines, this.#at);
  }

  takeDiff(): string {
    const start = this.#at;
    while (!this.isDone && !this.isMarker) this.advance();
    // The empty lines before the diff make errors give the right line number.
    return "\n".repeat(this.#firstLine + start - 1) + this.#lines.slice(start, this.#at).join("\n");
  }

  unexpected(expected: string): ToolError {
    const message = `Line ${this.#firstLine + this.#at} of the patch is unexpected: ${JSON.stringify(this.line)}`;
    return new ToolError("invalid-input", message, { hint: expected });
  }
}

const sectionMarkers = ["Add File:", "Delete File:", "Update File:", "Move to:", "End of File"];
