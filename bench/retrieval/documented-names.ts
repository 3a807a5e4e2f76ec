/** A declaration, and the first paragraph of its doc comment. */
export interface DocumentedName {
  readonly name: string;
  readonly summary: string;
}

/** Finds the doc comments of JavaScript and TypeScript, and what they document. Repeated ones count once. */
export function documentedNames(files: ReadonlyMap<string, Buffer>): DocumentedName[] {
  const found = new Map<string, DocumentedName>();
  for (const [path, content] of files) {
    if (!isScript.test(path) || isCopy.test(path) || content.length > maxBytes) continue;
    const text = content.toString("utf8");
    if (isMinified(text)) continue;
    for (const [, comment, name] of text.matchAll(documented)) {
      const summary = summaryOf(comment!);
      const words = summary.match(/[A-Za-z]{2,}/g) ?? [];
      if (keywords.has(name!) || words.length < 3 || words.length > 60) continue;
      found.set(`${name}\0${summary}`, { name: name!, summary });
    }
  }
  return [...found.values()];
}

const isScript = /\.(?:d\.[cm]?ts|[cm]?tsx?|[cm]?js)$/;
const isCopy = /\.min\.|(?:^|\/)(?:test|tests|__tests__|node_modules|umd)\//;
const maxBytes = 3_000_000;

function isMinified(text: string): boolean {
  return text.length > 20_000 && text.length / text.split("\n").length > 300;
}

const modifiers =
  "export|declare|default|public|protected|private|static|async|abstract|readonly|override|get|set|function\\*?|class|const|let|var|interface|type|enum|namespace";

/** A doc comment, decorators, modifiers, the object to which the name is assigned, the name, and what may follow it. */
const documented: RegExp = new RegExp(
  [
    String.raw`\/\*\*((?:(?!\*\/)[\s\S]){3,3000}?)\*\/\s*`,
    String.raw`(?:@\w+(?:\([^()]*\))?\s*)*`,
    String.raw`(?:(?:${modifiers})\s+)*`,
    String.raw`(?:exports\.|module\.exports\.|[A-Z]\w*\.(?:prototype\.)?|this\.)?`,
    String.raw`([A-Za-z_$][\w$]*)\s*\??\s*(?:[<(=:{]|extends|implements)`,
  ].join(""),
  "g",
);

/** With these the comment is about no name. */
const keywords: ReadonlySet<string> = new Set(
  "if for while return switch function class import export constructor const let var new typeof default case".split(
    " ",
  ),
);

function summaryOf(comment: string): string {
  const text = comment.replaceAll(/^[ \t]*\*+ ?/gm, "").replaceAll(/```[\s\S]*?(?:```|$)/g, "");
  const description = text.split(/^\s*@\w/m)[0]!.trim();
  return description
    .split(/\n\s*\n/)[0]!
    .replaceAll(/\{@\w+\s+([^}]*)\}|<[^<>]*>/g, "$1")
    .replaceAll(/https?:\S+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
