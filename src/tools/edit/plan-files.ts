import { posix } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext } from "../../contract/tool.ts";
import type { EditRequest, FilePlan } from "../../edit/edit-request.ts";
import { planEdits } from "../../edit/plan-edits.ts";
import { contentHash } from "../../lib/content-hash.ts";
import { type Drift, driftSince } from "./drift.ts";
import { NamedFiles } from "./named-files.ts";
import { explainRefusal, refuseOtherHash } from "./refusals.ts";
import { touchesOf } from "./touched-paths.ts";

/** What is to happen to one file, and what others have done to it. */
export interface PlannedFile {
  readonly plan: FilePlan;
  /** The file itself, when a link leads to it; relative to the workspace. */
  readonly target: string | undefined;
  readonly beforeHash: string | undefined;
  readonly afterHash: string | undefined;
  /** Permission bits it is to get, where they change. */
  readonly mode: number | undefined;
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
  context: PreviewContext,
): Promise<readonly PlannedFile[]> {
  const files = await NamedFiles.read(touchesOf(request), context);
  if (request.kind === "replace" && expectedHash !== undefined)
    await refuseOtherHash(request.path, expectedHash, files, context);
  try {
    const plans = planEdits(request, (path) => files.at(path));
    return await Promise.all(plans.map((plan) => lookUp(plan, context)));
  } catch (error) {
    throw error instanceof ToolError ? await explainRefusal(error, files, context) : error;
  }
}

/** What else is to be known of a file before it is changed as planned. */
export async function lookUp(plan: FilePlan, context: PreviewContext): Promise<PlannedFile> {
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

/** As in git a mode only says whether the file can be executed, by whoever may read it. */
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
  return new ToolError("invalid-input", `${path} has the mode already: the diff would change nothing`, {
    hint: "Leave the file out of the diff.",
  });
}

async function targetOf(path: string, { environment }: PreviewContext): Promise<string | undefined> {
  const { workspace } = environment;
  const real = await environment.realPath(path);
  const named = posix.resolve(workspace, path);
  const target = posix.relative(workspace, real);
  // An absolute path may call the workspace itself by another name.
  const isInside = named.startsWith(`${workspace}/`);
  return named === real || (!isInside && named.endsWith(`/${target}`)) ? undefined : target;
}

/** Who deletes or moves a link means the link, who changes lines means its target: both at once nobody can mean. */
async function refuseLink(path: string, { environment }: PreviewContext): Promise<void> {
  const { kind } = await environment.info(path, { followLinks: false });
  if (kind !== "link") return;
  throw new ToolError("unsupported", `${path} is a link, which edits neither delete nor move`, {
    hint: "Use file.delete or file.move for the link itself, or name the file it leads to.",
  });
}
