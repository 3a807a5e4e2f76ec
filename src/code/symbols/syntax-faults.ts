import type { Node, Tree } from "web-tree-sitter";
import type { SyntaxFault } from "../../contract/code.ts";
import { endOfText, lineOf, startOfText } from "../lines.ts";

const most = 1000;

/** Returns the faults that the grammar found or would have to repair, in text order. */
export function faultsOf(tree: Tree, text: string, lineStarts: Uint32Array): SyntaxFault[] {
  const root = tree.rootNode;
  if (!root.hasError) return [];
  const found: Found[] = [];
  look(root, text, found);
  return found
    .sort((one, other) => one.start - other.start || one.end - other.end)
    .map(({ start, end, message }) => {
      const line = lineOf(lineStarts, start);
      const before = text.slice(lineStarts[line - 1], start);
      return { line, column: [...before].length + 1, start, end, message };
    });
}

type Found = Pick<SyntaxFault, "start" | "end" | "message">;

/** Collects faults, without recursion, because texts can be nested deeper than the call stack. */
function look(root: Node, text: string, found: Found[]): void {
  const open = [opened(root, found)];
  for (let at = open.at(-1); at && found.length < most; at = open.at(-1)) {
    const child = at.children[at.next++];
    if (child?.isMissing) found.push(missing(child, text));
    else if (child?.hasError) open.push(opened(child, found));
    else if (at.next > at.children.length) {
      open.pop();
      // The innermost fault is the most specific.
      if (at.node.isError && found.length === at.before) found.push(faultIn(at.node, at.children, text));
    }
  }
}

function opened(node: Node, found: readonly Found[]) {
  return { node, children: node.children, next: 0, before: found.length };
}

function missing(node: Node, text: string): Found {
  const start = endOfText(text, node.startIndex);
  return { start, end: start, message: `missing ${node.isNamed ? node.type : `\`${node.type}\``}` };
}

function faultIn(node: Node, children: readonly (Node | null)[], text: string): Found {
  const odd = unpairedBracket(children);
  if (odd) {
    const { type, startIndex: start, endIndex: end } = odd;
    const message = type in closing ? `\`${type}\` is never closed` : `unexpected \`${type}\``;
    return { start, end, message };
  }
  const start = startOfText(text, node.startIndex);
  const word = /^[\p{L}\p{N}_$]+|^.?/su.exec(text.slice(start, start + 40))?.[0] ?? "";
  if (word === "") return { start, end: start, message: "unexpected end" };
  return { start, end: start + word.length, message: `unexpected \`${shown(word)}\`` };
}

function shown(word: string): string {
  return /^\p{C}/u.test(word)
    ? `U+${word.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`
    : word;
}

const closing: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };
const closers: ReadonlySet<string> = new Set(Object.values(closing));

function unpairedBracket(children: readonly (Node | null)[]): Node | undefined {
  const open: Node[] = [];
  for (const child of children) {
    if (!child || child.isNamed) continue;
    if (child.type in closing) open.push(child);
    else if (closers.has(child.type)) {
      const opened = open.pop();
      if (!opened || closing[opened.type] !== child.type) return child;
    }
  }
  return open.at(-1);
}
