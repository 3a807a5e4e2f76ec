import { posix } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { contentHash } from "../../text/content-hash.ts";
import type { EditRequest, FilePlan } from "../../text/edit/edit-request.ts";
import { planEdits } from "../../text/edit/plan-edits.ts";
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
    await refuseOtherHash(request.path, expectedHash, files, context);
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
    throw error instanceof ToolError ? await explainRefusal(error, files, context) : error;
  }
}

async function lookUp(plan: FilePlan, context: ToolContext): Promise<PlannedFile> {
  const source = plan.action === "move" ? plan.from : plan.path;
  if (plan.action === "delete" || plan.action === "move") await refuseLink(source, context);
  return {
    plan,
    target: await targetOf(plan.path, context),
    beforeHash: plan.action === "add" ? undefined : contentHash(plan.before),
    afterHash: plan.action === "delete" ? undefined : contentHash(plan.after),
    drift: plan.action === "add" ? undefined : await driftSince(source, plan.before, context),
  };
}

async function targetOf(path: string, { environment }: ToolContext): Promise<string | undefined> {
  const { workspace } = environment;
  const real = await environment.realPath(path);
  const named = posix.resolve(workspace, path);
  const target = posix.relative(workspace, real);
  // An absolute path may call the workspace itself by another name.
  const isInside = named.startsWith(`${workspace}/`);
  return named === real || (!isInside && named.endsWith(`/${target}`)) ? undefined : target;
}

/** Who deletes or moves a link means the link, who changes lines means its target: both at once nobody can mean. */
async function refuseLink(path: string, { environment }: ToolContext): Promise<void> {
  const { kind } = await environment.info(path, { followLinks: false });
  if (kind !== "link") return;
  throw new ToolError("unsupported", `${path} is a link, which edits neither delete nor move`, {
    hint: "Use file.delete or file.move for the link itself, or name the file it leads to.",
  });
}
