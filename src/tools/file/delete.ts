import * as z from "zod/mini";
import type { Directory, Environment, FileKind } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { undoLimits } from "../../contract/history.ts";
import type { Tool } from "../../contract/tool.ts";
import { counted, showSize } from "../../lib/text/format-quantity.ts";

export interface FileDeleteData {
  readonly path: string;
  readonly kind: FileKind;
  readonly bytes: number | undefined;
  /** The number of entries in a directory, at every depth; undefined when they were not counted. */
  readonly entries: number | undefined;
}

const input = z.strictObject({
  path: z.string(),
  recursive: z.optional(z.boolean()),
});

export type FileDeleteInput = z.infer<typeof input>;

export const fileDelete: Tool<FileDeleteInput, FileDeleteData> = {
  name: "file.delete",
  description: "Delete a file or link, or a directory with `recursive`.",
  risk: "destructive",
  hints: { idempotent: true },
  input,
  limits: { maxChars: 1000, keep: "both" },
  accesses: ({ path }) => [{ kind: "delete", path }],

  preview: async (input, { environment }) => {
    const data = await inspect(input, environment, undoLimits.maxEntries);
    return `${describe("Would delete", data)}${warn(data, input)}`;
  },

  async run(input, { environment, signal }) {
    const data = await inspect(input, environment);
    await environment.delete(input.path, { recursive: input.recursive ?? false, signal });
    return { data, text: describe("Deleted", data) };
  },
};

async function inspect(
  { path, recursive = false }: FileDeleteInput,
  environment: Environment,
  most = maxCounted,
): Promise<FileDeleteData> {
  const { kind, bytes } = await environment.info(path, { followLinks: false });
  const entries = kind === "directory" && recursive ? await countEntries(path, environment, most) : undefined;
  return { path, kind, bytes: kind === "file" ? bytes : undefined, entries };
}

function describe(verb: "Deleted" | "Would delete", { path, kind, bytes, entries }: FileDeleteData): string {
  switch (kind) {
    case "file":
      return `${verb} the file ${path} (${counted(bytes ?? 0, "byte")}).`;
    case "link":
      return `${verb} the link ${path}; ${verb === "Deleted" ? "its target was not deleted" : "its target is kept"}.`;
    case "directory":
      return `${verb} the directory ${path} with ${describeEntries(entries)}.`;
    case "other":
      return `${verb} ${path}, a FIFO, device or socket.`;
  }
}

/** Warns that a deletion cannot be undone, for the approval prompt. */
function warn({ kind, bytes = 0, entries }: FileDeleteData, { recursive = false }: FileDeleteInput): string {
  const { maxBytes, maxEntries } = undoLimits;
  if (kind === "other") return "\nThis cannot be undone.";
  if (bytes > maxBytes)
    return `\nThis cannot be undone: more than the ${showSize(maxBytes)} that one call can store.`;
  if (kind !== "directory" || !recursive || (entries !== undefined && entries < maxEntries)) return "";
  return `\nThis cannot be undone if it holds more than ${maxEntries} files and directories.`;
}

function describeEntries(entries: number | undefined): string {
  if (entries === undefined) return "everything in it";
  if (entries === 0) return "nothing in it";
  return entries === 1 ? "1 file or directory in it" : `${entries} files and directories in it`;
}

/** Counting stops here, because the number is only shown. */
const maxCounted = 1000;

async function countEntries(
  path: string,
  environment: Environment,
  most: number,
): Promise<number | undefined> {
  try {
    const counted = await countIn(await environment.openDirectory(path), most);
    return counted > most ? undefined : counted;
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
