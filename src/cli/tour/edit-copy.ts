import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Guide, OwnRoom } from "./guide.ts";

/** Edits the copy of the sample, or a note where there is none. */
export async function editCopy(guide: Guide, room: OwnRoom, sample = "notes.txt"): Promise<void> {
  const file = join(room.workspace, sample);
  if (!existsSync(file)) writeFileSync(file, "A note.\nAnother one.\n");
  const line = tellingLine(readFileSync(file, "utf8"));
  if (line === undefined) return;
  guide.chapter(`Editing a copy of ${sample}, there too`);
  await guide.visit(room, {
    says: "Replace text that is there just once: every other byte stays, and the answer shows what was done.",
    words: ["edit.replace", "--path", sample, "--find", line, "--replace", `${line} (edited)`],
    ends: "ok",
    lines: 12,
  });
  await guide.visit(room, {
    says: "What is not there is never guessed: the nearest place is shown.",
    words: ["edit.replace", "--path", sample, "--find", `${line} (edit)`, "--replace", "Something else"],
    ends: "no-match",
  });
  await guide.visit(room, {
    says: "Several files at once, all or none. First only a look:",
    words: ["edit.preview", "--patch", patchOf(sample, `${line} (edited)`, line)],
    ends: "ok",
    lines: 12,
  });
}

/** The first line that no other one holds, and that is short enough to be shown. */
function tellingLine(text: string): string | undefined {
  const isTelling = (line: string) =>
    /^[#\w].*\w{3}/.test(line) && line.length < 70 && text.split(line).length === 2;
  return text.split(/\r?\n/).find(isTelling);
}

function patchOf(path: string, before: string, after: string): string {
  return [
    "*** Begin Patch",
    "*** Add File: edited.txt\n+One more file.",
    `*** Update File: ${path}\n@@\n-${before}\n+${after}`,
    "*** End Patch",
  ].join("\n");
}
