import { existsSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exportSession } from "../../agent/index.ts";
import { redactText } from "../../policy/redaction/redact.ts";
import { allWorkspaceFiles } from "../../system/directories.ts";
import { loadSqlite } from "../../system/sqlite-file.ts";
import { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";

export interface ArtifactSources {
  /** The state directory of the run. Its session is closed. */
  readonly state: string;
  readonly session: string | null;
  readonly patch: Buffer | null;
  readonly setupLog: string;
  readonly checkLog: string | null;
  readonly result: unknown;
}

/** Writes the artifacts of a run to a folder, redacted. Returns their names. */
export async function gatherArtifacts(folder: string, sources: ArtifactSources): Promise<readonly string[]> {
  const { state, session, patch, setupLog, checkLog, result } = sources;
  const names: string[] = [];
  const write = async (name: string, text: string, encoding: BufferEncoding = "utf8") => {
    await writeFile(join(folder, name), text, { mode: 0o600, encoding });
    names.push(name);
  };
  // One character for each byte: the files of a patch may have any encoding.
  if (patch !== null) await write("patch.diff", redactPatch(patch.toString("latin1")), "latin1");
  const [files] = allWorkspaceFiles(state);
  if (session !== null && files !== undefined && existsSync(files.journal)) {
    const journal = new WorkspaceJournal({ files });
    const entries = journal.conversations.entries(session);
    journal.close();
    for (const format of ["jsonl", "html"] as const)
      await write(`session.${format}`, exportSession(session, entries, format));
    copyJournal(files.journal, join(folder, "journal.sqlite"));
    names.push("journal.sqlite");
  }
  if (existsSync(setupLog)) {
    await copyFile(setupLog, join(folder, "setup.log"));
    names.push("setup.log");
  }
  if (checkLog !== null) await write("check.log", redactText(checkLog));
  await write(
    "result.json",
    `${JSON.stringify({ ...Object(result), artifactNames: names }, undefined, 2)}\n`,
  );
  return names;
}

/**
 * Copies a journal at one moment, without its conversations: `session.jsonl` has them redacted. They are not part of the
 * hash chain, so the copy verifies like the original.
 */
function copyJournal(from: string, to: string): void {
  const { DatabaseSync } = loadSqlite();
  const source = new DatabaseSync(from, { timeout: 5_000 });
  try {
    source.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    source.prepare("VACUUM INTO ?").run(to);
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(to);
  try {
    copy.exec("PRAGMA journal_mode = DELETE; DELETE FROM conversations; VACUUM");
  } finally {
    copy.close();
  }
}

/** Redacts the lines that a patch adds. Its other lines are in the repository, and it has to apply to them. */
export function redactPatch(patch: string): string {
  const lines = patch.split("\n");
  const isAdded = addedLines(lines);
  const result: string[] = [];
  for (let first = 0; first < lines.length; ) {
    let end = first;
    while (isAdded[end]) end += 1;
    if (end === first) result.push(lines[end++]!);
    else {
      const added = lines.slice(first, end).map((line) => line.slice(1));
      result.push(`+${redactText(added.join("\n")).replaceAll("\n", "\n+")}`);
    }
    first = end;
  }
  return result.join("\n");
}

/** Says for each line whether it is an added one. Hunks are counted: an added line "++ x" looks like the name of a file. */
function addedLines(lines: readonly string[]): readonly boolean[] {
  let [before, after] = [0, 0];
  return lines.map((line) => {
    const [sign] = line;
    if (before <= 0 && after <= 0) {
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (hunk !== null) [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      return false;
    }
    if (sign !== "+" && sign !== "\\") before -= 1;
    if (sign !== "-" && sign !== "\\") after -= 1;
    return sign === "+";
  });
}
