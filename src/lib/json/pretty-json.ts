const maxWidth = 100;
/** Deeper values stay on one line, because indenting them would produce quadratic output. */
const maxDepth = 100;

/** Formats JSON, with short lists and objects on one line. Returns undefined for invalid JSON. */
export function prettyJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tokens = text.match(token) ?? [];
  const pieces: string[] = [];
  let depth = 0;
  let flatUntil = -1;
  for (const [index, token] of tokens.entries()) {
    const isFlat = index <= flatUntil || depth > maxDepth;
    const indent = (levels: number) => (isFlat ? "" : `\n${"  ".repeat(levels)}`);
    switch (token) {
      case "{":
      case "[":
        depth += 1;
        if (!isFlat) flatUntil = endOfShort(tokens, index);
        pieces.push(token, index <= flatUntil || depth > maxDepth ? "" : `\n${"  ".repeat(depth)}`);
        break;
      case "}":
      case "]":
        depth -= 1;
        pieces.push(depth >= maxDepth ? "" : indent(depth), token);
        break;
      case ",":
        pieces.push(isFlat ? ", " : `,${indent(depth)}`);
        break;
      case ":":
        pieces.push(": ");
        break;
      default:
        pieces.push(token);
    }
  }
  return pieces.join("");
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Returns the end of a list or object of plain values that fits on a line; -1 for any other value. */
function endOfShort(tokens: readonly string[], start: number): number {
  let width = 0;
  for (let index = start + 1; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token === "}" || token === "]") return index;
    if (token === "{" || token === "[") return -1;
    width += token.length + 1;
    if (width > maxWidth) return -1;
  }
  return -1;
}
