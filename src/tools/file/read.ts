import * as z from "zod/mini";
import { type ErrorCode, ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { amount, described, flag, string } from "../fields.ts";
import { findScope } from "../search/scope.ts";
import { type ImageFile, readImage } from "./read-image.ts";
import { maxSliceBytes, readText, type TextFile } from "./read-text.ts";

/** Holds one entry per path, in the requested order. */
export interface FileReadData {
  readonly files: readonly (TextFile | ImageFile | UnreadFile)[];
}

/** A file that could not be read, among other files that could. */
interface UnreadFile {
  readonly kind: "error";
  readonly path: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

const maxFiles = 50;

const fields = z.strictObject({
  path: string("Path or out_... handle."),
  paths: z.optional(
    described(
      z.array(z.string()).check(z.minLength(1), z.maxLength(maxFiles)),
      'Instead: up to 50 paths or patterns ("src/**/*.ts").',
    ),
  ),
  exclude: z.optional(
    described(z.array(z.string().check(z.minLength(1))).check(z.maxLength(100)), "Patterns to exclude."),
  ),
  no_ignore: flag("Let patterns match ignored files."),
  offset: z.optional(
    described(
      z.int().check(
        z.refine((offset) => offset !== 0, {
          error: "must not be 0: lines count from 1, negative numbers from the end",
        }),
      ),
      "First line, from 1. -50 reads the last 50.",
    ),
  ),
  limit: z.optional(described(z.int().check(z.minimum(1)), "Number of lines. Default 2000.")),
  line_numbers: flag("Prefix lines with `N | `. Default true."),
  anchors: flag("Prefix lines with anchors for edit.anchored: `N:hash|`."),
  max_bytes: amount(1, maxSliceBytes, "Stop before the line that would exceed this."),
});

export type FileReadInput = z.infer<typeof fields>;

export const fileRead: Tool<FileReadInput, FileReadData> = {
  name: "file.read",
  description:
    "Read text files by lines, or view images. To search use search.grep; for directories use file.list.",
  risk: "read",
  input: fields.check(
    z.refine(({ path, paths }) => (path === undefined) !== (paths === undefined), {
      error: "give either `path` or `paths`",
    }),
  ),
  // A line may have 2,000 characters, plus its number.
  limits: { maxChars: 50_000, maxLineChars: 2_020, keep: "both" },
  accesses: ({ path, paths = [] }) =>
    path === undefined
      ? paths.map((each) => ({ kind: "read", path: isPattern(each) ? baseOf(each) : each }))
      : [{ kind: "read", path }],

  async run(input, context) {
    if (input.path !== undefined) {
      const output = await readOne(input.path, input, context, maxImageBytes);
      return { ...output, data: { files: [output.data] } };
    }
    const found: Wanted[] = [];
    for (const path of input.paths ?? []) found.push(...(await expandPath(path, input, context)));
    const wanted = [...new Map(found.map((each) => [each.path, each])).values()];
    const outputs: ToolOutput<FileReadData["files"][number]>[] = [];
    let imageBytes = maxImageBytes;
    for (const { path, error } of wanted.slice(0, maxFiles)) {
      const output = error
        ? explain(path, error, context)
        : await readOne(path, input, context, imageBytes).catch((thrown) => explain(path, thrown, context));
      if (output.data.kind === "image") imageBytes -= output.data.bytes;
      outputs.push(output);
    }
    return combine(outputs, wanted.length - outputs.length);
  },
};

/** The maximum size of all images in one call. */
const maxImageBytes = 10 * 1024 * 1024;

/** A file to read, or the error of a pattern. */
interface Wanted {
  readonly path: string;
  readonly error?: unknown;
}

async function readOne(
  path: string,
  input: FileReadInput,
  context: ToolContext,
  imageBytes: number,
): Promise<ToolOutput<TextFile | ImageFile>> {
  const { offset = 1, limit = 2000, line_numbers: lineNumbers = true, max_bytes: maxBytes } = input;
  const prefix = input.anchors ? "anchor" : lineNumbers ? "number" : "none";
  try {
    const text = await readText(path, { offset, limit, prefix, maxBytes }, context);
    return "binary" in text ? await readImage(path, text.binary, imageBytes, context) : text;
  } catch (error) {
    throw await asDirectory(path, error, context);
  }
}

async function asDirectory(path: string, error: unknown, { environment }: ToolContext): Promise<unknown> {
  if (!(error instanceof ToolError && error.code === "unsupported")) return error;
  const info = await environment.info(path).catch(() => undefined);
  if (info?.kind !== "directory") return error;
  return new ToolError("unsupported", `${path} is a directory, not a file`, {
    hint: "List it with file.list. Find files in it with search.glob.",
    details: { kind: "read-directory" },
  });
}

/** Describes a file that could not be read, so that the others are still returned. */
function explain(path: string, error: unknown, { signal, wording }: ToolContext): ToolOutput<UnreadFile> {
  if (!(error instanceof ToolError) || signal.aborted) throw error;
  const { code, message, hint } = error;
  const text = `[${describeFailure({ code, message, hint: hint && wording(hint) })}]`;
  return { data: { kind: "error", path, code, message, hint }, text };
}

function describeFailure({ code, message, hint }: Pick<UnreadFile, "code" | "message" | "hint">): string {
  return `${code}: ${message}.${hint === undefined ? "" : ` ${hint}`}`;
}

function combine(
  outputs: readonly ToolOutput<FileReadData["files"][number]>[],
  leftOut: number,
): ToolOutput<FileReadData> {
  const files = outputs.map(({ data }) => data);
  const failures = files.filter((file) => file.kind === "error");
  const [firstFailure] = failures;
  if (firstFailure && failures.length === files.length) {
    throw new ToolError(firstFailure.code, failures.map(describeFailure).join("\n"), {
      hint: "Correct the paths and call again.",
    });
  }
  const more = `${counted(leftOut, "more file")} not read: narrow the patterns, or name files.`;
  const continuation = outputs
    .flatMap(({ continuation }) => continuation ?? [])
    .concat(leftOut === 0 ? [] : more)
    .join(" ");
  return {
    data: { files },
    text: outputs.map(({ data, text }) => `==> ${data.path} <==\n${text}`).join("\n"),
    showsData: outputs.every(({ showsData }) => showsData) || undefined,
    continuation: continuation || undefined,
    images: outputs.flatMap(({ images }) => images ?? []),
  };
}

/** Returns whether a path may match other files than the one of exactly this name. */
function isPattern(path: string): boolean {
  return special.test(path);
}

/** Returns the directory that contains everything a pattern can match, including a file of exactly this name. */
function baseOf(pattern: string): string {
  const names = pattern.split("/");
  const first = names.findIndex((name) => special.test(name));
  return names.slice(0, first).join("/") || (pattern.startsWith("/") ? "/" : ".");
}

/**
 * Returns the files that a path or pattern matches, ordered by path, without hidden and ignored files. A file of
 * exactly this name takes precedence over the pattern.
 */
async function expandPath(
  path: string,
  { exclude = [], no_ignore = false }: FileReadInput,
  context: ToolContext,
): Promise<readonly Wanted[]> {
  if (!isPattern(path) || (await exists(path, context))) return [{ path }];
  try {
    const base = baseOf(path);
    const scope = await findScope(context.environment, base);
    const rest = path.slice(base === "." && !path.startsWith("./") ? 0 : base.length).replace(/^\/+/, "");
    // Only a pattern without a slash matches names at any depth.
    const glob = path.includes("/") ? `/${rest}` : rest.replace(/^!/, "\\!");
    const [{ FileFilter }, { listFiles }] = await Promise.all([
      import("../../files/file-filter.ts"),
      import("../../files/list-files.ts"),
    ]);
    const filter = new FileFilter({ globs: [glob, ...exclude.map((each) => `!${each}`)] });
    const wanted = { directory: scope.path, filter, hidden: filter.namesHidden, ignoreFiles: !no_ignore };
    const { paths } = await listFiles(wanted, context);
    if (paths.length === 0) throw matchesNothing(path);
    return paths.toSorted().map((each) => ({ path: each }));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return [{ path, error }];
  }
}

const special = /[*?[{]/;

async function exists(path: string, { environment }: ToolContext): Promise<boolean> {
  return environment.info(path).then(
    () => true,
    () => false,
  );
}

function matchesNothing(pattern: string): ToolError {
  return new ToolError("not-found", `No file matches ${pattern}`, {
    hint: "Correct the pattern; for hidden or ignored files, give exact paths.",
  });
}
