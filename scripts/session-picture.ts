/** Draws docs/assets/session.svg, the picture of the README, from the real output of `toolcrib run --demo`. Run: npm run picture */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { columns, drawTerminal, escapeCharacter } from "./terminal-picture.ts";

const repository = join(import.meta.dirname, "..");

const { output } = spawnSync("bash", ["-c", "node src/cli/main.ts run --demo 2>&1"], {
  cwd: repository,
  env: { ...process.env, FORCE_COLOR: "1", COLUMNS: String(columns) },
  encoding: "utf8",
});
const prompt = `${escapeCharacter}[32m$${escapeCharacter}[0m npx toolcrib run --demo`;
drawTerminal({
  file: join(repository, "docs/assets/session.svg"),
  title: "An agent fixes a bug with Toolcrib; the user undoes the fix, redoes it, and verifies the log",
  lines: [prompt, ...shortened(output[1]!)],
});

/** From the task to the verified log, without the progress line and without the long ids. */
function shortened(session: string): readonly string[] {
  const plain = session.replaceAll("\r", "").replace(new RegExp(`${escapeCharacter}\\[\\d*[KGA-D]`, "g"), "");
  const from = plain.indexOf("Task: ");
  const to = plain.indexOf("Head: ");
  return plain
    .slice(from, to)
    .replace(/^.*Session session_.*\n/m, "")
    .replace(/\b(call|session)_[0-9a-z]{8,}/g, "$1_0mwj2u")
    .trimEnd()
    .split("\n")
    .flatMap(wrap);
}

/** Breaks a long line at a space, as a terminal of this width would. */
function wrap(line: string): readonly string[] {
  if (stripVTControlCharacters(line).length <= columns || line.includes(escapeCharacter)) return [line];
  const cut = line.lastIndexOf(" ", columns);
  return [line.slice(0, cut), ...wrap(line.slice(cut + 1))];
}
