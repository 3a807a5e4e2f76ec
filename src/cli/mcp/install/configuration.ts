import { accessSync, constants, lstatSync, mkdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../../../contract/error.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { realLocation } from "../../../system/directories.ts";

/** The key of an entry in a configuration. */
export interface EntryKey {
  readonly servers: string;
  readonly name: string;
}

/** Reads and writes one format. Pure; throws `invalid-input` with the line and the fault. */
export interface EntryEdit {
  read(text: string): Readonly<Record<string, unknown>>;
  set(text: string, key: EntryKey, value: Readonly<Record<string, unknown>>): string;
  remove(text: string, key: EntryKey): string;
  /** Formats the entry alone, in its container. */
  show(key: EntryKey, value: Readonly<Record<string, unknown>>): string;
}

export interface Configuration {
  /** The path that the client uses; links are followed. */
  readonly file: string;
  /** Undefined when the file does not exist. */
  readonly text: string | undefined;
}

export async function editorFor(file: string): Promise<EntryEdit> {
  const { jsonEntry, tomlEntry } = await import("./configuration-entry.ts");
  return file.endsWith(".toml") ? tomlEntry : jsonEntry;
}

const byteOrderMark = "\uFEFF";

/** Sets the entry, or removes it when `value` is undefined. Throws when that would change anything else. */
export function editText(
  { file, text = "" }: Configuration,
  editor: EntryEdit,
  key: EntryKey,
  value: Readonly<Record<string, unknown>> | undefined,
): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const bare = text.slice(mark.length);
  try {
    const wanted = withEntry(editor.read(bare), key, value);
    const after = value ? editor.set(bare, key, value) : editor.remove(bare, key);
    if (isDeepStrictEqual(withEntry(editor.read(after), key, value), wanted)) {
      const entry = entryIn(editor.read(after), key);
      if (isDeepStrictEqual(entry, value)) return mark + after;
    }
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
  throw unreadable(file, `"${key.name}" is written in a form that Toolcrib cannot change`);
}

/** Returns the entry, if there is one. Throws when the file cannot be parsed. */
export function readEntry({ file, text = "" }: Configuration, editor: EntryEdit, key: EntryKey): unknown {
  try {
    return entryIn(editor.read(text.startsWith(byteOrderMark) ? text.slice(1) : text), key);
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
}

function entryIn(content: Readonly<Record<string, unknown>>, { servers, name }: EntryKey): unknown {
  const container = content[servers];
  if (container === undefined) return undefined;
  if (!isRecord(container)) throw new ToolError("invalid-input", `${servers} is not an object`);
  return Object.hasOwn(container, name) ? container[name] : undefined;
}

/** Returns the expected content. An empty container counts as missing. */
function withEntry(
  content: Readonly<Record<string, unknown>>,
  key: EntryKey,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const { [key.servers]: container, ...others } = content;
  const { [key.name]: _, ...siblings } = (container ?? {}) as Readonly<Record<string, unknown>>;
  const inside = { ...siblings, ...(value !== undefined && { [key.name]: value }) };
  return Object.keys(inside).length === 0 ? others : { ...others, [key.servers]: inside };
}

export function readConfiguration(file: string): Configuration {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined && lstatSync(file, { throwIfNoEntry: false }))
    throw unreadable(file, "it is a broken link");
  if (stats === undefined) return { file, text: undefined };
  if (!stats.isFile()) throw unreadable(file, "it is not a regular file");
  if (stats.size > maxBytes) throw unreadable(file, "it is too large");
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { file, text: decoder.decode(readFileSync(file)) };
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
}

const maxBytes = 64 * 1024 * 1024;

/** Replaces the file that was read; undefined deletes it. Returns the directories that were created. */
export async function writeConfiguration(
  { file, text: before }: Configuration,
  after: string | undefined,
  modeOfNew?: number,
): Promise<readonly string[]> {
  const real = realLocation(file);
  const folder = dirname(real);
  const made = makeDirectories(folder);
  if (before !== undefined) refuseReadOnly(file);
  const environment = openLocalEnvironment({ workspace: folder });
  try {
    await environment.change([
      {
        path: real,
        before: before === undefined ? "nothing" : contentHash(Buffer.from(before)),
        after: after === undefined ? "nothing" : Buffer.from(after),
        mode: before === undefined ? modeOfNew : undefined,
      },
    ]);
    return made;
  } finally {
    await environment.close();
  }
}

/** Removes these directories as long as they are empty, innermost first. */
export function removeDirectories(made: readonly string[]): void {
  for (const folder of made.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** Creates a directory. Returns the directories that were missing, outermost first. */
function makeDirectories(folder: string): readonly string[] {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return [];
  const below = folder.slice(first.length).split("/").filter(Boolean);
  return [first, ...below.map((_, index) => join(first, ...below.slice(0, index + 1)))];
}

function refuseReadOnly(file: string): void {
  try {
    accessSync(file, constants.W_OK);
  } catch (cause) {
    throw new ToolError("unavailable", `${file} is read-only`, {
      hint: "Make it writable, or add the output of --print yourself.",
      cause,
    });
  }
}

function unreadable(file: string, why: string): ToolError {
  return new ToolError("invalid-input", `${file} cannot be changed: ${why}`, {
    hint: "Nothing was changed. Fix the file, or add the output of --print yourself.",
  });
}
