import { describe, expect, it } from "vitest";
import { htmlToMarkdown } from "./html-to-markdown.ts";

const many = 10_000;

function markdownOf(html: string): string {
  return htmlToMarkdown(html).markdown;
}

/** Counts a word in the output: nothing may be lost, whatever the structure of the page. */
function countOf(word: string, html: string): number {
  return markdownOf(html).split(word).length - 1;
}

describe("hostile pages", () => {
  it.each([
    ["unclosed elements", "<div>word".repeat(many)],
    ["end tags without a start", `${"<div>".repeat(many)}${"</span>word".repeat(many)}`],
    ["paragraphs", "<p>word".repeat(many)],
    ["nested links", "<a href=x>word".repeat(many)],
    ["nested notes", "<sup><a href=#fn1>word".repeat(many)],
    ["nested lists", "<ul><li>word".repeat(many)],
    ["nested quotations", `${"<blockquote>".repeat(many)}${"word<br>".repeat(many)}`],
    ["nested tables", "<table><tr><td>word".repeat(many)],
    ["nested terms", "<dl><dt>word<dd>".repeat(many)],
    ["nested bold text", "<b><i>word".repeat(many)],
    ["overlapping rows", `<table>${"<tr><td colspan=1000 rowspan=60000>word<td>".repeat(many)}`],
    ["a paragraph in many pieces", `<p>${"<b>word</b>,".repeat(many)}`],
    ["closed elements in code", `<pre>${"<span>word</span> ".repeat(many)}`],
    ["lines of code in elements", `<pre>${"<div>word</div>".repeat(many)}`],
    ["SVG without end tags", "<svg><path/></svg>word".repeat(many)],
  ])("show every word of %s", (_what, html) => {
    expect(countOf("word", html)).toBe(many);
  });

  it("may have long attributes, which are skipped, and long URLs, which are shortened", {
    tags: "slow",
  }, () => {
    const long = "a".repeat(5_000_000);
    expect(markdownOf(`<p data-x="${long}" class="${long}"><a href="${long}">x</a>`)).toBe(
      `[x](${"a".repeat(2000)})`,
    );
  });

  it("may leave markup unclosed", () => {
    expect([
      markdownOf("a &lt <b"),
      markdownOf("a<!-- b"),
      markdownOf("<script>a"),
      markdownOf('x<a href="y'),
      markdownOf("<title>a<p>b"),
      markdownOf("&".repeat(5)),
      markdownOf("a<\0b\0c"),
      markdownOf(""),
    ]).toEqual(["a <", "a", "", "x", "", "&&&&&", "a\\<bc", ""]);
  });

  it("with too many elements are refused", { tags: "slow" }, () => {
    expect(() => markdownOf("<b>".repeat(1_500_001))).toThrow("The page has more than 1500000 elements");
  });
});
