import type { ClassSet, Node } from "./syntax.ts";

const newline = 0x0a;
const carriageReturn = 0x0d;

const longRepetition = 100;

/** A node and everything in it. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  if (node.kind === "repetition") yield* nodesOf(node.node);
  if (node.kind === "concatenation" || node.kind === "alternation") {
    for (const part of node.nodes) yield* nodesOf(part);
  }
}

export function asksForNewline(node: Node): boolean {
  return [...nodesOf(node)].some((part) => part.kind === "literal" && part.code === newline);
}

/** Whether "\r" is meant as a character of its own, so that it cannot be half of a line end. */
export function asksForCarriageReturn(node: Node): boolean {
  return [...nodesOf(node)].some((part) => {
    if (part.kind === "class") return lists(part.set, carriageReturn);
    return part.kind === "literal" && part.code === carriageReturn;
  });
}

export function asksForTextEnd(node: Node): boolean {
  return [...nodesOf(node)].some((part) => part.kind === "assertion" && part.at === "text-end");
}

/** The longest text that is known to be part of every match; empty when nothing is known. */
export function textInEveryMatch(node: Node): string {
  const parts = node.kind === "concatenation" ? node.nodes : [node];
  let longest = "";
  let current = "";
  for (const part of parts) {
    const isPlain = part.kind === "literal" && !part.ignoreCase;
    current = isPlain ? current + String.fromCodePoint(part.code) : "";
    if (current.length > longest.length) longest = current;
  }
  return longest;
}

/** An upper bound for how often a backtracking engine may have to try at one place; what is long counts as endless. */
export function waysToMatch(node: Node): number {
  switch (node.kind) {
    case "repetition":
      if (node.max > longRepetition) return Number.POSITIVE_INFINITY;
      return (node.max - node.min + 1) * waysToMatch(node.node) ** node.max;
    case "concatenation":
      return node.nodes.reduce((ways, part) => ways * waysToMatch(part), 1);
    case "alternation":
      return node.nodes.reduce((ways, part) => ways + waysToMatch(part), 0);
    default:
      return 1;
  }
}

function lists(set: ClassSet, code: number): boolean {
  if (set.kind === "range") return set.first === code && set.last === code;
  return set.kind === "union" && !set.negated && set.sets.some((part) => lists(part, code));
}
