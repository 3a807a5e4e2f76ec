import { accessSync, constants, lstatSync, mkdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../../../contract/error.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { realLocation } from "../../../system/directories.ts";
import type { Client } from "./clients.ts";

/** Where an entry stands in a configuration. */
export interface EntryPlace {
  readonly servers: string;
  readonly name: string;
}

/** How one format is read and written. Pure; throws `invalid-input` with what is wrong, and where. */
export interface EntryEdit {
  /** All that it says. */
  read(text: string): Readonly<Record<string, unknown>>;
  set(text: string, place: EntryPlace, value: Readonly<Record<string, unknown>>): string;
  remove(text: string, place: EntryPlace): string;
  /** The entry alone, in its container. */
  show(place: EntryPlace, value: Readonly<Record<string, unknown>>): string;
}

/** A client's configuration as it stands on the disk. */
export interface Configuration {
  /** As the client names it; a link is followed. */
  readonly file: string;
  /** Undefined where there is none. */
  readonly text: string | undefined;
}

export async function editorFor({ format }: Pick<Client, "format">): Promise<EntryEdit> {
  return format === "json"
    ? (await import("./configuration-entry.ts")).jsonEntry
    : (await import("./configuration-entry.ts")).tomlEntry;
}

const byteOrderMark = "\uFEFF";

/** The text with the entry as told, undefined for none, and with nothing else changed; throws where that cannot be done. */
export function editText(
  { file, text = "" }: Configuration,
  editor: EntryEdit,
  place: EntryPlace,
  value: Readonly<Record<string, unknown>> | undefined,
): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const bare = text.slice(mark.length);
  try {
    const wanted = withEntry(editor.read(bare), place, value);
    const after = value ? editor.set(bare, place, value) : editor.remove(bare, place);
    if (isDeepStrictEqual(withEntry(editor.read(after), place, value), wanted)) {
      const entry = entryIn(editor.read(after), place);
      if (isDeepStrictEqual(entry, value)) return mark + after;
    }
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
  throw unreadable(file, `"${place.name}" stands there in a way that Toolcrib does not change`);
}

/** The entry as it is; throws where the file cannot be understood. */
export function readEntry({ file, text = "" }: Configuration, editor: EntryEdit, place: EntryPlace): unknown {
  try {
    return entryIn(editor.read(text.startsWith(byteOrderMark) ? text.slice(1) : text), place);
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
}

function entryIn(content: Readonly<Record<string, unknown>>, { servers, name }: EntryPlace): unknown {
  const container = content[servers];
  if (container === undefined) return undefined;
  if (typeof container !== "object" || container === null || Array.isArray(container))
    throw new ToolError("invalid-input", `${servers} is no object`);
  return Object.hasOwn(container, name) ? (container as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** What the file should say: a container that holds nothing is as good as none. */
function withEntry(
  content: Readonly<Record<string, unknown>>,
  place: EntryPlace,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const { [place.servers]: container, ...others } = content;
  const { [place.name]: _, ...siblings } = (container ?? {}) as Readonly<Record<string, unknown>>;
  const inside = { ...siblings, ...(value !== undefined && { [place.name]: value }) };
  return Object.keys(inside).length === 0 ? others : { ...others, [place.servers]: inside };
}

export function readConfiguration(file: string): Configuration {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined && lstatSync(file, { throwIfNoEntry: false }))
    throw unreadable(file, "it is a link that leads nowhere");
  if (stats === undefined) return { file, text: undefined };
  if (!stats.isFile()) throw unreadable(file, "it is no regular file");
  if (stats.size > maxBytes) throw unreadable(file, "it is too large");
  try {
    return {
      file,
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file)),
    };
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
}

const maxBytes = 64 * 1024 * 1024;

/** Replaces what was read, as a whole; undefined removes the file. Gives the directories that had to be made. */
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
        ...(before === undefined && modeOfNew !== undefined && { mode: modeOfNew }),
      },
    ]);
    return made;
  } finally {
    await environment.close();
  }
}

/** Those of the directories that are empty again, the innermost first. */
export function removeDirectories(made: readonly string[]): void {
  for (const folder of made.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** Outermost first. */
function makeDirectories(folder: string): readonly string[] {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return [];
  const below = folder
    .slice(first.length)
    .split("/")
    .filter((name) => name !== "");
  return [first, ...below.map((_, index) => join(first, ...below.slice(0, index + 1)))];
}

function refuseReadOnly(file: string): void {
  try {
    accessSync(file, constants.W_OK);
  } catch (cause) {
    throw new ToolError("unavailable", `${file} is read-only`, {
      hint: "Make it writable, or add what --print shows yourself.",
      cause,
    });
  }
}

function unreadable(file: string, why: string): ToolError {
  return new ToolError("invalid-input", `${file} cannot be changed: ${why}`, {
    hint: "Nothing was changed: mend it, or add what --print shows yourself.",
  });
}
