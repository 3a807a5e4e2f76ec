import { ToolError } from "../../contract/error.ts";
import { showSize } from "../../lib/show-size.ts";
import type { PolicyOptions } from "../../toolcrib/open-policy.ts";
import { tryParser } from "../../toolcrib/try-workers.ts";
import { WorkspaceIndex } from "../../toolcrib/workspace-index.ts";
import { type Finding, well, wrong } from "./finding.ts";

/** Whether code can be parsed, which a process of its own does, and whether there is an index. */
export async function examineCode(options: PolicyOptions, signal: AbortSignal): Promise<readonly Finding[]> {
  const { size } = new WorkspaceIndex(options);
  return [
    await examineParser(signal),
    well("index", size === undefined ? "not built yet: the first question does so" : showSize(size)),
  ];
}

async function examineParser(signal: AbortSignal): Promise<Finding> {
  try {
    return well("code", `the parser starts, with grammars of ${await tryParser(signal)} languages`);
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    const hint = "The code tools fail without it. Install the package again, with a Node it supports.";
    return wrong("code", error.message, hint);
  }
}
