/** A run of text in one style. `classes` are names of the style sheet. */
export interface StyledText {
  readonly text: string;
  readonly classes: string;
}

/** The style that the next part of an output begins with. */
export interface AnsiStyle {
  readonly foreground: string;
  readonly background: string;
  readonly attributes: readonly string[];
}

export const plainStyle: AnsiStyle = { foreground: "", background: "", attributes: [] };

/**
 * Splits a terminal output into styled texts. Only colours and attributes count; other sequences disappear, a single carriage
 * return becomes a line end. Characters that are not part of a complete sequence stay, and the page shows them as escapes.
 */
export function parseAnsi(
  output: string,
  style: AnsiStyle = plainStyle,
): { parts: StyledText[]; style: AnsiStyle } {
  const parts: StyledText[] = [];
  let current = style;
  let end = 0;
  const push = (text: string) => {
    if (text !== "") parts.push({ text: text.replace(/\r(?!\n)/g, "\n"), classes: classesOf(current) });
  };
  for (const match of output.matchAll(sequences)) {
    push(output.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[1] !== undefined) current = applyCodes(current, match[1]);
  }
  push(output.slice(end));
  return { parts, style: current };
}

/** Colours; strings such as titles and links, up to their end on the same line; other control sequences. */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  /\x1b\[([\d;:]*)m|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[()][0-9A-Za-z]|\x1b[=>78]/g;

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const attributes: Readonly<Record<number, string>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  9: "strike",
};
const endsOf: Readonly<Record<number, readonly string[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  29: ["strike"],
};

function applyCodes(style: AnsiStyle, text: string): AnsiStyle {
  const codes = text.split(/[;:]/).map((code) => Number(code));
  let next = style;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index]!;
    const attribute = attributes[code];
    if (code === 0) next = plainStyle;
    else if (attribute !== undefined)
      next = { ...next, attributes: [...new Set([...next.attributes, attribute])] };
    else if (endsOf[code] !== undefined)
      next = { ...next, attributes: next.attributes.filter((name) => !endsOf[code]!.includes(name)) };
    else if (code === 38 || code === 48) {
      const colour =
        codes[index + 1] === 5
          ? indexedColour(codes[index + 2])
          : nearestColour(codes.slice(index + 2, index + 5));
      next = code === 38 ? { ...next, foreground: colour } : { ...next, background: colour };
      index += codes[index + 1] === 5 ? 2 : 4;
    } else next = applyColour(next, code);
  }
  return next;
}

function applyColour(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 39) return { ...style, foreground: "" };
  if (code === 49) return { ...style, background: "" };
  if (code >= 30 && code <= 37) return { ...style, foreground: names[code - 30]! };
  if (code >= 40 && code <= 47) return { ...style, background: names[code - 40]! };
  if (code >= 90 && code <= 97) return { ...style, foreground: `bright-${names[code - 90]}` };
  return code >= 100 && code <= 107 ? { ...style, background: `bright-${names[code - 100]}` } : style;
}

function indexedColour(index = 0): string {
  if (index < 8) return names[index]!;
  if (index < 16) return `bright-${names[index - 8]}`;
  if (index >= 232) return index < 244 ? "bright-black" : "white";
  const cube = index - 16;
  return nearestColour([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => part * 51));
}

/** One of the sixteen colours of the theme, so that every text stays readable in both themes. */
function nearestColour([red = 0, green = 0, blue = 0]: readonly number[]): string {
  const high = Math.max(red, green, blue);
  if (high < 48) return "black";
  const bits = [red, green, blue].reduce((sum, part, index) => sum + (part > high * 0.6 ? 1 << index : 0), 0);
  return high > 208 && bits !== 7 ? `bright-${names[bits]}` : names[bits]!;
}

function classesOf({ foreground, background, attributes: set }: AnsiStyle): string {
  return [
    foreground && `fg-${foreground}`,
    background && `bg-${background}`,
    ...set.map((name) => `ansi-${name}`),
  ]
    .filter(Boolean)
    .join(" ");
}
