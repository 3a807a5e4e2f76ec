import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { decide } from "../../../test/support/policy/decide.ts";
import { approvalView } from "../../engine/approvals/approval-view.ts";
import { grantWidths } from "../../policy/grants.ts";
import { compilePolicy } from "../../policy/rules/compile-policy.ts";
import type { ApprovalRequest } from "../../toolcrib/index.ts";
import { explainRequest, markSegments, quoteText, showChoices, showRequest } from "./show-request.ts";

const request: ApprovalRequest = {
  id: "abc234",
  callId: "call_1",
  tool: "file.delete",
  input: { path: "notes.txt" },
  accesses: [{ kind: "delete", path: "notes.txt" }],
  risk: "destructive",
  reason: "mode cautious asks before something is deleted",
  rule: "mode cautious",
  source: "mode cautious",
  parts: [],
  preview: undefined,
  grants: ["allow delete notes.txt by file.delete"],
  widths: [{ rules: ["allow delete notes.txt by file.delete"], words: "delete notes.txt" }],
  directory: "/workspace",
  environment: "0",
  sandbox: "none",
  unconfined: false,
  hosts: [],
  hash: "0",
  previewHash: "0",
};

const colour = new RegExp(`${"\u001b"}\\[\\d+m`, "g");

const show = (changed: Partial<ApprovalRequest>, columns = 80) =>
  stripVTControlCharacters(showRequest(approvalView({ ...request, ...changed }), columns));
const explain = (changed: Partial<ApprovalRequest>, columns = 80) =>
  stripVTControlCharacters(explainRequest(approvalView({ ...request, ...changed }), columns));

/** A request about a command, decided by some rules. */
function about(command: string, text = "", agent?: string): ApprovalRequest {
  const decision = decide(
    {
      mode: "safe",
      tool: { name: "shell.run", risk: "execute" },
      accesses: [{ kind: "execute", command }],
      sandbox: "bwrap",
      realPaths: new Map(),
    },
    compilePolicy([{ level: "user", name: "/config/rules", text }], {
      workspace: "/workspace",
      home: "/home/ada",
      own: [],
    }),
  );
  const widths = grantWidths(decision, { tool: { name: "shell.run" } });
  return {
    ...request,
    ...decision.record,
    ...(agent !== undefined && { agent }),
    tool: "shell.run",
    input: { command },
    accesses: [{ kind: "execute", command }],
    risk: decision.risk,
    sandbox: decision.sandbox,
    parts: decision.parts,
    grants: widths[0]?.rules ?? [],
    widths,
  };
}

it.each([60, 80, 120])("asks an ordinary question in at most nine lines of %i columns", (columns) => {
  const asked = approvalView(about("npm test -- --watch", "", "agent_1"));
  const shown = stripVTControlCharacters(showRequest(asked, columns));
  const lines = [...shown.trim().split("\n"), ...showChoices(asked, columns).split("\n")];
  expect(lines.slice(0, 5)).toEqual([
    "Allow  shell.run, for agent_1?",
    "  | npm test -- --watch",
    "Why    mode safe asks before commands run",
    "Runs   in the sandbox (bwrap); it asks before it connects",
    "s, a   run exactly: npm test -- --watch",
  ]);
  expect(lines.length).toBeLessThanOrEqual(columns === 60 ? 9 : 7);
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
  expect(lines.slice(5).join(" ").replaceAll(/ +/g, " ")).toBe(
    "2 run npm test with any further arguments [y]es once [s]ession [a]lways [2] always [n]o [e]xplain",
  );
});

it("shows the parts of a command that ask, and the first lines of a long diff", () => {
  expect(show(about("npm test && git push", "allow run npm test\nask run git push **"))).toBe(`
Allow  shell.run?
  | npm test && git push
  |             ^^^^^^^^
Why    a rule asks before this (ask run git push **, /config/rules:2)
Runs   in the sandbox (bwrap); it asks before it connects
`);
  const preview = `--- a/a\n+++ b/a\n@@ -0,0 +1,200 @@\n${"+x\n".repeat(200)}`;
  const lines = show({ preview }).split("\n");
  expect([lines.length, lines.at(-3)]).toEqual([17, "  … 191 more lines (e shows all)"]);
  expect(explain({ preview }).match(/^ {2}\| \+x$/gm)).toHaveLength(200);
});

