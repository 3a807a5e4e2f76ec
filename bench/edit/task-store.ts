import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { dataPath } from "../data/data.ts";
import { makeTasks } from "./make-tasks.ts";
import { collectModifications } from "./modifications.ts";
import { downloadPackages } from "./packages.ts";
import type { Task, TaskFile } from "./task.ts";

/** Increase it when tasks change: they are then made again. */
const version = 1;

/** Files as stored: bytes by their position in one large file, results as the difference from the original. */
interface StoredFile {
  readonly path: string;
  readonly before: readonly [start: number, end: number] | null;
  readonly after: readonly [keepStart: number, keepEnd: number, between: string] | null;
}

type StoredTask = Omit<Task, "files"> & { readonly files: readonly StoredFile[] };

/** Makes the tasks, unless an earlier run has made them. */
export async function ensureTasks(): Promise<void> {
  if (existsSync(listFile)) return;
  downloadPackages();
  process.stderr.write("Making edit tasks …\n");
  const started = performance.now();
  mkdirSync(directory, { recursive: true });
  const modifications = await collectModifications(() => {});
  const pile = new Pile(pileFile);
  const list = openSync(`${listFile}.new`, "w");
  let count = 0;
  for (const task of makeTasks(modifications)) {
    const stored: StoredTask = { ...task, files: task.files.map((file) => storeFile(file, pile)) };
    writeSync(list, `${JSON.stringify(stored)}\n`);
    count++;
  }
  closeSync(list);
  pile.close();
  renameSync(`${listFile}.new`, listFile);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stderr.write(`Made ${count} tasks from ${modifications.length} modifications in ${seconds} s.\n`);
}

export function loadTasks(): Task[] {
  const pile = readFileSync(pileFile);
  return readFileSync(listFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const stored = JSON.parse(line) as StoredTask;
      return { ...stored, files: stored.files.map((file) => restoreFile(file, pile)) };
    });
}

const directory = dataPath("edit");
const listFile = join(directory, `tasks-${version}.jsonl`);
const pileFile = join(directory, `files-${version}.bin`);

/** All files concatenated, each once. */
class Pile {
  readonly #handle: number;
  readonly #positions = new Map<string, readonly [number, number]>();
  #end = 0;

  constructor(path: string) {
    this.#handle = openSync(path, "w");
  }

  put(bytes: Uint8Array): readonly [number, number] {
    const key = createHash("sha256").update(bytes).digest("base64");
    let position = this.#positions.get(key);
    if (!position) {
      writeSync(this.#handle, bytes);
      position = [this.#end, this.#end + bytes.length];
      this.#end += bytes.length;
      this.#positions.set(key, position);
    }
    return position;
  }

  close(): void {
    closeSync(this.#handle);
  }
}

function storeFile({ path, before, after }: TaskFile, pile: Pile): StoredFile {
  return { path, before: before ? pile.put(before) : null, after: storeAfter(before, after) };
}

function storeAfter(before: Uint8Array | undefined, after: Uint8Array | undefined): StoredFile["after"] {
  if (!after) return null;
  const old = before ?? new Uint8Array();
  const shorter = Math.min(old.length, after.length);
  let start = 0;
  while (start < shorter && old[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === after[after.length - 1 - end]) end++;
  return [start, end, Buffer.from(after.subarray(start, after.length - end)).toString("base64")];
}

function restoreFile({ path, before: position, after: stored }: StoredFile, pile: Buffer): TaskFile {
  const before = position ? pile.subarray(...position) : undefined;
  const restore = () => {
    if (stored === null) return undefined;
    const old = before ?? Buffer.alloc(0);
    const [start, end, between] = stored;
    return Buffer.concat([
      old.subarray(0, start),
      Buffer.from(between, "base64"),
      old.subarray(old.length - end),
    ]);
  };
  // Results are assembled on access, because all of them at once would fill the memory.
  return {
    path,
    before,
    get after() {
      return restore();
    },
  };
}
