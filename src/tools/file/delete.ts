import * as z from "zod/mini";
import type { Directory, Environment, FileKind } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import { counted } from "../../text/counted.ts";

export interface FileDeleteInput {
  readonly path: string;
  readonly recursive?: boolean | undefined;
}

export interface FileDeleteData {
  readonly path: string;
  readonly kind: FileKind;
  /** Size of a file. */
  readonly bytes: number | undefined;
  /** What was in a directory, at every depth; undefined when that was not counted. */
  readonly entries: number | undefined;
}

/** Removes a file, a link, or a directory with all in it. */
export const fileDelete: Tool<FileDeleteInput, FileDeleteData> = {
  name: "file.delete",
  summary:
    "Delete a file or a link (never what the link points to), or with `recursive` a directory and everything in it. " +
    "To rename something use file.move.",
  risk: "destructive",
  input: z.strictObject({
    path: z.string().check(z.describe("What to delete, relative to the workspace or absolute.")),
    recursive: z.optional(
      z.boolean().check(z.describe("Delete a directory together with everything in it; false if not given.")),
    ),
  }),
  limits: { maxChars: 1000, keep: "both" },
  accesses: ({ path }) => [{ kind: "delete", path }],

  async run({ path, recursive = false }, { environment, signal }) {
    const { kind, bytes } = await environment.info(path, { followLinks: false });
    const entries = kind === "directory" && recursive ? await countEntries(path, environment) : undefined;
    await environment.delete(path, { recursive, signal });
    const data = { path, kind, bytes: kind === "file" ? bytes : undefined, entries };
    return { data, text: describeDeleted(data) };
  },
};

function describeDeleted({ path, kind, bytes, entries }: FileDeleteData): string {
  switch (kind) {
    case "file":
      return `Deleted the file ${path} (${counted(bytes ?? 0, "byte")}).`;
    case "link":
      return `Deleted the link ${path}; what it pointed to is still there.`;
    case "directory":
      return `Deleted the directory ${path} with ${describeEntries(entries)}.`;
    case "other":
      return `Deleted ${path}, a FIFO, device or socket.`;
  }
}

function describeEntries(entries: number | undefined): string {
  if (entries === undefined) return "everything in it";
  if (entries === 0) return "nothing in it";
  return entries === 1 ? "1 file or directory in it" : `${entries} files and directories in it`;
}

/** Counting stops here: the number is a courtesy, the deleting is the job. */
const maxCounted = 1000;

async function countEntries(path: string, environment: Environment): Promise<number | undefined> {
  try {
    const counted = await countIn(await environment.openDirectory(path), maxCounted);
    return counted > maxCounted ? undefined : counted;
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

async function countIn(directory: Directory, most: number): Promise<number> {
  try {
    const entries = await directory.entries();
    let counted = entries.length;
    for (const { name, kind } of entries) {
      if (counted > most) break;
      if (kind === "directory") counted += await countIn(await directory.openDirectory(name), most - counted);
    }
    return counted;
  } finally {
    directory.close();
  }
}
