import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { decide } from "../../../test/support/policy/decide.ts";
import { grantsFor } from "../../policy/grants.ts";
import { compilePolicy } from "../../policy/rules/compile-policy.ts";
import type { ApprovalRequest } from "../../toolcrib/index.ts";
import { markSegments, quoteText, showRequest } from "./show-request.ts";

const request: ApprovalRequest = {
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
  stripVTControlCharacters(showRequest({ ...request, ...changed }, columns));

it("shows the request, its reason, and the rule that an answer would add", () => {
  expect(show({ preview: "Would delete the file notes.txt (9 bytes)." })).toBe(`
Tool   file.delete
Risk   destructive
Why    mode cautious asks before something is deleted
Rule   mode cautious
What
  | Would delete the file notes.txt (9 bytes).
Answers s and a add the rule:
  | allow delete notes.txt by file.delete
`);
});

it("shows the file and line of a rule, and the diff of an edit", () => {
  const preview = "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n";
  expect(show({ preview, rule: "ask write **", source: "/config/rules:3", grants: [] })).toBe(`
Tool   file.delete
Risk   destructive
Why    mode cautious asks before something is deleted
Rule   ask write ** (/config/rules:3)
Changes
  | --- a/a.txt
  | +++ b/a.txt
  | @@ -1,1 +1,1 @@
  | -one
  | +two
It can only be allowed once.
`);
});

it("shows the input of a tool that cannot preview its change, but no command twice", () => {
  const input = { repository: "mine", force: true, note: "\u001b[2J" };
  expect(show({ tool: "github.delete", accesses: [], input, grants: [] })).toBe(`
Tool   github.delete
Risk   destructive
Why    mode cautious asks before something is deleted
Rule   mode cautious
Input
  | {
  |   "repository": "mine",
  |   "force": true,
  |   "note": "\\u001b[2J"
  | }
It can only be allowed once.
`);
  const accesses = [{ kind: "execute", command: "make" }] as const;
  const made = { command: "make", cwd: "src", description: "Build\nInput" };
  expect(show({ accesses, input: made, grants: [] })).toContain(
    'Command\n  | make\nStated purpose\n  | Build\n  | Input\nInput\n  | {\n  |   "cwd": "src"\n  | }\n',
  );
});

it("shows a command with the segments that need approval, why, and by which rule", () => {
  const command = "npm test && git push --force | tee log";
  const rules = {
    level: "user",
    name: "/config/rules",
    text: "allow run npm test\nask run git push **\n",
  } as const;
  const decision = decide(
    {
      mode: "cautious",
      tool: { name: "shell.run", risk: "execute" },
      accesses: [{ kind: "execute", command }],
      sandbox: "bwrap",
      realPaths: new Map(),
    },
    compilePolicy([rules], { workspace: "/workspace", home: "/home/ada", own: [] }),
  );
  const { risk, record, parts, sandbox } = decision;
  const shown = show({
    tool: "shell.run",
    sandbox,
    input: { command },
    accesses: [{ kind: "execute", command }],
    risk,
    ...record,
    parts,
    grants: grantsFor(decision, { tool: { name: "shell.run" } }) ?? [],
  });
  expect(shown).toBe(`
Tool   shell.run
Risk   destructive
Why    a rule asks before this
Rule   ask run git push ** (/config/rules:2)
Runs   in the sandbox (bwrap); it can connect to no host
Command
  | npm test && git push --force | tee log
  |             ^^^^^^^^^^^^^^^^   ^^^^^^^
  - git push --force: a rule asks before this: ask run git push ** (/config/rule
    s:2)
  - tee log: mode cautious asks before commands run
Answers s and a add the rule:
  | allow run git push --force by shell.run
  | allow run tee log by shell.run
`);
});

it("shows the sandbox of a command, and the hosts it would reach", () => {
  const accesses = [{ kind: "execute", command: "make" }] as const;
  const runs = (changed: Partial<ApprovalRequest>) =>
    /^Runs {3}(.*\n(?: {7}.*\n)*)/m.exec(show({ accesses, ...changed }, 120))?.[1];
  expect([
    show({}).includes("Runs"),
    runs({ sandbox: "landlock" }),
    runs({ sandbox: "bwrap", hosts: ["*.example.com", "localhost"] }),
    runs({ sandbox: "bwrap", hosts: ["*"] }),
    runs({ sandbox: "none" }),
    runs({ sandbox: "none", unconfined: true, hosts: ["*"] }),
  ]).toEqual([
    false,
    "in the sandbox (landlock); it can connect to no host\n",
    "in the sandbox (bwrap); it can connect to *.example.com, localhost\n",
    "in the sandbox (bwrap); it can connect to every host that no rule denies\n",
    "without a sandbox: it can access every file and host that you can access\n",
    "outside the sandbox, by your rules: it can access every file and host that you can access\n",
  ]);
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
        "Allow it? (y once) ",
        "Tool   file.read",
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
      const shown = showRequest(
        {
          ...request,
          tool: `a${text}`,
          reason: text,
          rule: text,
          source: text,
          preview: columns % 2 === 0 ? text : undefined,
          grants: [text],
          sandbox: "landlock",
          hosts: [text],
          accesses: [{ kind: "execute", command: text }],
          input: { [text]: [text] },
        },
        columns,
      );
      const lines = stripVTControlCharacters(shown).split("\n");
      const ours =
        /^(Tool {3}|Risk {3}|Why {4}|Rule {3}|Runs {3}| {7}|Command$|What$|Stated purpose$|Input$|Changes$| {2}\| | {2}- |Answers s and a add the rule:$|$)/;
      expect(lines.filter((line) => !ours.test(line))).toEqual([]);
      expect(lines.filter((line) => line.startsWith("Tool")).length).toBe(1);
      // Colours are added by Toolcrib.
      expect(shown.replaceAll(colour, "")).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}]/u);
    }),
  );
});
