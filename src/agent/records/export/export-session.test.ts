import { describe, expect, it } from "vitest";
import {
  answer,
  call,
  kept,
  reply,
  start,
  turnEnd,
  user,
} from "../../../../test/support/session-records/entries.ts";
import { exportSession } from "./export-session.ts";

const secret = ["ghp", "Zk3vQ9pLx7Tn2RbW8mYc4HdJ6sFg1AeU5iXo"].join("_");
const password = "Winter2024!";
const steering = ["\u001b", "\u0007", "\u202e"];
const evil = [
  "</pre></details></script><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "```\n# Not a heading of ours\n````\n~~~",
  "\u001b[2J\u202egpj.exe\u0007",
  "[x](javascript:alert(1)) ![x](http://example.com/beacon.png)",
].join("\n");

const entries = kept([
  start,
  user(1, "Make a file"),
  reply("I write it.", call("a", { path: "a.txt", content: "one\ntwo\n", count: 2 })),
  answer("a", "@@ -1 +1 @@\n-one\n+two\n same"),
  reply("Done."),
  turnEnd(1, { outcome: "failed", error: { code: "auth", message: "No key", hint: null } }),
]);

describe("an exported session", () => {
  it("has one entry per line as JSONL, complete", () => {
    const lines = exportSession("session_a", entries, "jsonl").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      entries.map((entry) => ({ session: "session_a", ...entry })),
    );
  });

  it("is readable as Markdown", () => {
    expect(exportSession("session_a", entries, "markdown")).toMatchInlineSnapshot(`
      "# Session \`session_a\`

      - Started: 1970-01-01T00:00:00.000Z
      - Model: \`openai/gpt-5\`
      - Dialect: \`codex\`
      - Workspace: \`/work\`

      ## Turn 1

      1970-01-01T00:00:01.000Z

      ### User

      > Make a file

      ### \`openai/gpt-5\`

      > I write it.

      ### Call of \`file_write\`

      - \`path\`: \`a.txt\`

      - \`content\`:

      \`\`\`text
      one
      two
      \`\`\`

      - \`count\`: \`2\`

      Answer:

      \`\`\`text
      @@ -1 +1 @@
      -one
      +two
       same
      \`\`\`

      ### \`openai/gpt-5\`

      > Done.

      > The turn ended: failed: No key.
      "
    `);
  });

  it("is readable as HTML", () => {
    const html = exportSession("session_a", entries, "html");
    expect(html.slice(html.indexOf("<body>"))).toMatchInlineSnapshot(`
      "<body>
      <header>
      <h1>Session session_a</h1>
      <dl>
      <div><dt>Started</dt><dd><time datetime="1970-01-01T00:00:00.000Z">1970-01-01 00:00:00 UTC</time></dd></div>
      <div><dt>Model</dt><dd>openai/gpt-5</dd></div>
      <div><dt>Dialect</dt><dd>codex</dd></div>
      <div><dt>Workspace</dt><dd>/work</dd></div>
      </dl>
      </header>
      <main>
      <section aria-labelledby="turn-1">
      <h2 id="turn-1">Turn 1 <small><time datetime="1970-01-01T00:00:01.000Z">1970-01-01 00:00:01 UTC</time></small></h2>
      <article class="user"><h3>User</h3>
      <div class="text">Make a file</div>
      </article>
      <article class="model"><h3>openai/gpt-5</h3>
      <div class="text">I write it.</div>
      </article>
      <details class="call"><summary><h3><code>file_write</code></h3> <span>a.txt</span> <em>done</em></summary>
      <dl>
      <div><dt>path</dt><dd><pre>
      a.txt</pre></dd></div>
      <div><dt>content</dt><dd><pre>
      one
      two
      </pre></dd></div>
      <div><dt>count</dt><dd><pre>
      2</pre></dd></div>
      </dl>
      <h4>Answer</h4>
      <pre class="diff">
      <b>@@ -1 +1 @@</b>
      <del>-one</del>
      <ins>+two</ins>
       same</pre>
      </details>
      <article class="model"><h3>openai/gpt-5</h3>
      <div class="text">Done.</div>
      </article>
      <p class="note">The turn ended: failed: No key.</p>
      </section>
      </main>
      </body>
      </html>
      "
    `);
  });

  it("cannot break out of the HTML with any content", () => {
    const html = exportSession("session_a", hostile(evil), "html");
    const tags = new Set(html.match(/<\/?[a-z][^\s>]*/gi));
    expect([...tags].filter((tag) => /script|img|iframe|svg|link|object/i.test(tag))).toEqual([]);
    expect(steering.some((character) => html.includes(character))).toBe(false);
    expect(html.match(/<(section|main|body|html|head|style|article|pre)\b/g)).toEqual(
      exportSession("session_a", hostile("harmless\n"), "html").match(
        /<(section|main|body|html|head|style|article|pre)\b/g,
      ),
    );
    expect(/\bon\w+=|src=|href=/.test(html.replace(/&quot;|&#39;|&lt;[^&]*/g, ""))).toBe(false);
  });

  it("cannot break out of the Markdown with any content", () => {
    const markdown = exportSession("session_a", hostile(evil), "markdown");
    expect(steering.some((character) => markdown.includes(character))).toBe(false);
    expect(outsideOfFences(markdown)).toEqual(
      outsideOfFences(exportSession("session_a", hostile("<b>harmless</b>\n"), "markdown")),
    );
  });

  it("quotes harmless Markdown of a model as Markdown", () => {
    const markdown = exportSession(
      "session_a",
      kept([start, user(1, "hi"), reply("# Big\n```\nopen")]),
      "markdown",
    );
    expect(markdown.slice(markdown.indexOf("### `openai"))).toBe(
      "### `openai/gpt-5`\n\n> # Big\n> ```\n> open\n",
    );
  });

  it.each(["jsonl", "markdown", "html"] as const)(
    "leaves secrets out of %s unless they are requested",
    (format) => {
      const exported = kept([
        start,
        user(1, `my token is ${secret}`),
        reply(secret, call("a", { password, text: secret })),
        answer("a", secret),
      ]);
      const found = (text: string) => [text.includes(secret), text.includes(password)];
      expect([
        found(exportSession("session_a", exported, format)),
        found(exportSession("session_a", exported, format, { withSecrets: true })),
      ]).toEqual([
        [false, false],
        [true, true],
      ]);
    },
  );

  it("notes damaged entries and a missing beginning", () => {
    const markdown = exportSession("session_a", kept([{ kind: "?" }, user(3, "go on")]), "markdown");
    expect(markdown.split("\n").filter((line) => /^(>|#|- Model)/.test(line))).toEqual([
      "# Session `session_a`",
      "- Model: `unknown`",
      "## Before the first turn",
      "> Entry 1 is damaged.",
      "## Turn 3",
      "### User",
      "> go on",
    ]);
  });

  it("shows only valid images", () => {
    const image = { mediaType: "image/png", base64: "aGk=" };
    const odd = { mediaType: 'image/svg+xml"><script>', base64: "x" };
    const exported = kept([
      start,
      reply("", call("a")),
      { kind: "answer", callId: null, answer: { ...answer("a").answer, images: [image, odd] } },
    ]);
    const html = exportSession("session_a", exported, "html");
    expect(html.match(/<img[^>]*>|<p>[^<]*omitted[^<]*<\/p>/g)).toEqual([
      '<img alt="An image" src="data:image/png;base64,aGk=">',
      "<p>(image omitted)</p>",
    ]);
  });
});

/** The same text in every field with foreign content. */
function hostile(text: string) {
  return kept([
    { ...start, model: text, workspace: text, parent: { session: text, turn: 1 } },
    user(1, text),
    { ...reply(text, call("a", { [text]: text }, text)) },
    answer("a", text),
    { kind: "change", model: text },
    turnEnd(1, { outcome: "failed", error: { code: "auth", message: text, hint: null } }),
  ]);
}

/** The lines outside code fences, as a Markdown renderer sees them; inline code is replaced. */
function outsideOfFences(markdown: string): readonly string[] {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const [marks] = /^`{3,}/.exec(line) ?? [];
    if (fence !== undefined) {
      if (line === fence) fence = undefined;
    } else if (marks !== undefined) fence = marks;
    else lines.push(line.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, "CODE"));
  }
  expect(fence).toBeUndefined();
  return lines;
}
