/** Draws docs/assets/session.svg, the picture of the README, from the real output of `toolcrib run --demo`. Run: npm run picture */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const repository = join(import.meta.dirname, "..");
const columns = 100;
const lineHeight = 19;
const charWidth = 8.43;
const colours: Readonly<Record<string, string>> = {
  "1": 'font-weight="bold"',
  "2": 'fill="#8b949e"',
  "31": 'fill="#ff7b72"',
  "32": 'fill="#7ee787"',
  "33": 'fill="#e3b341"',
  "36": 'fill="#79c0ff"',
};

const escapeCharacter = "\u001b";
const styleCode = new RegExp(`(${escapeCharacter}\\[[\\d;]*m)`);

const { output } = spawnSync("bash", ["-c", "node src/cli/main.ts run --demo 2>&1"], {
  cwd: repository,
  env: { ...process.env, FORCE_COLOR: "1", COLUMNS: String(columns) },
  encoding: "utf8",
});
const text = output[1]!;
mkdirSync(join(repository, "docs/assets"), { recursive: true });
writeFileSync(join(repository, "docs/assets/session.svg"), draw(shortened(text)));

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

function draw(lines: readonly string[]): string {
  const width = Math.round(columns * charWidth + 40);
  const height = lines.length * lineHeight + 66;
  const rows = ['<tspan fill="#7ee787">$</tspan> npx toolcrib run --demo', ...lines.map(paint)].map(
    (row, index) => `<text x="20" y="${54 + index * lineHeight}" xml:space="preserve">${row}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + lineHeight}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">`,
    "<title>An agent fixes a bug with Toolcrib; the user undoes the fix, redoes it, and verifies the log</title>",
    `<rect width="${width}" height="${height + lineHeight}" rx="10" fill="#0d1117"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (fill, index) => `<circle cx="${24 + index * 20}" cy="20" r="6" fill="${fill}"/>`,
    ),
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

/** One line with its colours as SVG text. */
function paint(line: string): string {
  let style = "";
  return line
    .split(styleCode)
    .map((piece) => {
      if (piece.startsWith(escapeCharacter)) {
        const codes = piece.slice(2, -1);
        style = codes
          .split(";")
          .map((code) => colours[code] ?? "")
          .join(" ")
          .trim();
        return "";
      }
      const escaped = piece.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      return style === "" || piece === "" ? escaped : `<tspan ${style}>${escaped}</tspan>`;
    })
    .join("");
}
