import type { ToolImage } from "../../../contract/tool.ts";
import { escapeHtml as safe } from "../../../lib/text/escape-html.ts";
import {
  factsOf,
  headings,
  type Transcript,
  type TranscriptCall,
  type TranscriptItem,
  type TranscriptTurn,
} from "./transcript.ts";

/** Returns one self-contained file without scripts, for light and dark screens and for screen readers. */
export function toHtml(transcript: Transcript): string {
  const { session, startedAt, turns } = transcript;
  const facts = [["Started", time(startedAt)], ...factsOf(transcript, safe)];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Session ${safe(session)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Session ${safe(session)}</h1>
<dl>
${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("\n")}
</dl>
</header>
<main>
${turns.map(showTurn).join("\n")}
</main>
</body>
</html>
`;
}

function showTurn({ number, startedAt, items }: TranscriptTurn): string {
  const id = `turn-${number}`;
  const heading = number === 0 ? "Before the first turn" : `Turn ${number}`;
  return `<section aria-labelledby="${id}">
<h2 id="${id}">${heading} <small>${time(startedAt)}</small></h2>
${items.map(show).join("\n")}
</section>`;
}

function show(item: TranscriptItem): string {
  switch (item.kind) {
    case "user":
      return block(item.source === "notice" ? "notice" : "user", headings[item.source], item);
    case "text":
      return block("model", safe(item.model), item);
    case "reasoning":
      return `<details class="reasoning"><summary><h3>Reasoning</h3></summary>\n${paragraph(item.text)}\n</details>`;
    case "note":
      return `<p class="note">${safe(item.text)}</p>`;
    case "call":
      return showCall(item);
  }
}

function block(
  kind: string,
  heading: string,
  { text, images = [] }: { readonly text: string; readonly images?: readonly ToolImage[] },
): string {
  return `<article class="${kind}"><h3>${heading}</h3>\n${paragraph(text)}${images.map(showImage).join("")}\n</article>`;
}

function showCall({ name, arguments: fields, answer }: TranscriptCall): string {
  const state = answer === undefined ? "no answer" : answer.isError ? "failed" : "done";
  const about = fields.find(({ text }) => text !== "" && !text.includes("\n"))?.text.slice(0, 120) ?? "";
  const given = fields
    .map(({ name, text }) => `<div><dt>${safe(name)}</dt><dd>${pre(text)}</dd></div>`)
    .join("\n");
  return `<details class="${answer?.isError === false ? "call" : "call failed"}"><summary><h3><code>${safe(name)}</code></h3> <span>${safe(about)}</span> <em>${state}</em></summary>
<dl>
${given}
</dl>
${answer === undefined ? "" : `<h4>Answer</h4>\n${pre(answer.text)}${answer.images.map(showImage).join("")}`}
</details>`;
}

function paragraph(text: string): string {
  return `<div class="text">${safe(text)}</div>`;
}

/** Starts with a line break, which browsers drop. Marks the lines of a diff by elements, not only by colours. */
function pre(text: string): string {
  if (!isDiff(text)) return `<pre>\n${safe(text)}</pre>`;
  const lines = text.split("\n").map((line) => {
    if (/^(\+\+\+|---|\*\*\*|@@)/.test(line)) return `<b>${safe(line)}</b>`;
    if (line.startsWith("+")) return `<ins>${safe(line)}</ins>`;
    if (line.startsWith("-")) return `<del>${safe(line)}</del>`;
    return safe(line);
  });
  return `<pre class="diff">\n${lines.join("\n")}</pre>`;
}

function isDiff(text: string): boolean {
  return /^@@/m.test(text) || /^\*\*\* Begin Patch/m.test(text);
}

function showImage({ mediaType, base64 }: ToolImage): string {
  const isSafe = /^image\/(png|jpeg|gif|webp)$/.test(mediaType) && /^[A-Za-z0-9+/=\s]*$/.test(base64);
  return isSafe ? `<img alt="An image" src="data:${mediaType};base64,${base64}">` : "<p>(image omitted)</p>";
}

function time(at: number): string {
  const text = new Date(at).toISOString();
  return `<time datetime="${text}">${text.slice(0, 19).replace("T", " ")} UTC</time>`;
}

/** Contrasts are at least 4.5 : 1 in both colour schemes. */
const style = `
:root { color-scheme: light dark; --text: #1b1b1b; --page: #ffffff; --soft: #f3f4f6; --line: #c6cad1; --dim: #555b66;
  --add: #0b5a1e; --add-page: #e2f5e6; --remove: #8f1414; --remove-page: #fbe7e7; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --page: #16181c; --soft: #202329; --line: #434956; --dim: #a6adba;
    --add: #8fdca0; --add-page: #12301b; --remove: #f3a5a5; --remove-page: #3a1717; }
}
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; border-bottom: 1px solid var(--line); margin-top: 2rem; }
h3, h4 { font-size: 0.9rem; margin: 0.2rem 0; display: inline-block; }
h4 { display: block; }
small, em, .note, dt { color: var(--dim); font-style: normal; font-weight: normal; font-size: 0.85rem; }
dl { margin: 0.5rem 0; }
dl div { margin: 0.2rem 0; }
dt { display: inline; margin-right: 0.5rem; }
dd { display: inline; margin: 0; overflow-wrap: anywhere; }
article, details { border: 1px solid var(--line); border-radius: 0.4rem; margin: 0.6rem 0; padding: 0.4rem 0.8rem; }
article.user, article.notice { background: var(--soft); }
details.failed > summary em { color: var(--remove); }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary:focus-visible { outline: 2px solid currentColor; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
pre, code { font-family: ui-monospace, monospace; font-size: 0.85rem; }
pre { background: var(--soft); margin: 0.3rem 0; padding: 0.5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
ins, del { text-decoration: none; }
ins { color: var(--add); background: var(--add-page); }
del { color: var(--remove); background: var(--remove-page); }
img { max-width: 100%; }
@media print { details { break-inside: avoid; } }
`;
