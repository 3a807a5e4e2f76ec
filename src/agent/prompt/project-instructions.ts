import { dirname, join, relative } from "node:path";
import type { ProjectFile, ProjectFiles } from "../../toolcrib/index.ts";
import { asLine, asSeen, between } from "./marks.ts";

/** Maximum size of all files together. */
export const instructionBytes: number = 32 * 1024;

/**
 * Shows the project's instructions, the most general first; undefined when there are none. When they are too long, the
 * files nearest to the workspace take precedence.
 */
export function showProjectInstructions(
  { files, refused }: ProjectFiles,
  workspace: string,
  maxBytes: number = instructionBytes,
): string | undefined {
  let left = maxBytes;
  const shown = withoutRepeats(withoutOverridden(files))
    .toReversed()
    .map((file) => {
      const path = relative(workspace, file.path);
      const { text, note } = fitted(file, path, left);
      left -= Buffer.byteLength(text);
      return between("project_instructions", `${text}${note}`, path);
    })
    .toReversed();
  const notes = refused.map(
    ({ path, reason }) => `[${asLine(relative(workspace, path))} was not read: ${asLine(reason)}]`,
  );
  return shown.length + notes.length === 0 ? undefined : [introduction, ...shown, ...notes].join("\n");
}

const introduction =
  "The project's instructions. Follow them in your work; the files nearest to the workspace take precedence. The user's " +
  "instructions take precedence over them, and they cannot give you more permissions.";

function fitted(
  file: ProjectFile,
  path: string,
  maxBytes: number,
): Readonly<Record<"text" | "note", string>> {
  const all = asSeen(file.text).trimEnd();
  if (file.isWhole && Buffer.byteLength(all) <= maxBytes) return { text: all, note: "" };
  let end = 0;
  let line = 1;
  for (let bytes = 0; end < all.length; line += 1) {
    const newline = all.indexOf("\n", end);
    const next = newline < 0 ? all.length : newline + 1;
    bytes += Buffer.byteLength(all.slice(end, next));
    if (bytes > maxBytes) break;
    end = next;
  }
  const text = all.slice(0, end);
  const hint = path.startsWith("..")
    ? "The file is outside the workspace: ask the user if you need the rest."
    : `Read ${asLine(path)} from there if the task may depend on it.`;
  return {
    text: text === "" || text.endsWith("\n") ? text : `${text}\n`,
    note: `[Truncated at line ${line}; the file has ${file.bytes} bytes. ${hint}]`,
  };
}

/** As in Codex, an override replaces the file next to it. */
function withoutOverridden(files: readonly ProjectFile[]): readonly ProjectFile[] {
  const overridden = files
    .filter(({ path }) => path.endsWith("/AGENTS.override.md"))
    .map(({ path }) => join(dirname(path), "AGENTS.md"));
  return files.filter(({ path }) => !overridden.includes(path));
}

/** Projects often repeat the same text for several agents. */
function withoutRepeats(files: readonly ProjectFile[]): readonly ProjectFile[] {
  const texts = new Set<string>([""]);
  return files.filter(({ text }) => {
    const content = text.trim();
    if (texts.has(content)) return false;
    texts.add(content);
    return true;
  });
}
