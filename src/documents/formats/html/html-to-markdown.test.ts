import { describe, expect, it } from "vitest";
import { htmlToMarkdown } from "./html-to-markdown.ts";

const base = "https://example.com/docs/page.html";

function markdownOf(html: string): string {
  return htmlToMarkdown(html, { base }).markdown;
}

describe("htmlToMarkdown", () => {
  it.each([
    ["paragraphs", "<p>One\n two</p>three<div>four</div>", "One two\n\nthree\n\nfour"],
    ["unclosed paragraphs", "<p>One<p>Two<div>Three", "One\n\nTwo\n\nThree"],
    ["line breaks", "<p>One<br>two<br></p><p><br>three", "One  \ntwo\n\nthree"],
    ["headings", "<h1>A</h1><h3>B <small>c</small></h3><h6>D<br>E</h6>", "# A\n\n### B c\n\n###### D E"],
    ["headings by role", '<div role="heading" aria-level="4">A</div>', "#### A"],
    ["anchors of headings", '<h2><a href="#x">A</a><a class="headerlink" href="#x">¶</a></h2>', "## A"],
    ["emphasis", "<b>a</b> <i>b</i> <strong><b>c</b></strong> <s>d</s>", "**a** *b* **c** ~~d~~"],
    ["emphasis around white space", "x<b> a </b>y<i> </i>z", "x **a** y z"],
    ["emphasis in pieces", "<b>a</b><b>b</b><i>c</i>", "**ab***c*"],
    ["inline quotations", "<q>a</q> <cite>b</cite>", "“a” *b*"],
    ["inline code", "<code>a  b</code> <tt>`x</tt> <samp>y``z</samp>", "`a b` `` `x `` ```y``z```"],
    [
      "keys and raised text",
      "<kbd>Ctrl</kbd> H<sub>2</sub>O x<sup>2</sup>",
      "<kbd>Ctrl</kbd> H<sub>2</sub>O x<sup>2</sup>",
    ],
    ["entities", "&lt;a&gt; &eacute;&#x27;&#8364; &nbsp;x &unknown; AT&T", "\\<a> é'€ x \\&unknown; AT&T"],
    ["rules", "a<hr>b", "a\n\n---\n\nb"],
    ["quotations", "<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>", "> a\n>\n> b\n>\n> > c"],
    ["details", "<details><summary>More</summary><p>inside</details>", "**More**\n\ninside"],
    [
      "figures",
      '<figure><img src="a.png" alt="A"><figcaption>B</figcaption></figure>',
      "![A](https://example.com/docs/a.png)\n\nB",
    ],
    [
      "frames and videos",
      '<iframe src="/f" title="A [film]"></iframe><video><source src="v.mp4"></video>',
      "[A film](https://example.com/f) [video](https://example.com/docs/v.mp4)",
    ],
    [
      "formulas",
      '<math alttext="a^2"><mi>a</mi></math> <math display="block"><semantics><mi>b</mi><annotation encoding="application/x-tex">b_1</annotation></semantics></math>',
      "$a^2$ $$b_1$$",
    ],
    ["formulas in scripts", '<script type="math/tex">x</script><script>alert()</script>', "$x$"],
    ["custom elements", "<my-tab>One</my-tab><my-tab>Two</my-tab>", "One\n\nTwo"],
    ["soft hyphens and word breaks", "<p>set_<wbr>permissions soft&shy;ly", "set_permissions softly"],
    [
      "hidden elements",
      '<p hidden>a</p><p style="color:red; display : none">b</p><p aria-hidden="true">c</p>d',
      "d",
    ],
    ["SVG and canvas", "<svg><title>T</title><text>a</text></svg>b<canvas>c</canvas>", "b"],
    ["text after an early end of the page", "</body></html><p>a", "a"],
  ])("converts %s", (_what, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  it.each([
    [
      "relative and absolute",
      '<a href="../a?b=1">x</a> <a href="//h/p">y</a> <a href="/z">z</a>',
      "[x](https://example.com/a?b=1) [y](https://h/p) [z](https://example.com/z)",
    ],
    ["within the page", '<a href="#part">x</a>', "[x](#part)"],
    ["autolinks", '<a href="https://a.example/">https://a.example/</a>', "<https://a.example/>"],
    ["URLs with odd characters", '<a href="/a b(c)">x</a>', "[x](https://example.com/a%20b%28c%29)"],
    [
      "without a target as text",
      '<a href="javascript:void(0)">x</a> <a href="data:,a">y</a> <a>z</a>',
      "x y z",
    ],
    ["no empty links", 'a<a href="/b"></a><a href="/c"> </a>b', "a b"],
    ["no nested links", '<a href="/a">x<b><a href="/b">y</a></b></a>', "[x**y**](https://example.com/a)"],
    [
      "an image as a link",
      '<a href="/a"><img src="/i.png" alt="I"></a>',
      "[![I](https://example.com/i.png)](https://example.com/a)",
    ],
    ["an exclamation mark before", 'so!<a href="/a">x</a>', "so\\![x](https://example.com/a)"],
    [
      "a card with a heading",
      '<a href="/a"><div><h3>T</h3><p>text</p></div></a>',
      "### [T](https://example.com/a)\n\ntext",
    ],
    [
      "a card without a heading",
      '<a href="/a"><div>One</div><div>two</div></a>',
      "[One two](https://example.com/a)",
    ],
    [
      "lazy images, but no tracking pixels",
      '<img data-src="l.png" alt="L"><img src="p.gif" width="1" height="1"><img src="data:,x" alt="D">',
      "![L](https://example.com/docs/l.png)D",
    ],
  ])("converts links: %s", (_what, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  it("resolves links against the base URL of the page", () => {
    expect(markdownOf('<base href="https://other.example/x/"><a href="y">z</a>')).toBe(
      "[z](https://other.example/x/y)",
    );
    expect(htmlToMarkdown('<a href="y">z</a>').markdown).toBe("[z](y)");
  });

  it.each([
    ["items", "<ul><li>a<li>b</ul>", "- a\n- b"],
    ["numbers", '<ol start="9"><li>a<li value="20">b<li>c</ol>', "9. a\n20. b\n21. c"],
    ["nested lists", "<ul><li>a<ol><li>b<li>c</ol><li>d</ul>", "- a\n  1. b\n  2. c\n- d"],
    ["paragraphs in items", "<ul><li><p>a</p><p>b</p><li><p>c</ul>", "- a\n\n  b\n\n- c"],
    ["code in items", "<ol><li>a<pre>x\n y</pre></ol>", "1. a\n\n   ```\n   x\n    y\n   ```"],
    ["empty items are dropped", "<ul><li><li>a<li> </ul>", "- a"],
    ["content outside items", "<ul><p>x</p><li>a</ul>", "x\n- a"],
    ["an item that begins with a list", "<ul><li><ul><li>a</ul></ul>", "- - a"],
    ["terms", "<dl><dt>a<dd>b<dd>c<dt>d<dd><p>e<p>f</dl>", "a\n: b\n: c\n\nd\n: e\n\n  f"],
  ])("converts lists: %s", (_what, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  it.each([
    [
      "with a header",
      "<table><thead><tr><th>a<th>b</thead><tbody><tr><td>1<td>2|3</table>",
      "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |",
    ],
    [
      "without a header",
      "<table><tr><td>1<td>2<tr><td>3<td>4</table>",
      "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
    ],
    [
      "spanned cells are empty",
      "<table><tr><th>a<th>b<th>c<tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td>4</table>",
      "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 |  |\n|  | 3 | 4 |",
    ],
    [
      "caption, and content outside cells",
      "<table><caption>T</caption>x<tr><th>a<th>b<tr><td>1<td>2</table>",
      "**T**\n\nx\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
    ],
    [
      "lines in cells",
      "<table><tr><th>a<th>b<tr><td>1<br>2<p>3</p><td><ul><li>x<li>y</ul></table>",
      "| a | b |\n| --- | --- |\n| 1<br>2<br>3 | - x<br>- y |",
    ],
    [
      "code in cells",
      "<table><tr><th>a<th>b<tr><td><pre>x\ny</pre><td><code>p|q</code></table>",
      "| a | b |\n| --- | --- |\n| `x`<br>`y` | `p\\|q` |",
    ],
    [
      "a nested table as text",
      "<table><tr><th>a<th>b<tr><td>1<td><table><tr><td>x<td>y<tr><td>z</table></table>",
      "| a | b |\n| --- | --- |\n| 1 | x y<br>z |",
    ],
    [
      "a layout table as its content",
      "<table><tr><td><h2>a</h2><td><p>b<table><tr><th>c<th>d<tr><td>1<td>2</table></table>",
      "## a\n\nb\n\n| c | d |\n| --- | --- |\n| 1 | 2 |",
    ],
    [
      "without line numbers",
      '<table><tr><td class="gutter"><pre>1\n2</pre><td class="code"><pre>a\nb</pre></table>',
      "```\na\nb\n```",
    ],
  ])("converts tables: %s", (_what, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  it.each([
    [
      "white space and language",
      '<pre><code class="language-js">\n  a\n\n\tb &lt; c  \n</code></pre>',
      "```js\n  a\n\n\tb < c\n```",
    ],
    [
      "GitHub's language class",
      '<div class="highlight highlight-source-rust"><pre>fn <b>a</b>() {}</pre></div>',
      "```rust\nfn a() {}\n```",
    ],
    [
      "Sphinx's language class",
      '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>x</pre></div></div>',
      "```python\nx\n```",
    ],
    ["a fence longer than any inside", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"],
    [
      "lines in elements",
      "<pre><code><div>a</div><div>b</div></code><button>Copy</button></pre>",
      "```\na\nb\n```",
    ],
    ["line breaks", "<pre>a<br>b</pre>", "```\na\nb\n```"],
    ["no invalid language", '<pre data-lang="a\n```\n# b">x</pre>', "```\nx\n```"],
    [
      "without line numbers",
      '<pre class="line-numbers"><a data-nosnippet>1</a>a\n<span class="lineno">2 </span>b</pre>',
      "```\na\nb\n```",
    ],
  ])("converts code: %s", (_what, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  it("converts footnotes, without their back links", () => {
    const html =
      '<p>Text<sup><a href="#fn1">[1]</a></sup>.</p><section class="footnotes"><ol><li id="fn1"><p>Note <a href="#fnref1">↩</a></p></ol></section>';
    expect(markdownOf(html)).toBe("Text[^1].\n\n[^1]: Note");
  });

  it.each([
    ["snake_case a[0] [x] 2 * 3 1 < 2 & x ~ y | z", "snake_case a[0] [x] 2 * 3 1 < 2 & x ~ y | z"],
    [
      "*a* _b_ `c` &lt;d> ~~e~~ [f](g) \\* &amp;lt;",
      "\\*a\\* \\_b\\_ \\`c\\` \\<d> \\~\\~e\\~\\~ [f\\](g) \\\\\\* \\&lt;",
    ],
    [
      "# a<p>> b<p>- c<p>+ d<p>1. e<p>2) f<p>---<p>===<p>[g]: h",
      "\\# a\n\n\\> b\n\n\\- c\n\n\\+ d\n\n1\\. e\n\n2\\) f\n\n\\---\n\n\\===\n\n\\[g]: h",
    ],
    ["#a -b +1 1.5 2024", "#a -b +1 1.5 2024"],
    ["a<br># b", "a  \n\\# b"],
  ])("escapes only characters that would change the meaning: %s", (html, markdown) => {
    expect(markdownOf(`<p>${html}`)).toBe(markdown);
  });

  it("returns the metadata of a page", () => {
    const { title, properties } = htmlToMarkdown(
      '<html lang="de"><head><title> A &amp;\n B </title><meta name="Description" content="About"><meta property="article:published_time" content="2026-01-02">' +
        '<meta name="author" content="Ann"><meta property="og:site_name" content="Site"><link rel="canonical" href="https://c.example/"><svg><title>no</title></svg>',
    );
    expect([title, properties]).toEqual([
      "A & B",
      {
        title: "A & B",
        description: "About",
        author: "Ann",
        site: "Site",
        published: "2026-01-02",
        language: "de",
        address: "https://c.example/",
      },
    ]);
  });
});
