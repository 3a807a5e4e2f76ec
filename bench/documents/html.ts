import { readFileSync, writeFileSync } from "node:fs";
// The measured version, not the copy in a peer.
import { Parser } from "../../node_modules/htmlparser2/dist/index.js";
import { htmlToMarkdown } from "../../src/documents/formats/html/html-to-markdown.ts";
import { Random } from "../data/random.ts";
import type { DocumentCases } from "../groups/documents.ts";
import type { Contender } from "../harness.ts";
import { importPeer } from "../peers.ts";
import { documentPath, readContender } from "./read-contender.ts";

const file = "long.html";
const base = "https://example.com/docs/long.html";

export const html: DocumentCases = {
  prepare: () => writeFileSync(documentPath(file), longPage(1_000_000)),
  cases: [
    {
      name: "1 MB of HTML to Markdown",
      about:
        "An article with links, lists, tables and code among navigation. The reference only collects all text with the parser that both use; readability, linkedom and turndown find the article and write Markdown without tables.",
      rounds: 12,
      warmUpRounds: 4,
      goals: [{ measure: "cpuMs", timesReference: 4 }],
      contenders: {
        "htmlparser2, text only": () => onPage(collectText),
        toolcrib: () => onPage((page) => htmlToMarkdown(page, { base }).markdown),
        "readability + turndown": async () => onPage(await readableMarkdown()),
      },
    },
    {
      name: "document.read of 1 MB of HTML",
      about: "The same with a warm room: read, handed to the host, and as much of it shown as is asked for.",
      rounds: 12,
      warmUpRounds: 4,
      goals: [],
      contenders: {
        "htmlparser2, text only": () => onPage(collectText),
        toolcrib: () => readContender(file),
      },
    },
  ],
};

/** Returns the number of words. */
function onPage(read: (page: string) => string): Contender {
  return { run: () => read(readFileSync(documentPath(file), "utf8")).match(/\w+/g)!.length };
}

function collectText(page: string): string {
  let text = "";
  const parser = new Parser({
    ontext: (piece) => {
      text += piece;
    },
  });
  parser.write(page);
  parser.end();
  return text;
}

async function readableMarkdown(): Promise<(page: string) => string> {
  const { Readability } = await importPeer("@mozilla/readability", "index.js");
  const { parseHTML } = await importPeer("linkedom", "esm/index.js");
  const { default: TurndownService } = await importPeer("turndown", "lib/turndown.cjs.js");
  return (page) => {
    const { document } = parseHTML(page);
    return new TurndownService().turndown(new Readability(document).parse().content);
  };
}

function longPage(length: number): string {
  const random = new Random(7);
  const word = () => random.pick(words);
  const oneIn = (count: number) => random.below(count) === 0;
  const marked = () => {
    if (oneIn(25)) return `<a href="/wiki/${word()}?page=${random.below(1000)}">${word()}</a>`;
    if (oneIn(40)) return `<code>${word()}_${word()}()</code>`;
    return oneIn(40) ? `<b>${word()}</b>` : word();
  };
  const times = (count: number, make: () => string) => Array.from({ length: count }, make).join("");
  const sentence = () => `${Array.from({ length: 12 }, marked).join(" ")}${oneIn(10) ? " &amp; more" : ""}. `;
  const section = () =>
    `<div class="section"><h2>${word()}</h2>\n${times(5, () => `<p>${times(4, sentence)}</p>\n`)}` +
    `<ul>${times(6, () => `<li>${sentence()}</li>\n`)}</ul><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>` +
    `${times(8, () => `<tr><td>${word()}</td><td>${sentence()}</td></tr>`)}</tbody></table>` +
    `<pre><code class="language-js">if (${word()} &lt; 3) {\n  ${word()}();\n}\n</code></pre></div>\n`;
  const links = times(60, () => `<li><a href="/${word()}">${word()}</a></li>`);
  let page = `<!doctype html><html lang="en"><head><title>Long</title></head><body><nav><ul>${links}</ul></nav><main><h1>Long</h1>`;
  while (page.length < length) page += section();
  return `${page}</main><footer>${links}</footer></body></html>`;
}

const words =
  "the quick brown fox jumps over a lazy dog while engineers measure what matters and write it down before lunch".split(
    " ",
  );