it("shows how the definition of a server's tool has changed", () => {
  const definitionChange = '@@ -1 +1 @@\n-description: "Sends."\n+description: "\u001b[2JSends and reads."\n';
  const lines = [
    "  | Changed definition:",
    "  | @@ -1 +1 @@",
    '  | -description: "Sends."',
    '  | +description: "\\u{1b}[2JSends and reads."',
    "",
  ].join("\n");
  const preview = "Calls send of the MCP server mail with:\n{}";
  expect([show({ definitionChange, preview }), explain({ definitionChange, preview })]).toEqual([
    expect.stringContaining(lines),
    expect.stringContaining(lines),
  ]);
});

it("never cuts a command, and shows rules below the keys that add them", () => {
  const long = `echo ${"a".repeat(10_000)} && rm -rf x`;
  const shown = show(about(long), 60);
  expect(shown.replaceAll(/\n {2}\| (?! *\^)/g, "").replaceAll(/\n {2}\| [ ^]+/g, "")).toContain(long);
  const tricky = approvalView(about("make '[y]es once  [n]o'"));
  expect(showChoices(tricky, 80)).toBe(
    `s, a   run exactly: make '[y]es once  [n]o'
2      run make '[y]es once  [n]o' with any further arguments
[y]es once  [s]ession  [a]lways  [2] always  [n]o  [e]xplain`,
  );
  expect(show(about("make a\nWhy    trust me\u202e\u200b"))).toContain(
    "  | make a\n  | ^^^^^^\n  | Why    trust me\\u{202e}\\u{200b}\n",
  );
});

it("explains the request, its reason, and the rules that each answer would add", () => {
  expect(explain({ preview: "Would delete the file notes.txt (9 bytes)." })).toBe(`
Allow  file.delete?
Risk   destructive
What
  | Would delete the file notes.txt (9 bytes).
Would  delete notes.txt
Why    mode cautious asks before something is deleted
Answer s: Until this session ends, file.delete may delete notes.txt. It
       adds:
  | allow delete notes.txt by file.delete
Answer a: In this folder from now on, file.delete may delete notes.txt.
       It adds:
  | allow delete notes.txt by file.delete
Answer m refuses with a message to the model.
`);
});

it("shows the file and line of a rule, and the diff of an edit", () => {
  const preview = "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n";
  expect(explain({ preview, rule: "ask write **", source: "/config/rules:3", grants: [] })).toBe(`
Allow  file.delete?
Risk   destructive
Changes
  | --- a/a.txt
  | +++ b/a.txt
  | @@ -1,1 +1,1 @@
  | -one
  | +two
Would  delete notes.txt
Why    mode cautious asks before something is deleted (ask write **,
       /config/rules:3)
It can only be allowed once.
Answer m refuses with a message to the model.
`);
});

it("shows the input of a tool that cannot preview its change, but no command twice", () => {
  const input = { repository: "mine", force: true, note: "\u001b[2J" };
  expect(explain({ tool: "github.delete", accesses: [], input, grants: [] })).toBe(`
Allow  github.delete?
Risk   destructive
Input
  | {"repository":"mine","force":true,"note":"\\u001b[2J"}
Why    mode cautious asks before something is deleted
It can only be allowed once.
Answer m refuses with a message to the model.
`);
  const accesses = [{ kind: "execute", command: "make" }] as const;
  const made = { command: "make", cwd: "src", description: "Build\nInput" };
  expect(explain({ accesses, input: made, grants: [] })).toContain(
    'Command\n  | make\nInput\n  | {"cwd":"src"}\nPurpose\n  | Build\n  | Input\n',
  );
});

