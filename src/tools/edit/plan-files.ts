import { posix } from "node:path";
import { type ErrorCode, errorWith, ToolError } from "../../contract/error.ts";
import type { PreviewContext } from "../../contract/tool.ts";
import type { EditRequest, FilePlan } from "../../edit/edit-request.ts";
import { planEdits } from "../../edit/plan-edits.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { sniffMediaType } from "../../lib/bytes/media-type.ts";
import { detectionBytes, encodingOf } from "../../lib/text/encoding.ts";
import { type Drift, driftSince } from "./drift.ts";
import { type Touch, touchesOf } from "./touched-paths.ts";

/** Holds the plan for one file, and the file's current state. */
export interface PlannedFile {
  readonly plan: FilePlan;
  /** The file behind a link, relative to the workspace. */
  readonly target: string | undefined;
  readonly beforeHash: string | undefined;
  readonly afterHash: string | undefined;
  /** New permission bits, if they change. */
  readonly mode: number | undefined;
  /** How the file differs from what the caller last saw. */
  readonly drift: Drift | undefined;
}

/** Plans a request for the current files. An edit may still fit a file that has changed; a refusal shows the change. */
export async function planFiles(
  request: EditRequest,
  { expectedHash }: { readonly expectedHash?: string | undefined },
  context: PreviewContext,
): Promise<readonly PlannedFile[]> {
  const files = await RequestedFiles.read(touchesOf(request), context);
  const hasHash = (request.kind === "replace" || request.kind === "anchored") && expectedHash !== undefined;
  if (hasHash) await refuseOtherHash(request.path, expectedHash, files, context);
  const complete =
    request.kind === "anchored"
      ? { ...request, seen: await context.seen.recall(request.path), isKnown: hasHash }
      : request;
  try {
    const plans = planEdits(complete, (path) => files.at(path));
    return await Promise.all(plans.map((plan) => withFileState(plan, context)));
  } catch (error) {
    throw error instanceof ToolError ? await explainRefusal(error, files, context) : error;
  }
}

/** Adds the state of the file that is needed to write the plan and describe it. */
export async function withFileState(plan: FilePlan, context: PreviewContext): Promise<PlannedFile> {
  const source = "from" in plan ? plan.from : plan.path;
  if (plan.action === "delete" || plan.action === "move") await refuseLink(source, context);
  const mode = await newMode(plan, source, context);
  if (plan.action === "update" && plan.changes.length === 0 && mode === undefined) throw sameMode(plan.path);
  return {
    plan,
    mode,
    target: await targetOf(plan.path, context),
    beforeHash: "before" in plan ? contentHash(plan.before) : undefined,
    afterHash: "after" in plan ? contentHash(plan.after) : undefined,
    drift: "before" in plan ? await driftSince(source, plan.before, context) : undefined,
  };
}

/** Returns new permission bits. As in git, a mode only says whether those who may read may also execute. */
async function newMode(
  { action, mode }: FilePlan,
  source: string,
  { environment }: PreviewContext,
): Promise<number | undefined> {
  if (mode === undefined) return undefined;
  const isExecutable = (mode & 0o100) !== 0;
  if (action === "add") return isExecutable ? 0o755 : undefined;
  const { mode: before } = await environment.info(source);
  const after = isExecutable ? before | ((before & 0o444) >> 2) : before & ~0o111;
  return after === before ? undefined : after;
}

function sameMode(path: string): ToolError {
  return new ToolError("invalid-input", `${path} already has this mode; the diff changes nothing`, {
    hint: "Leave the file out of the diff.",
  });
}

async function targetOf(path: string, { environment }: PreviewContext): Promise<string | undefined> {
  const { workspace } = environment;
  const real = await environment.realPath(path);
  const named = posix.resolve(workspace, path);
  const target = posix.relative(workspace, real);
  // An absolute path may reach the workspace by another name.
  const isInside = named.startsWith(`${workspace}/`);
  return named === real || (!isInside && named.endsWith(`/${target}`)) ? undefined : target;
}

/** Refuses to delete or move a link, because the edit may mean its target. */
async function refuseLink(path: string, { environment }: PreviewContext): Promise<void> {
  const { kind } = await environment.info(path, { followLinks: false });
  if (kind !== "link") return;
  throw new ToolError("unsupported", `${path} is a link, and edits do not delete or move links`, {
    hint: "Use file.delete or file.move for the link, or give the path of its target.",
  });
}

/** Adds what is known about the file to a refusal: changes by others, its kind, similar names. */
async function explainRefusal(
  error: ToolError,
  files: RequestedFiles,
  context: PreviewContext,
): Promise<ToolError> {
  const explained = await explainFile(error, files, context);
  if (!files.areSeveral) return explained;
  // Some tools apply patches file by file, so the hint says that no file was changed.
  const { hint = "", forUser } = explained;
  const unchanged = "None of the files was changed.";
  return errorWith(explained, {
    hint: `${unchanged} ${hint}`.trim(),
    forUser: forUser && { ...forUser, hint: `${unchanged} ${forUser.hint ?? ""}`.trim() },
  });
}

