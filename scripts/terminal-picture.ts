/** Draws the text of a terminal as an SVG picture. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** The width of the terminal in the picture. */
export const columns = 100;
export const escapeCharacter = "\u001b";

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
const styleCode = new RegExp(`(${escapeCharacter}\\[[\\d;]*m)`);

interface TerminalPicture {
  readonly file: string;
  /** The text for readers who do not see the picture. */
  readonly title: string;
  /** With the basic colours of terminals. */
  readonly lines: readonly string[];
}

export function drawTerminal({ file, title, lines }: TerminalPicture): void {
  const width = Math.round(columns * charWidth + 40);
  const height = lines.length * lineHeight + 66;
  const rows = lines
    .map(paint)
    .map((row, index) => `<text x="20" y="${54 + index * lineHeight}" xml:space="preserve">${row}</text>`);
  const picture = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (fill, index) => `<circle cx="${24 + index * 20}" cy="20" r="6" fill="${fill}"/>`,
    ),
    ...rows,
    "</svg>",
    "",
  ].join("\n");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, picture);
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
