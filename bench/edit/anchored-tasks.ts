import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../src/contract/error.ts";
import { MemoryEnvironment } from "../../src/environment/memory/memory-environment.ts";
import { editAnchored } from "../../src/tools/edit/anchored.ts";
import { fileRead } from "../../src/tools/file/read.ts";
import { toolContext } from "../../test/support/tool-context.ts";
import { Random } from "../data/random.ts";

/** A read with anchors, a change by another program, and an edit by the anchors of the read. */
export interface AnchoredTask {
  readonly kind: string;
  readonly before: Uint8Array;
  /** The file when the edit is made. */
  readonly now: Uint8Array;
  readonly read: { readonly offset: number; readonly limit: number };
  readonly edits: readonly NumberedEdit[];
  /** The bytes after the edit; undefined if it must be refused. */
  readonly expected: Uint8Array | undefined;
  /** Whether the edit is only refused by what the caller has seen. */
  readonly needsMemory: boolean;
}

interface NumberedEdit {
  readonly op: "replace" | "delete" | "insert_before" | "insert_after";
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Whether the anchors are sent with the text of their lines. */
  readonly withText: boolean;
  /** Sends the hash of another line. */
  readonly hashOf?: number;
}

/** Returns real text files of a folder, in a fixed order. */
export function textFiles(folder: string, count: number): readonly string[] {
  const texts: string[] = [];
  const walk = (path: string): void => {
    for (const name of readdirSync(path).sort()) {
      if (texts.length >= count) return;
      const child = join(path, name);
      const info = statSync(child);
      if (info.isDirectory()) walk(child);
      else if (/\.(?:[cm]?[jt]s|json|md|py|css|ya?ml)$/.test(name) && info.size > 200 && info.size < 24_000)
        texts.push(readFileSync(child, "utf8"));
    }
  };
  walk(folder);
  return texts.filter(
    (text) =>
      !text.includes("\ufffd") && !text.includes("\r") && !text.includes("\0") && text.split("\n").length > 8,
  );
}

/** Makes the task of a number; the same number and text give the same task. */
export function makeTask(number: number, text: string): AnchoredTask {
  const random = new Random(number);
  const file = layOut(text, random);
  const kind = random.fraction() < 0.5 ? "clean" : random.pick(Object.keys(changes));
  const wanted = kind === "clean" ? random.pick(["unchanged", "elsewhere"]) : kind;
  return wanted === "unchanged" || wanted === "elsewhere"
    ? cleanTask(file, wanted, random)
    : staleTask(file, wanted, random);
}

/** A file as lines, with one line end for all. */
interface Layout {
  readonly lines: readonly string[];
  readonly lineEnd: string;
  readonly isClosed: boolean;
  readonly mark: string;
}

function layOut(text: string, random: Random): Layout {
  const lines = text.replace(/\n$/, "").split("\n");
  const isBlock = random.fraction() < 0.3;
  const start = random.below(Math.max(1, lines.length - 6));
  const block = lines.slice(start, start + 1 + random.below(5));
  const repeated = isBlock
    ? [...lines.slice(0, start), ...Array.from({ length: 4 }, () => block).flat(), ...lines.slice(start)]
    : lines;
  return {
    lines: repeated.at(-1) === "" ? [...repeated, "end"] : repeated,
    lineEnd: random.fraction() < 0.2 ? "\r\n" : "\n",
    isClosed: random.fraction() < 0.8,
    mark: random.fraction() < 0.1 ? "\ufeff" : "",
  };
}

function bytesOf({ lineEnd, isClosed, mark }: Layout, lines: readonly string[]): Uint8Array {
  return Buffer.from(mark + lines.join(lineEnd) + (isClosed && lines.length > 0 ? lineEnd : ""));
}

function cleanTask(file: Layout, kind: "unchanged" | "elsewhere", random: Random): AnchoredTask {
  const { lines } = file;
  const chosen: NumberedEdit[] = [];
  for (let at = 1 + random.below(8); at <= lines.length && chosen.length < 4; ) {
    const edit = editAt(lines, at, random);
    chosen.push(edit);
    at = edit.to + 2 + random.below(20);
  }
  const now = kind === "elsewhere" ? changeElsewhere(lines, chosen, random) : lines;
  return {
    kind,
    before: bytesOf(file, lines),
    now: bytesOf(file, now),
    read: kind === "unchanged" && random.fraction() < 0.3 ? partWith(chosen, random) : wholeFile,
    edits: shuffle(chosen, random),
    expected: bytesOf(file, apply(now, chosen)),
    needsMemory: chosen.some(isLong),
  };
}

