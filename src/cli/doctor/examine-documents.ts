import { ToolError } from "../../contract/error.ts";
import { tryDocuments } from "../../toolcrib/try-workers.ts";
import { type Finding, well, wrong } from "./finding.ts";

/** Whether documents can be read, which a process of its own does. */
export async function examineDocuments(signal: AbortSignal): Promise<Finding> {
  try {
    return well("documents", `the reader starts, and reads a ${await tryDocuments(signal)}`);
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    const hint = "document.read fails without it. Install the package again, with a Node it supports.";
    return wrong("documents", error.message, hint);
  }
}
