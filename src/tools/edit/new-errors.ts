import { posix } from "node:path";
import type { Diagnostic } from "../../contract/language-server.ts";
import type { ToolContext } from "../../contract/tool.ts";
import type { FilePlan } from "../../edit/edit-request.ts";
import { sourcesOf } from "../../edit/source.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { describeDiagnostics } from "./describe-diagnostics.ts";

/** The errors that an edit has added, as data and for the answer. */
export interface NewErrors {
  readonly errors: readonly Diagnostic[];
  /** Empty, or a text that begins with a line end. */
  readonly text: string;
}

/** Asks the language servers that run already. A written edit never fails because of them. */
export async function newErrorsOf(
  plans: readonly FilePlan[],
  { servers, environment }: Pick<ToolContext, "servers" | "environment">,
): Promise<NewErrors> {
  const changes = plans.flatMap((plan) => {
    const moved = "from" in plan && plan.action === "move" ? [{ path: plan.from, before: plan.before }] : [];
    const { path, ...contents } = { before: undefined, after: undefined, ...plan };
    const before = moved.length > 0 ? undefined : contents.before;
    return [...moved.map((from) => ({ ...from, after: undefined })), { path, before, after: contents.after }];
  });
  const errors = await servers.newErrors(
    changes.filter(isSmall).map(({ path, before, after }) => ({
      path: posix.relative(environment.workspace, posix.resolve(environment.workspace, path)),
      before: before && textIn(path, before),
      after: after && textIn(path, after),
    })),
  );
  if (errors.length === 0) return { errors, text: "" };
  const shown = describeDiagnostics(errors.slice(0, mostShown));
  const rest = errors.length > mostShown ? [`  … ${errors.length - mostShown} more`] : [];
  const head = `This edit adds ${counted(errors.length, "error")}:`;
  return { errors, text: ["", head, ...shown, ...rest].join("\n") };
}

const mostShown = 10;

const mostBytes = 1024 * 1024;

/** A server takes a missing text for a missing file, so a large file is left out as a whole. */
function isSmall({
  before,
  after,
}: {
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
}): boolean {
  return Math.max(before?.length ?? 0, after?.length ?? 0) <= mostBytes;
}

function textIn(path: string, bytes: Uint8Array): string | undefined {
  const [source] = sourcesOf(path, bytes);
  return source?.text.utf8.toString();
}
