import type { Node, Tree } from "web-tree-sitter";
import type { TextSpan } from "../lines.ts";

/** Returns the starts of the lines in `part` that are inside a string or heredoc, except docstrings. */
export function literalLines({ rootNode }: Tree, text: string, part: TextSpan): readonly number[] {
  const found: number[] = [];
  for (
    let at = text.indexOf("\n", part.start) + 1;
    at > 0 && at < part.end;
    at = text.indexOf("\n", at) + 1
  ) {
    const isLiteral =
      isText(rootNode.descendantForIndex(at - 1, at)) || isHeredoc(rootNode.descendantForIndex(at, at), at);
    if (isLiteral) found.push(at);
  }
  return found;
}

/** Returns whether a line end is in a string, given the smallest node around it. An interpolation is not. */
function isText(node: Node | null): boolean {
  if (!node) return false;
  const literal = textual.test(node.type) ? node : piece.test(node.type) ? node.parent : null;
  return literal !== null && textual.test(literal.type) && !documents(node);
}

/** Returns whether a line begins inside a heredoc. Some grammars count the line end before it as code. */
function isHeredoc(node: Node | null, at: number): boolean {
  return node !== null && /heredoc|nowdoc/.test(node.type) && node.startIndex <= at;
}

const textual =
  /^(?!.*(?:chained|concatenated|scalar)).*(?:string|heredoc|nowdoc|quoted|str_lit|str_text|sigil|^literal$)/;
const piece = /content|text|fragment|body|part|heredoc|^\s$/;

function documents(node: Node): boolean {
  for (let each: Node | null = node, steps = 0; each && steps < 3; each = each.parent, steps += 1) {
    if (each.type === "description" || each.type === "expression_statement") return true;
  }
  return false;
}