const wholeFile = { offset: 1, limit: 10_000 };

/** Returns a part of the file that contains the lines of the edits. */
function partWith(edits: readonly NumberedEdit[], random: Random): AnchoredTask["read"] {
  const offset = Math.max(1, edits[0]!.from - random.below(10));
  return { offset, limit: edits.at(-1)!.to - offset + 1 + random.below(10) };
}

function shuffle(edits: readonly NumberedEdit[], random: Random): readonly NumberedEdit[] {
  return edits.toSorted(() => random.fraction() - 0.5);
}

/** Anchors cover only the first two and the last two lines of a range. */
function isLong({ from, to }: NumberedEdit): boolean {
  return to - from > 3;
}

function editAt(lines: readonly string[], line: number, random: Random): NumberedEdit {
  const op = random.pick(["replace", "replace", "delete", "insert_before", "insert_after"] as const);
  const isRange = (op === "replace" || op === "delete") && random.fraction() < 0.5;
  const to = isRange ? Math.min(lines.length, line + random.below(9)) : line;
  const added = Array.from({ length: 1 + random.below(3) }, (_, index) =>
    random.pick([`new ${line}.${index}`, "\treturn $& + $1;", "", "  größer “quoted” 😀", "} // end"]),
  );
  const text = `${added.join("\n")}${random.fraction() < 0.5 || added.at(-1) === "" ? "\n" : ""}`;
  const isSame = added.join("\n") === lines.slice(line - 1, to).join("\n");
  return { op, from: line, to, text: isSame ? "other" : text, withText: random.fraction() < 0.3 };
}

/** Applies edits to lines, last one first. Written without the code under test. */
function apply(lines: readonly string[], edits: readonly NumberedEdit[]): readonly string[] {
  const result = [...lines];
  for (const { op, from, to, text } of edits.toSorted((one, other) => other.from - one.from)) {
    const added = text.replace(/\n$/, "").split("\n");
    if (op === "replace") result.splice(from - 1, to - from + 1, ...added);
    else if (op === "delete") result.splice(from - 1, to - from + 1);
    else result.splice(op === "insert_before" ? from - 1 : from, 0, ...added);
  }
  return result;
}

/** Changes a line that is not named by an anchor, nor next to one that is. */
function changeElsewhere(
  lines: readonly string[],
  edits: readonly NumberedEdit[],
  random: Random,
): readonly string[] {
  const free = lines.flatMap((_, index) =>
    edits.every(({ from, to }) => index + 1 < from - 1 || index + 1 > to + 1) ? [index] : [],
  );
  return free.length === 0 ? lines : lines.with(random.pick(free), `changed elsewhere ${random.below(1000)}`);
}

type Change = (lines: readonly string[], edit: NumberedEdit, random: Random) => readonly string[] | undefined;

/** Changes after which the anchors of an edit no longer name the lines that were read. */
const changes: Readonly<Record<string, Change>> = {
  "line changed": (lines, { from, to }, random) => {
    const index = random.pick([from, to]) - 1;
    return lines.with(index, `${lines[index]} `);
  },
  "inner line changed": (lines, { from, to }, random) =>
    to - from < 2 ? undefined : lines.with(from + random.below(to - from - 1), "changed inside"),
  "line deleted": (lines, { from, to }, random) => lines.toSpliced(random.pick([from, to]) - 1, 1),
  "lines inserted above": (lines, { from }, random) =>
    lines.toSpliced(random.below(from), 0, ...lines.slice(0, 1 + random.below(4))),
  "lines deleted above": (lines, { from }, random) => {
    const count = 1 + random.below(4);
    return from <= count ? undefined : lines.toSpliced(random.below(from - count), count);
  },
  "lines moved": (lines, { from, to }, random) => {
    const rest = lines.toSpliced(from - 1, to - from + 1);
    return rest.toSpliced(random.below(rest.length + 1), 0, ...lines.slice(from - 1, to));
  },
  "lines swapped": (lines, { from }, random) => {
    const other = random.below(lines.length);
    return lines.with(from - 1, lines[other]!).with(other, lines[from - 1]!);
  },
  "line duplicated above": (lines, { from }) => lines.toSpliced(from - 1, 0, lines[from - 1]!),
  "neighbour duplicated": (lines, { from }) =>
    from < 2 ? undefined : lines.toSpliced(from - 2, 0, lines[from - 2]!),
  "file cut": (lines, { from, to }, random) => lines.slice(0, random.pick([from, to]) - 1),
  "wrong hash": (lines) => lines,
};

