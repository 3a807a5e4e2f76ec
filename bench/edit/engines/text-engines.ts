import { importPeer } from "../../peers.ts";
import { type Answer, type Call, type Edit, type Engine, Refusal } from "../task.ts";

/** The baseline: the text occurs exactly once, byte for byte, or the edit is refused. */
export function openExactSubstring(): Engine {
  return textEditor("exact substring", (text, { find, replace, all, expectCount }) => {
    const count = find === "" ? 0 : text.split(find).length - 1;
    if (count === 0) return new Refusal("not found");
    if (expectCount !== undefined && count !== expectCount) return new Refusal(`found ${count} times`);
    if (all) return text.replaceAll(find, () => replace);
    if (text.indexOf(find, text.indexOf(find) + 1) !== -1) return new Refusal("found more than once");
    return find === replace ? new Refusal("nothing to change") : text.replace(find, () => replace);
  });
}

/** gemini-cli's edit tool without its files, and without the model that it asks when nothing matches. */
export async function openGemini(): Promise<Engine> {
  const folder = "dist/src";
  const core = (file: string) => importPeer("@google/gemini-cli-core", `${folder}/${file}`);
  const { calculateReplacement, getErrorReplaceResult } = await core("tools/edit.js");
  const { detectOmissionPlaceholders } = await core("tools/omissionPlaceholderDetector.js");
  const { detectLineEnding } = await core("utils/textUtils.js");
  // It uses its configuration only for telemetry, which is off.
  const config = new Proxy({}, { get: () => () => undefined });
  return textEditor("gemini-cli", async (text, { find, replace, all }) => {
    const params = { file_path: "file", old_string: find, new_string: replace, allow_multiple: all };
    const known = detectOmissionPlaceholders(find) as string[];
    if ((detectOmissionPlaceholders(replace) as string[]).some((each) => !known.includes(each))) {
      return new Refusal("placeholder");
    }
    if (find === "") return new Refusal("empty");
    const currentContent = text.replace(/\r\n/g, "\n");
    const result = await calculateReplacement(config, { params, currentContent });
    const { occurrences, finalOldString, finalNewString, newContent } = result;
    const error = getErrorReplaceResult(params, occurrences, finalOldString, finalNewString);
    if (error) return new Refusal(error.display);
    return detectLineEnding(text) === "\r\n" ? newContent.replace(/\r?\n/g, "\r\n") : newContent;
  });
}

/** pi's edit tool without its files. */
export async function openPi(): Promise<Engine> {
  const pi = await importPeer("@mariozechner/pi-coding-agent", "dist/core/tools/edit-diff.js");
  return {
    name: "pi-coding-agent",
    forms: ["edit"],
    apply(call, files) {
      if (call.form !== "edit" || call.edits.some(({ all }) => all)) return new Refusal("cannot");
      const { bom, text } = pi.stripBom(Buffer.from(files.get(call.path)!).toString("utf8"));
      const edits = call.edits.map(({ find, replace }) => ({ oldText: find, newText: replace }));
      try {
        const { newContent } = pi.applyEditsToNormalizedContent(pi.normalizeToLF(text), edits, call.path);
        const restored = bom + pi.restoreLineEndings(newContent, pi.detectLineEnding(text));
        return new Map([[call.path, Buffer.from(restored)]]);
      } catch (error) {
        return new Refusal((error as Error).message);
      }
    },
  };
}

/** jsdiff, which applies one file's patch to one text. */
export async function openJsdiff(fuzzFactor: number): Promise<Engine> {
  const { parsePatch, applyPatch } = await importPeer("diff", "libesm/index.js");
  return {
    name: `diff, fuzz ${fuzzFactor}`,
    forms: ["udiff"],
    apply(call, files) {
      if (call.form === "edit") return new Refusal("cannot");
      try {
        return applyAll(parsePatch(call.text), files, (text, patch) =>
          applyPatch(text, patch, { fuzzFactor }),
        );
      } catch (error) {
        return new Refusal((error as Error).message);
      }
    },
  };
}

interface ParsedPatch {
  readonly oldFileName?: string;
  readonly newFileName?: string;
  readonly hunks: readonly unknown[];
}

function applyAll(
  patches: readonly ParsedPatch[],
  files: ReadonlyMap<string, Uint8Array>,
  apply: (text: string, patch: ParsedPatch) => string | false,
): Answer {
  const changed = new Map<string, Uint8Array | undefined>();
  for (const patch of patches) {
    const [from, to] = [patch.oldFileName, patch.newFileName].map((name) => name?.replace(/^[ab]\//, ""));
    if (from === undefined || to === undefined) return new Refusal("no file name");
    const bytes = changed.get(from) ?? files.get(from);
    if (!bytes && from !== "/dev/null") return new Refusal("no such file");
    if (from === "/dev/null" && files.has(to)) return new Refusal("file exists");
    const text = apply(bytes ? Buffer.from(bytes).toString("utf8") : "", patch);
    if (text === false) return new Refusal("does not apply");
    if (from !== to && from !== "/dev/null") changed.set(from, undefined);
    if (to !== "/dev/null") changed.set(to, Buffer.from(text));
  }
  return changed.size === 0 ? new Refusal("nothing to change") : changed;
}

/** An engine that applies one edit to one text at a time. */
function textEditor(
  name: string,
  edit: (text: string, edit: Edit) => string | Refusal | Promise<string | Refusal>,
): Engine {
  return {
    name,
    forms: ["edit"],
    async apply(call: Call, files) {
      if (call.form !== "edit") return new Refusal("cannot");
      let text = Buffer.from(files.get(call.path)!).toString("utf8");
      for (const each of call.edits) {
        const result = await edit(text, each);
        if (result instanceof Refusal) return result;
        text = result;
      }
      return new Map([[call.path, Buffer.from(text)]]);
    },
  };
}
