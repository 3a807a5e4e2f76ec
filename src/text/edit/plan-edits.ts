import { ToolError } from "../../contract/error.ts";
import type { EditRequest, FilePlan } from "./edit-request.ts";
import type { ReadFile } from "./named-file.ts";
import { parseDiff } from "./parse-diff.ts";
import { hasLooseReading, parsePatch } from "./parse-patch.ts";
import { planReplace } from "./plan-replace.ts";
import { planSections } from "./plan-sections.ts";

/**
 * What a request would do, file by file, or a ToolError that says why it cannot be done. Finding is tolerant, writing
 * is not: every byte outside the named change stays as it was, and a place is used only when it is the only one.
 */
export function planEdits(request: EditRequest, read: ReadFile): readonly FilePlan[] {
  switch (request.kind) {
    case "replace":
      return [planReplace(request, read)];
    case "patch":
      return looksLikeDiff(request.patch) ? planDiff(request.patch, read) : planPatch(request.patch, read);
    case "diff":
      return looksLikePatch(request.diff) ? planPatch(request.diff, read) : planDiff(request.diff, read);
  }
}

function planDiff(diff: string, read: ReadFile): readonly FilePlan[] {
  return planSections(parseDiff(diff), read);
}

/** The loose reading comes second, so that content which looks like a marker stays content where the file has it. */
function planPatch(patch: string, read: ReadFile): readonly FilePlan[] {
  let failure: ToolError;
  let isParsed = false;
  try {
    const sections = parsePatch(patch, "strict");
    isParsed = true;
    return planSections(sections, read);
  } catch (error) {
    if (!(error instanceof ToolError) || !hasLooseReading(patch)) throw error;
    failure = error;
  }
  try {
    const sections = parsePatch(patch, "loose");
    if (!isParsed) return planSections(sections, read);
    try {
      return planSections(sections, read);
    } catch {
      throw failure;
    }
  } catch (error) {
    throw isParsed ? failure : error;
  }
}

function looksLikePatch(text: string): boolean {
  return /^\s*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)/m.test(text) && !/^diff --git /m.test(text);
}

function looksLikeDiff(text: string): boolean {
  return (
    !/^\s*\*\*\*\s*(?:Begin Patch|(?:Add|Update|Delete) File:)/im.test(text) && /^--- .*\n\+\+\+ /m.test(text)
  );
}
