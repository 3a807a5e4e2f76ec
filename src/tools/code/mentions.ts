import type { ProjectIndex } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { sourcesOf } from "../../edit/source.ts";
import { FileFilter } from "../../files/file-filter.ts";
import { listFiles } from "../../files/list-files.ts";
import { RefusedPath } from "../../lib/refused-path.ts";
import { encodingOf } from "../../lib/text/encoding.ts";
import { escapeRegex } from "../../lib/text/escape-regex.ts";

/** A file that contains a name as a whole word. */
export interface Mention {
  readonly path: string;
  readonly text: string;
}

interface MentionsWanted {
  readonly name: string;
  /** A real path relative to the workspace, or "" for the whole workspace. */
  readonly directory: string;
  /** Skips files whose path sorts before this one. */
  readonly from?: string | undefined;
}

/** The parts of a call that a search for mentions uses. */
export type MentionContext = Pick<ToolContext, "environment" | "code" | "signal" | "progress">;

/** Returns the first files that mention a name, which a language server has to know. */
export async function mentioningFiles(name: string, context: MentionContext): Promise<readonly Mention[]> {
  const found: Mention[] = [];
  for await (const mention of filesMentioning({ name, directory: "" }, context)) {
    if (found.length === mostMentioning) break;
    found.push(mention);
  }
  return found;
}

const mostMentioning = 300;

/** Yields the files that mention a name, ordered by path, among those that search.grep would search. */
export async function* filesMentioning(
  { name, directory, from = "" }: MentionsWanted,
  context: MentionContext,
): AsyncGenerator<Mention> {
  const paths = await candidates(name, directory, context);
  for (const path of paths.filter((one) => one >= from)) {
    const mention = await mentionIn(path, name, context);
    if (mention !== undefined) yield mention;
  }
}

export async function mentionIn(
  path: string,
  name: string,
  context: MentionContext,
): Promise<Mention | undefined> {
  const text = await textOf(path, context);
  return text !== undefined && wholeWord(name).test(text) ? { path, text } : undefined;
}

/** Matches a name that is not part of a longer name. */
export function wholeWord(name: string, flags = "u"): RegExp {
  const [head, tail] = [/^\p{ID_Continue}/u.test(name), /\p{ID_Continue}$/u.test(name)];
  return new RegExp(
    `${head ? "(?<!\\p{ID_Continue})" : ""}${escapeRegex(name)}${tail ? "(?!\\p{ID_Continue})" : ""}`,
    flags,
  );
}

async function candidates(
  name: string,
  directory: string,
  context: MentionContext,
): Promise<readonly string[]> {
  const indexed = await indexedFiles(name, context);
  const found = indexed?.filter((path) => directory === "" || path.startsWith(`${directory}/`)) ?? [];
  // An explicitly named folder is searched even if it is ignored.
  if (found.length > 0 || (indexed !== undefined && directory === "")) return [...found].sort();
  const wanted = { directory, filter: new FileFilter({ globs: [] }), hidden: false, ignoreFiles: true };
  return [...(await listFiles(wanted, context)).paths].sort();
}

/** Returns the files that the index finds, or undefined if there is no index. */
async function indexedFiles(name: string, context: MentionContext): Promise<readonly string[] | undefined> {
  const { code, signal } = context;
  try {
    const index = await code.index({ signal, progress: (message) => context.progress(message) });
    return await index.candidates({ kind: "literal", text: name, ignoreCase: false }, { signal });
  } catch (error) {
    if (error instanceof ToolError && error.code === "unavailable" && !signal.aborted) return undefined;
    throw error;
  }
}

/** Returns undefined if the file is binary, too large, denied or missing. */
async function textOf(path: string, { environment, signal }: MentionContext): Promise<string | undefined> {
  try {
    const { bytes } = await environment.readFile(path, { maxBytes, signal });
    if (encodingOf(bytes) === "binary") return undefined;
    const [source] = sourcesOf(path, bytes);
    return source?.text.utf8.toString();
  } catch (error) {
    const isPassedOver =
      error instanceof RefusedPath || (error instanceof ToolError && passedOver.has(error.code));
    if (!isPassedOver || signal.aborted) throw error;
    return undefined;
  }
}

const passedOver: ReadonlySet<string> = new Set([
  "not-found",
  "too-large",
  "denied",
  "unsupported",
  "outside-workspace",
]);

/** A larger file is usually data or generated code. */
const maxBytes = 1024 * 1024;

/** Returns the index, after a longer wait while the workspace is small or nothing is indexed yet. */
export function patientIndex({ code, signal, progress }: ToolContext): Promise<ProjectIndex> {
  return code.index({ signal, progress: (message) => progress(message), patient: true });
}
