/**
 * Returns the text that a terminal finally shows: without colours and control sequences, and with the last state of
 * each overwritten line (progress bars, spinners). Cursor movements to other lines are ignored. Line ends become "\n";
 * other control characters become their Unicode pictures.
 */
export function plainTerminalText(text: string): string {
  if (!special.test(text)) return text;
  return text
    .replace(sequences, (sequence) => (eraseInLine.test(sequence) ? sequence : ""))
    .split("\n")
    .map((line) => (moves.test(line) ? lastState(line) : line))
    .join("\n")
    .replace(controls, picture);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const special = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;

/**
 * Matches strings for the terminal (OSC, DCS and similar, up to their end on the same line), control sequences and
 * other escapes. Matches only the beginning of an unterminated sequence, so that it cannot hide text.
 */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\|\x9c))?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const eraseInLine = /^(?:\x1b\[|\x9b)[02]?K$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const moves = /[\r\x08\x1b\x9b]/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Returns the last state of a line. A sequence that clears the whole line starts it again. */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end -= 1;
  const text = line.slice(0, end);
  if (!moves.test(text)) return text;
  const cells: string[] = [];
  let column = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  for (const [step] of text.matchAll(/(?:\x1b\[|\x9b)[02]?K|./gsu)) {
    if (step === "\r" || step.endsWith("2K")) column = 0;
    else if (step === "\b") column = Math.max(0, column - 1);
    else if (step.length === 1 || !step.endsWith("K")) cells[column++] = step;
    if (step.length > 1 && step.endsWith("K")) cells.length = column;
  }
  return cells.join("").trimEnd();
}

function picture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "";
}
