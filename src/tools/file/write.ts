import * as z from "zod/mini";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { undoLimits } from "../../contract/history.ts";
import type { PreviewContext, Tool, ToolContext } from "../../contract/tool.ts";
import { counted, showSize } from "../../lib/text/format-quantity.ts";
import { noteWritten } from "../edit/edit-files.ts";

export interface FileWriteData {
  readonly path: string;
  readonly created: boolean;
  /** False when the file already had this content and nothing was written. */
  readonly changed: boolean;
  readonly bytes: number;
  /** The size of the replaced file; undefined for a new file. */
  readonly previousBytes: number | undefined;
}

const input = z.strictObject({
  path: z.string(),
  content: z.string().check(z.describe("The whole content.")),
  if_exists: z.optional(z.enum(["replace", "refuse"]).check(z.describe("Default replace."))),
  encoding: z.optional(z.enum(["utf-8", "base64"]).check(z.describe("Default utf-8."))),
});

export type FileWriteInput = z.infer<typeof input>;

export const fileWrite: Tool<FileWriteInput, FileWriteData> = {
  name: "file.write",
  description: "Create a file, or replace its whole content. To change a part use edit.replace.",
  risk: "write",
  hints: { idempotent: true },
  input,
  limits: { maxChars: 1000, keep: "both" },
  accesses: ({ path }) => [{ kind: "write", path }],

  preview: async (input, context) => {
    const { diffContents } = await import("../../edit/rewrite/show-diff.ts");
    const size = (await sizeOf(input.path, context.environment)) ?? 0;
    if (size > undoLimits.maxBytes)
      return `Would replace ${input.path}, ${showSize(size)}.\nThis cannot be undone: more than the ${showSize(undoLimits.maxBytes)} that one call can store.`;
    const before = await present(input.path, context);
    return (
      diffContents({ path: input.path, before, after: bytesOf(input) }) ||
      `${input.path} ${before === "nothing" ? "would be created, empty" : "already has exactly this content"}.`
    );
  },

  async run(input, context) {
    const { path, if_exists: ifExists = "replace" } = input;
    const bytes = bytesOf(input);

    const previousBytes = await sizeOf(path, context.environment);
    if (ifExists === "replace" && previousBytes === bytes.length && (await holds(path, bytes, context))) {
      noteWritten(path, bytes, context);
      return {
        data: { path, created: false, changed: false, bytes: bytes.length, previousBytes },
        text: `${path} already has exactly this content, ${counted(bytes.length, "byte")}; nothing was written.`,
      };
    }
    const before = await contentBefore(path, previousBytes, context);
    const { created } = await context.environment.writeFile(path, bytes, {
      ifExists,
      signal: context.signal,
    });
    noteWritten(path, bytes, context);
    const added = await errorsAdded(path, before, bytes, context);
    return {
      data: {
        path,
        created,
        changed: true,
        bytes: bytes.length,
        previousBytes: created ? undefined : previousBytes,
      },
      text:
        (created
          ? `Created ${path}: ${counted(bytes.length, "byte")} written.`
          : `Overwrote ${path}: ${counted(bytes.length, "byte")} written, ${previousBytes ?? 0} before.`) +
        added,
    };
  },
};

const maxBytes = 10 * 1024 * 1024;

function bytesOf({ path, content, encoding = "utf-8" }: FileWriteInput): Uint8Array {
  const bytes = encoding === "base64" ? fromBase64(content) : fromText(content);
  if (bytes.length > maxBytes) throw tooLarge(path, bytes.length);
  return bytes;
}

async function present(
  path: string,
  { environment, signal }: PreviewContext,
): Promise<Uint8Array | "nothing"> {
  if ((await sizeOf(path, environment)) === undefined) return "nothing";
  return (await environment.readFile(path, { maxBytes, signal })).bytes;
}

function fromText(content: string): Uint8Array {
  if (content.isWellFormed()) return Buffer.from(content);
  const position = content.search(/\p{Surrogate}/u);
  throw new ToolError("invalid-input", `The content has an unpaired surrogate at index ${position}`, {
    hint: "Send the whole character, or the bytes with encoding base64.",
  });
}

function fromBase64(content: string): Uint8Array {
  const digits = content.replace(/\s+/g, "");
  const bytes = Buffer.from(digits, "base64");
  // Buffer skips invalid characters, so the result is encoded again and compared.
  if (bytes.toString("base64").replace(/=+$/, "") === digits.replace(/={0,2}$/, "")) return bytes;
  throw new ToolError("invalid-input", "The content is not valid base64", {
    hint: "Use the standard alphabet (A-Z a-z 0-9 + /), or send text with encoding utf-8.",
  });
}

function tooLarge(path: string, bytes: number): ToolError {
  return new ToolError("too-large", `${path} would have ${bytes} bytes; the limit is ${maxBytes}`, {
    hint: "Split the content into several files, or create it with a command.",
  });
}

async function sizeOf(path: string, environment: Environment): Promise<number | undefined> {
  try {
    const { kind, bytes } = await environment.info(path);
    return kind === "file" ? bytes : undefined;
  } catch (error) {
    if (error instanceof ToolError && error.code === "not-found") return undefined;
    throw error;
  }
}

/** Returns the replaced content when a language server runs that can compare it; "unknown" otherwise. */
async function contentBefore(
  path: string,
  size: number | undefined,
  { servers, environment, signal }: ToolContext,
): Promise<Uint8Array | "nothing" | "unknown"> {
  const server = await servers.serverFor(path, { onlyRunning: true });
  if ("missing" in server || (size ?? 0) > maxBytes) return "unknown";
  if (size === undefined) return "nothing";
  const content = await environment.readFile(path, { maxBytes, signal }).catch(() => undefined);
  return content?.bytes ?? "unknown";
}

/** Describes the errors that the new content has added. */
async function errorsAdded(
  path: string,
  before: Uint8Array | "nothing" | "unknown",
  after: Uint8Array,
  context: ToolContext,
): Promise<string> {
  if (before === "unknown") return "";
  const { newErrorsOf } = await import("../edit/new-errors.ts");
  const shared = { path, after, changes: [], notes: [] } as const;
  const plan =
    before === "nothing"
      ? ({ ...shared, action: "add" } as const)
      : ({ ...shared, action: "update", before } as const);
  return (await newErrorsOf([plan], context)).text;
}

async function holds(
  path: string,
  bytes: Uint8Array,
  { environment, signal }: ToolContext,
): Promise<boolean> {
  try {
    const { bytes: present } = await environment.readFile(path, { maxBytes, signal });
    return Buffer.compare(present, bytes) === 0;
  } catch (error) {
    // A file that cannot be read may still be writable.
    if (error instanceof ToolError && error.code === "denied") return false;
    throw error;
  }
}
