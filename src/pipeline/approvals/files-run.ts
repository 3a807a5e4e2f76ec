import type { ToolCall } from "../../contract/call.ts";
import { ToolError } from "../../contract/error.ts";
import { contentHash } from "../../lib/content-hash.ts";
import { wordsRun } from "../../policy/parts.ts";
import { spelledPath } from "../../policy/paths/path-target.ts";
import type { JudgedCall } from "./judge-now.ts";

/** What stands right now in the programs and scripts of the workspace that the commands of a call name. */
export async function filesRun(
  { environment, signal }: Pick<ToolCall, "environment" | "signal">,
  { decision, policy }: Pick<JudgedCall, "decision" | "policy">,
): Promise<ReadonlyMap<string, string>> {
  const paths = decision.parts.flatMap(({ part }) => {
    if (part.kind !== "run") return [];
    const { command } = part;
    return wordsRun(command).flatMap((word) => spelledPath(word, command.directory, policy.place) ?? []);
  });
  const found = new Map<string, string>();
  let maxBytes = maxBytesRead;
  for (const path of new Set(paths)) {
    try {
      const { bytes } = await environment.readFile(path, { maxBytes, signal });
      maxBytes -= bytes.length;
      found.set(path, contentHash(bytes));
    } catch (error) {
      if (signal.aborted || !(error instanceof ToolError)) throw error;
      // Directories, what is no file at all, and what lies elsewhere.
      if (error.code !== "too-large") found.set(path, error.code);
      else found.set(path, JSON.stringify(await environment.info(path).catch(({ code }) => code)));
    }
  }
  return found;
}

/** Of all of them. */
const maxBytesRead = 64 * 1024 * 1024;
