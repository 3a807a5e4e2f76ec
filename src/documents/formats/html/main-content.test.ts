import { describe, expect, it } from "vitest";
import { htmlToMarkdown } from "./html-to-markdown.ts";

const prose =
  "A paragraph that says something, in more than a few words, so that nobody would take it for a label of a button.";
const links = '<ul><li><a href="/a">Home</a><li><a href="/b">About</a></ul>';

function shown(html: string, whole = false): string {
  return htmlToMarkdown(html, { whole }).markdown;
}

describe("the main content of a page", () => {
  it("excludes navigation and other surroundings", () => {
    const page =
      `<body><a class="skip-link" href="#main">Skip</a><header>Site ${links}</header><nav>${links}</nav>` +
      `<div id="cookie-consent">We use cookies. <button>Accept</button></div><aside class="ads">Buy!</aside>` +
      `<main><div class="breadcrumbs"><a href="/">Home</a></div><h1>Title</h1><p>${prose}</p>` +
      `<div class="share-buttons"><a href="/t">Share</a></div><form><input name="q"><button>Go</button> Find</form></main>` +
      `<div class="sidebar">${links}</div><footer>© Somebody</footer></body>`;
    expect(shown(page)).toBe(`# Title\n\n${prose}`);
    expect(shown(page, true)).toBe(
      [
        "[Skip](#main)",
        "Site",
        "- [Home](/a)\n- [About](/b)",
        "- [Home](/a)\n- [About](/b)",
        "We use cookies. Accept",
        "Buy!",
        "[Home](/)",
        "# Title",
        prose,
        "[Share](/t)",
        "Go Find",
        "- [Home](/a)\n- [About](/b)",
        "© Somebody",
      ].join("\n\n"),
    );
  });

  it.each([
    [
      "a column among link lists",
      `<table><tr><td>${links}<td><p>${prose}<p>${prose}</table>`,
      `- [Home](/a)\n- [About](/b)\n\n${prose}\n\n${prose}`,
    ],
    [
      "all articles of a list",
      `<article><h2>A</h2>${prose}</article><article><h2>B</h2>${prose}</article>`,
      `## A\n\n${prose}\n\n## B\n\n${prose}`,
    ],
    [
      "a heading before it",
      `<header><h1>T</h1>${links}</header><article><p>${prose}${prose}</p></article>`,
      `# T\n\n${prose}${prose}`,
    ],
    [
      "notes inside it",
      `<article><p>${prose}<aside class="note">${prose}</aside></article>`,
      `${prose}\n\n${prose}`,
    ],
    ["a page in a form", `<form><h1>T</h1><p>${prose}${prose}</p></form>`, `# T\n\n${prose}${prose}`],
    [
      "a frame that names its bars",
      `<div class="has-sidebar layout"><p>${`${prose} `.repeat(5)}</div>`,
      `${prose} `.repeat(5).trim(),
    ],
    [
      "sections named after their headings",
      `<main><section id="cookies"><h2>Cookies</h2>Short</section><div class="section" id="menu"><h2>Menu</h2>Bar</div></main>`,
      "## Cookies\n\nShort\n\n## Menu\n\nBar",
    ],
    [
      "headings that are buttons",
      `<main><h3><button>Why?</button></h3><p>${prose}</main>`,
      `### Why?\n\n${prose}`,
    ],
    ["a list of links when there is nothing else", `<body>${links}</body>`, "- [Home](/a)\n- [About](/b)"],
    ["navigation when there is nothing else", `<nav>${links}</nav>`, "- [Home](/a)\n- [About](/b)"],
    [
      "hidden content when there is nothing else",
      "<body><div hidden>Only this</div><noscript>Scripts, please</noscript>",
      "Only this\n\nScripts, please",
    ],
  ])("keeps %s", (_what, page, markdown) => {
    expect(shown(page)).toBe(markdown);
  });

  it("reports how much was left out", () => {
    const leftOut = (html: string, whole = false) => htmlToMarkdown(html, { whole }).leftOut;
    const page = `<nav>12345</nav><main>${prose}</main>`;
    expect([leftOut(page), leftOut(page, true), leftOut(prose)]).toEqual([5, 0, 0]);
  });
});