it("shows a command with the segments that need approval, why, and by which rule", () => {
  const command = "npm test && git push --force | tee log";
  const shown = stripVTControlCharacters(
    explainRequest(approvalView(about(command, "allow run npm test\nask run git push **\n")), 80),
  );
  expect(shown).toBe(`
Allow  shell.run?
Risk   destructive
Command
  | npm test && git push --force | tee log
  |             ^^^^^^^^^^^^^^^^   ^^^^^^^
Why    git push --force: a rule asks before this (ask run git push **,
       /config/rules:2)
Why    tee log: mode safe asks before commands run
Why    log: mode safe asks before writing
Runs   in the sandbox (bwrap); it asks before it connects
Answer s: Until this session ends, shell.run may run exactly: git push
       --force; run exactly: tee log; write /workspace/log. It adds:
  | allow run git push --force by shell.run
  | allow run tee log by shell.run
  | allow write /workspace/log by shell.run
Answer a: In this folder from now on, shell.run may run exactly: git push
       --force; run exactly: tee log; write /workspace/log. It adds:
  | allow run git push --force by shell.run
  | allow run tee log by shell.run
  | allow write /workspace/log by shell.run
Answer 2: In this folder from now on, shell.run may run exactly: git push
       --force; run tee with any further arguments; write /workspace/log. It
       adds:
  | allow run git push --force by shell.run
  | allow run tee ** by shell.run
  | allow write /workspace/log by shell.run
Answer m refuses with a message to the model.
`);
});

it("marks segments of a command across lines and wide characters", () => {
  const command = "npm test &&\n\techo 日本 é | git push --force";
  const spans = ["echo 日本 é", "git push --force"].map((part) => {
    const start = command.indexOf(part);
    return { start, end: start + part.length };
  });
  expect(markSegments(command, spans, 80)).toEqual([
    "  | npm test &&",
    "  |     echo 日本 é | git push --force",
    "  |     ^^^^^^^^^^^   ^^^^^^^^^^^^^^^^",
  ]);
});

it("wraps long lines itself, and marks every part", () => {
  expect(quoteText("0123456789\tabc\n", 14)).toEqual(["  | 0123456789", "  |     abc"]);
  expect(markSegments("0123456789abc", [{ start: 8, end: 12 }], 14)).toEqual([
    "  | 0123456789",
    "  |         ^^",
    "  | abc",
    "  | ^^",
  ]);
});

it("lets no file name, command, rule or diff fake a line of the prompt or control the terminal", () => {
  const evil = fc
    .array(
      fc.constantFrom(
        "\u001b[2J",
        "\u001b]52;c;eA==\u0007",
        "\u202e",
        "\r",
        "\n",
        " ".repeat(60),
        "[y]es once ",
        "Allow  file.read?",
        "\u009b1A",
        "x",
        "\u2028",
        "日",
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(evil, fc.integer({ min: 30, max: 120 }), (text, columns) => {
      const evilRequest = {
        ...request,
        tool: `a${text}`,
        reason: text,
        rule: text,
        source: text,
        preview: columns % 2 === 0 ? text : undefined,
        grants: [text],
        widths: [{ rules: [text], words: text }],
        server: columns % 3 === 0 ? text : undefined,
        agent: text,
        target: text,
        client: { kind: "mcp", name: text, version: text } as const,
        sandbox: "landlock" as const,
        hosts: [text],
        accesses: [{ kind: "execute" as const, command: text }],
        input: { [text]: [text] },
      };
      const view = approvalView(evilRequest);
      const shown = `${showRequest(view, columns)}${explainRequest(view, columns)}${showChoices(view, columns)}`;
      const lines = stripVTControlCharacters(shown).split("\n");
      const ours =
        /^(Allow {2}|Risk {3}|Why {4}|Would {2}|Runs {3}|Beware | {7}|Command$|What$|Purpose$|Input$|Changes$| {2}\| | {2}… \d+ more lines|Answer [sam]|s, a {3}|\[y\]es once|\[s\]ession|\[a\]lways|\[n\]o|\[e\]xplain|$)/;
      expect(lines.filter((line) => !ours.test(line))).toEqual([]);
      expect(lines.filter((line) => line.startsWith("Allow  ")).length).toBe(2);
      // Colours are added by Toolcrib.
      expect(shown.replaceAll(colour, "")).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}]/u);
    }),
  );
});

it("breaks sentences between words", () => {
  const long = { reason: "mode cautious asks before files are deleted, and this one is not recorded" };
  expect(explain(long, 60)).toContain(
    "\nWhy    mode cautious asks before files are deleted, and this\n       one is not recorded\n",
  );
});
