import { posix } from "node:path";
import { type ErrorCode, ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { contentHash } from "../../text/content-hash.ts";
import type { EditRequest, FilePlan } from "../../text/edit/edit-request.ts";
import { planEdits } from "../../text/edit/plan-edits.ts";
import { type Drift, driftOf } from "./drift.ts";
import { NamedFiles } from "./named-files.ts";
import { touchesOf } from "./touched-paths.ts";

/** What is to happen to one file, and what others have done to it. */
export interface PlannedFile {
  readonly plan: FilePlan;
  /** The file itself, when a link leads to it; relative to the workspace. */
  readonly target: string | undefined;
  readonly beforeHash: string | undefined;
  readonly afterHash: string | undefined;
  /** How the file differs from what the caller last saw of it. */
  readonly drift: Drift | undefined;
}

/**
 * What a request would do to the files as they are now. A file that has changed since the caller saw it is no obstacle
 * as long as the edit still fits; where it does not, the refusal shows the change.
 */
export async function planFiles(
  request: EditRequest,
  { expectedHash }: { readonly expectedHash?: string | undefined },
  context: ToolContext,
): Promise<readonly PlannedFile[]> {
  const files = await NamedFiles.read(touchesOf(request), context);
  if (request.kind === "replace" && expectedHash !== undefined)
    await refuseOther(request.path, expectedHash, files, context);
  const plans = await planOrExplain(request, files, context);
  return Promise.all(plans.map((plan) => lookUp(plan, context)));
}

async function planOrExplain(
  request: EditRequest,
  files: NamedFiles,
  context: ToolContext,
): Promise<readonly FilePlan[]> {
  try {
    return planEdits(request, (path) => files.at(path));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const path = files.subjectOf(error.message);
    if (path === undefined) throw error;
    if (error.code === "not-found") throw files.missing(path) ?? error;
    const bytes = misses.has(error.code) ? files.at(path) : undefined;
    const drift = bytes && (await driftAt(path, bytes, context));
    throw drift ? stale(path, error.message, drift) : error;
  }
}

/** The edit does not fit the file: that may be because the file has changed. */
const misses: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["no-match", "ambiguous-match"]);

async function lookUp(plan: FilePlan, context: ToolContext): Promise<PlannedFile> {
  const source = plan.action === "move" ? plan.from : plan.path;
  if (plan.action === "delete" || plan.action === "move") await refuseLink(source, context);
  return {
    plan,
    target: await targetOf(plan.path, context),
    beforeHash: plan.action === "add" ? undefined : contentHash(plan.before),
    afterHash: plan.action === "delete" ? undefined : contentHash(plan.after),
    drift: plan.action === "add" ? undefined : await driftAt(source, plan.before, context),
  };
}

async function targetOf(path: string, { environment }: ToolContext): Promise<string | undefined> {
  const { workspace } = environment;
  const real = await environment.realPath(path);
  return real === posix.resolve(workspace, path) ? undefined : posix.relative(workspace, real);
}

/** A change of content has a link's target in mind, deleting and moving the link: together that is nobody's wish. */
async function refuseLink(path: string, { environment }: ToolContext): Promise<void> {
  const { kind } = await environment.info(path, { followLinks: false });
  if (kind !== "link") return;
  throw new ToolError("unsupported", `${path} is a link, which edits neither delete nor move`, {
    hint: "Use file.delete or file.move for the link itself, or name the file it leads to.",
  });
}

async function driftAt(path: string, bytes: Uint8Array, { seen }: ToolContext): Promise<Drift | undefined> {
  return driftOf(path, await seen.recall(path), bytes);
}

async function refuseOther(
  path: string,
  expectedHash: string,
  files: NamedFiles,
  context: ToolContext,
): Promise<void> {
  const bytes = files.at(path);
  if (bytes === undefined) throw files.missing(path);
  const hash = contentHash(bytes);
  if (hash.startsWith(expectedHash.toLowerCase())) return;
  const message = `${path} does not have the expected hash ${expectedHash}, but ${hash}`;
  const drift = await driftAt(path, bytes, context);
  throw drift ? stale(path, message, drift) : new ToolError("stale", message, { hint: lookAgain });
}

function stale(path: string, reason: string, { at, diff }: Drift): ToolError {
  return new ToolError("stale", `${reason}\n${path} has changed since you last saw it, at ${at}:\n${diff}`, {
    hint: "Nothing was written. Make the edit fit the file as it is now, and send it again.",
  });
}

const lookAgain = "Nothing was written. Read the file again, then edit it as it is now.";
