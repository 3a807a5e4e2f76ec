import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { htmlToMarkdown } from "./html-to-markdown.ts";

const folder = join(import.meta.dirname, "../../../../test/samples/html");

function sample(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

/** The words, without what Markdown adds: pictures, link targets, marks, languages of code. */
function wordsOf(markdown: string): readonly string[] {
  const text = markdown
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/^ *```\w*$/gm, "")
    .replace(/<\/?(?:sup|sub|kbd|br)>/g, " ");
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Runs of words that only the second reader has; undefined when ours has other words or another order. */
function leftOut(ours: readonly string[], theirs: readonly string[]): readonly string[] | undefined {
  const runs: string[][] = [];
  let position = 0;
  let isInRun = false;
  for (const word of theirs) {
    if (word === ours[position]) {
      position += 1;
      isInRun = false;
      continue;
    }
    if (isInRun) runs.at(-1)!.push(word);
    else runs.push([word]);
    isInRun = true;
  }
  return position === ours.length ? runs.map((run) => run.join(" ")) : undefined;
}

describe("real pages", () => {
  const base = "https://example.org/docs/";
  it.each(["rust-reference", "rustdoc", "texinfo"])("show the main content of %s", (name) => {
    const { markdown } = htmlToMarkdown(sample(`${name}.html`), { base: `${base}${name}.html` });
    expect(`${markdown}\n`).toBe(sample(`${name}.html.md`));
  });

  it("have the words of a second reader in the same order, except outside the main content", () => {
    const compare = (name: string) => {
      const theirs = wordsOf(sample(`${name}.html.lxml.txt`));
      const html = sample(`${name}.html`);
      return [false, true].map((whole) => leftOut(wordsOf(htmlToMarkdown(html, { whole }).markdown), theirs));
    };
    expect([compare("rust-reference"), compare("rustdoc"), compare("texinfo")]).toEqual([
      [
        [
          "Keyboard shortcuts Press or to navigate between chapters Press S or to search in the book Press to show this help " +
            "Press Esc to hide this help Auto Light Rust Coal Navy Ayu The Rust Reference",
          "Show Railroad",
        ],
        [],
      ],
      [
        [
          "Skip to main content set_permissions std 1 95 0 59807616e 2026 04 14 set_permissions Sections Platform specific " +
            "behavior Symlinks Rationale Errors Examples In std fs std fs",
          "Copy item path",
        ],
        [],
      ],
      [[], []],
    ]);
  });
});