function staleTask(file: Layout, kind: string, random: Random): AnchoredTask {
  const { lines } = file;
  for (;;) {
    const edit = editAt(lines, 1 + random.below(lines.length), random);
    const now = changes[kind]!(lines, edit, random);
    if (now === undefined || (kind !== "wrong hash" && stays(lines, now, edit))) continue;
    const other = 1 + random.below(lines.length);
    if (kind === "wrong hash" && (other === edit.from || lines.length < 3)) continue;
    return {
      kind,
      before: bytesOf(file, lines),
      now: bytesOf(file, now),
      read: random.fraction() < 0.3 ? partWith([edit], random) : wholeFile,
      edits: [kind === "wrong hash" ? { ...edit, hashOf: other } : edit],
      expected: undefined,
      needsMemory: kind !== "wrong hash" && looksAlike(lines, now, edit),
    };
  }
}

/** Whether a change leaves the named lines, the lines next to them and their numbers as they were, and none moved. */
function stays(lines: readonly string[], now: readonly string[], { from, to }: NumberedEdit): boolean {
  const head = (list: readonly string[]) => list.slice(0, to + 1).join("\n");
  const tail = (list: readonly string[]) => list.slice(Math.max(0, from - 2)).join("\n");
  return head(lines) === head(now) || (lines.length === now.length && tail(lines) === tail(now));
}

/** Whether all lines that the anchors cover are the same, because lines are repeated or only inner lines changed. */
function looksAlike(lines: readonly string[], now: readonly string[], { from, to }: NumberedEdit): boolean {
  const covered = [from - 1, from, from + 1, to - 1, to, to + 1];
  return covered.every((line) => lines[line - 1] === now[line - 1]);
}

export type Verdict = "applied" | "refused" | "wrong" | "false alarm";

/** Runs a task through the real tools. "without memory": the edit comes from a caller that has not read the file. */
export async function runTask(
  task: AnchoredTask,
  memory: "with memory" | "without memory",
): Promise<Verdict> {
  const environment = new MemoryEnvironment({ files: { "a.txt": task.before } });
  const context = toolContext(environment);
  const { text } = await fileRead.run({ path: "a.txt", anchors: true, ...task.read }, context);
  const shown = new Map(text.split("\n").map((line) => [Number.parseInt(line, 10), line]));
  await environment.writeFile("a.txt", task.now);
  const anchor = (line: number, { withText, hashOf }: NumberedEdit): string => {
    const own = shown.get(line) ?? `${line}:0000|`;
    const hash = hashOf === undefined ? own : (shown.get(hashOf) ?? "0:0000|").replace(/^\d+/, `${line}`);
    return withText && hashOf === undefined ? own : hash.slice(0, hash.indexOf("|"));
  };
  const edits = task.edits.map((edit) => ({
    op: edit.op,
    from: anchor(edit.from, edit),
    ...(edit.to > edit.from && { to: anchor(edit.to, { ...edit, hashOf: undefined }) }),
    ...(edit.op !== "delete" && { text: edit.text }),
  }));
  const caller = memory === "with memory" ? context : toolContext(environment);
  try {
    await editAnchored.run({ path: "a.txt", edits }, caller);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "stale") throw error;
    return task.expected === undefined ? "refused" : "false alarm";
  }
  const { bytes } = await environment.readFile("a.txt", { maxBytes: 1e9, signal: context.signal });
  return task.expected && Buffer.from(bytes).equals(task.expected) ? "applied" : "wrong";
}