async function explainFile(
  error: ToolError,
  files: RequestedFiles,
  context: PreviewContext,
): Promise<ToolError> {
  if (error.details?.kind !== "in-file") return error;
  const { path } = error.details;
  if (error.code === "not-found") return files.missing(path) ?? error;
  const bytes = misses.has(error.code) ? files.at(path) : undefined;
  if (bytes === undefined) return error;
  if (isBinary(bytes)) return notInBinary(path);
  const drift = await driftSince(path, bytes, context);
  if (drift === undefined) return error;
  return stale(path, error.message, drift, error.code === "ambiguous-match" ? error.hint : undefined);
}

/** Refuses a file whose hash does not begin with the expected digits. */
async function refuseOtherHash(
  path: string,
  expected: string,
  files: RequestedFiles,
  context: PreviewContext,
): Promise<void> {
  const bytes = files.at(path);
  if (bytes === undefined) throw files.missing(path);
  const hash = contentHash(bytes);
  if (hash.startsWith(expected.toLowerCase())) return;
  const message = `${path} has the hash ${hash}, not the expected ${expected}`;
  const drift = await driftSince(path, bytes, context);
  if (drift) throw stale(path, message, drift);
  throw new ToolError("stale", message, {
    hint: "Nothing was written. Read the file again, then edit its current content.",
  });
}

/** Codes of an edit that does not fit the file, perhaps because the file has changed. */
const misses: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["no-match", "ambiguous-match"]);

function stale(
  path: string,
  reason: string,
  { at, diff }: Drift,
  fix = "Adapt the edit to the current content and send it again.",
): ToolError {
  return new ToolError("stale", `${reason}\n${path} has changed since you last saw it, at ${at}:\n${diff}`, {
    hint: `Nothing was written. ${fix}`,
  });
}

function isBinary(bytes: Uint8Array): boolean {
  return encodingOf(bytes) === "binary" || sniffMediaType(bytes.subarray(0, detectionBytes)) !== undefined;
}

function notInBinary(path: string): ToolError {
  return new ToolError(
    "unsupported",
    `${path} is a binary file that does not contain the text exactly once`,
    { hint: "Give text that matches the file byte for byte." },
  );
}

/** The files that a request may change, read before planning. */
class RequestedFiles {
  readonly #found = new Map<string, Uint8Array | ToolError>();
  readonly areSeveral: boolean;
  #bytes = 0;

  private constructor(touches: readonly Touch[]) {
    this.areSeveral = new Set(touches.map(({ paths }) => paths[0])).size > 1;
  }

  /** Reads the files. Tries the spellings of a name up to the first that exists. */
  static async read(touches: readonly Touch[], context: PreviewContext): Promise<RequestedFiles> {
    const files = new RequestedFiles(touches);
    for (const { paths, to } of touches) {
      await files.#readFirst(paths, context);
      if (to !== undefined) await files.#read(to, context);
    }
    return files;
  }

  /**
   * Returns the bytes at a path, or undefined when it does not exist. Throws any other read error, and `internal` for a
   * path that was not read.
   */
  at(path: string): Uint8Array | undefined {
    const found = this.#found.get(path);
    if (found === undefined)
      throw new ToolError("internal", `The edit did not declare its access to ${path}`);
    if (!(found instanceof ToolError)) return found;
    if (found.code === "not-found") return undefined;
    throw found;
  }

  /** Returns the not-found error of a file, which suggests similar names. */
  missing(path: string): ToolError | undefined {
    const found = this.#found.get(path);
    return found instanceof ToolError && found.code === "not-found" ? found : undefined;
  }

  async #readFirst(paths: readonly string[], context: PreviewContext): Promise<void> {
    for (const [index, path] of paths.entries()) {
      if ((await this.#read(path, context)) instanceof ToolError) continue;
      // A path that is not a file counts as missing if another spelling is a file.
      for (const other of paths.slice(0, index)) this.#passOver(other);
      return;
    }
  }

  #passOver(path: string): void {
    const found = this.#found.get(path);
    if (found instanceof ToolError && found.code === "unsupported")
      this.#found.set(path, new ToolError("not-found", found.message));
  }

  async #read(path: string, context: PreviewContext): Promise<Uint8Array | ToolError> {
    const known = this.#found.get(path);
    if (known !== undefined) return known;
    const found = await contentOf(path, context);
    this.#found.set(path, found);
    if (found instanceof ToolError) return found;
    this.#bytes += found.length;
    if (this.#bytes > maxTogether * megabyte)
      throw new ToolError("too-large", `The files in this call total more than ${maxTogether} MB`, {
        hint: "Edit fewer files at once.",
      });
    return found;
  }
}

const megabyte = 1024 * 1024;

/** A larger file is usually data, and an edit needs several times its size in memory. */
const maxEach = 64;
const maxTogether = 256;

async function contentOf(
  path: string,
  { environment, signal }: PreviewContext,
): Promise<Uint8Array | ToolError> {
  try {
    const { bytes } = await environment.readFile(path, { maxBytes: maxEach * megabyte, signal });
    return bytes;
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    return error.code === "too-large" ? tooLarge(path) : error;
  }
}

function tooLarge(path: string): ToolError {
  return new ToolError("too-large", `${path} is too large to edit: the limit is ${maxEach} MB`, {
    hint: "Change it with a command or script.",
  });
}
