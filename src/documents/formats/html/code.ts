import { type Element, findElement, textOf } from "./element.ts";

export function codeBlock(pre: Element): string {
  const code = codeText(pre)
    .replace(/^\r?\n/, "")
    .replace(/\r\n?/g, "\n")
    .trimEnd();
  if (code === "") return "";
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${languageOf(pre) ?? ""}\n${code}\n${fence}`;
}

export function codeSpan(text: string): string {
  const code = text.replace(/\s+/g, " ").trim();
  if (code === "") return "";
  const ticks = "`".repeat(longestRun(code) + 1);
  const padding = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return ticks + padding + code + padding + ticks;
}

/** Returns the text of code without line numbers and copy buttons. */
export function codeText(element: Element): string {
  const pieces: string[] = [];
  collectCode(element, pieces);
  return pieces.join("");
}

function collectCode(element: Element, pieces: string[]): void {
  for (const child of element.children) {
    if (typeof child === "string") pieces.push(child);
    else if (child.name === "br") pieces.push("\n");
    else if (child.name !== "button" && !isLineNumber(child)) {
      // Some pages put each line in its own element, without line breaks.
      if (child.isBlock && pieces.at(-1)?.endsWith("\n") === false) pieces.push("\n");
      collectCode(child, pieces);
    }
  }
}

export function isLineNumber(element: Element): boolean {
  const { class: classes, "data-nosnippet": isForEyesOnly } = element.attributes;
  if (isForEyesOnly === undefined && (classes === undefined || !lineNumbers.test(classes))) return false;
  // The element around the code often has the same class, but more than numbers.
  return /^[\d\s]*$/.test(textOf(element));
}

const lineNumbers =
  /(?:^|\s)(?:linenos?|line-?numbers?(?:-rows)?|gutter|blob-num|ln|rouge-gutter|lnt|hljs-ln-numbers)(?:\s|$)/;

function languageOf(pre: Element): string | undefined {
  const code = findElement(pre, ({ name }) => name === "code");
  for (const element of [code, pre, pre.parent, pre.parent?.parent]) {
    if (element === undefined) continue;
    const { class: classes = "", "data-lang": lang, "data-language": language } = element.attributes;
    const named =
      lang ??
      language ??
      /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|brush:\s*)([\w+#.-]+)/.exec(classes)?.[1];
    const found =
      named ??
      /(?:^|\s)(?:highlight-|sourceCode\s+|src-|hljs\s+|prettyprint\s+lang-)([\w+#]+)/.exec(classes)?.[1];
    if (found !== undefined)
      return /^[\w+#.-]{1,30}$/.test(found) && !noLanguage.has(found) ? found.toLowerCase() : undefined;
  }
  return undefined;
}

const noLanguage: ReadonlySet<string> = new Set(
  "default none plaintext text nohighlight notranslate source".split(" "),
);

function longestRun(text: string): number {
  let longest = 0;
  if (!text.includes("`")) return longest;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
