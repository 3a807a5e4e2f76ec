import { expect, it } from "vitest";
import { rules } from "../../../test/support/policy/decide.ts";
import { ToolError } from "../../contract/error.ts";
import { parseRules } from "./parse-rules.ts";
import { parsedBuiltInRules } from "./parsed-built-in-rules.ts";

const parsed = (text: string) =>
  parseRules(rules(text)).rules.map(({ effect, about, by, because, origin }) => ({
    effect,
    kind: about.kind,
    by: by?.name.text,
    because,
    line: origin.line,
    text: origin.text,
  }));

it("reads one rule per line, and skips comments and blank lines", () => {
  const text = `
# what may run
allow run npm test       # and nothing else
	deny  write  "my files/**"  because "they are mine"

secret .env   # all of them`;
  expect(parsed(text)).toEqual([
    { effect: "allow", kind: "run", by: undefined, because: undefined, line: 3, text: "allow run npm test" },
    {
      effect: "deny",
      kind: "path",
      by: undefined,
      because: "they are mine",
      line: 4,
      text: 'deny  write  "my files/**"  because "they are mine"',
    },
    { effect: "secret", kind: "path", by: undefined, because: undefined, line: 6, text: "secret .env" },
  ]);
});

it("splits a line that names several things into several rules", () => {
  const text =
    'ask write a/** b by edit.* because "look first"\ndeny use x y of github\nallow connect a.example *.b.example';
  expect(parsed(text).map((rule) => [rule.text, rule.by, rule.because])).toEqual([
    ['ask write a/** by edit.* because "look first"', "edit.*", "look first"],
    ['ask write b by edit.* because "look first"', "edit.*", "look first"],
    ["deny use x of github", undefined, undefined],
    ["deny use y of github", undefined, undefined],
    ["allow connect a.example", undefined, undefined],
    ["allow connect *.b.example", undefined, undefined],
  ]);
});

it("takes quoted words literally, not as wildcards or keywords", () => {
  const [rule] = parseRules(rules(String.raw`allow run grep 'a * b' "say \"hi\"" \* x* 'by' you`)).rules;
  const words = rule!.about.kind === "run" ? rule!.about.words : [];
  expect([rule!.by, words.map(({ literal }) => literal)]).toEqual([
    undefined,
    ["grep", "a * b", 'say "hi"', "*", undefined, "by", "you"],
  ]);
});

it("supports no wildcard in commands but the star", () => {
  const [rule] = parseRules(rules("allow run find . -name [a]?{b,c} -exec rm {} +")).rules;
  const words = rule!.about.kind === "run" ? rule!.about.words : [];
  expect(words.map(({ literal }) => literal)).toEqual("find . -name [a]?{b,c} -exec rm {} +".split(" "));
});

it("reads examples, and takes the rest of the line as the command", () => {
  const text = `expect deny run git status && rm -rf '/' # gone
expect ask in safe write "a b.txt"
expect allow connect docs.example
expect allow in yolo use delete_repo of github`;
  const origin = (line: number, shown: string) => ({ level: "user", name: "rules", line, text: shown });
  expect(parseRules(rules(text)).examples).toEqual([
    {
      verdict: "deny",
      mode: "cautious",
      tool: { name: "shell.run", risk: "execute" },
      accesses: [{ kind: "execute", command: "git status && rm -rf '/' # gone" }],
      origin: origin(1, "expect deny run git status && rm -rf '/' # gone"),
    },
    {
      verdict: "ask",
      mode: "safe",
      tool: { name: "file.write", risk: "write" },
      accesses: [{ kind: "write", path: "a b.txt" }],
      origin: origin(2, 'expect ask in safe write "a b.txt"'),
    },
    {
      verdict: "allow",
      mode: "cautious",
      tool: { name: "web.fetch", risk: "network" },
      accesses: [{ kind: "network", host: "docs.example" }],
      origin: origin(3, "expect allow connect docs.example"),
    },
    {
      verdict: "allow",
      mode: "yolo",
      tool: { name: "delete_repo", server: "github", risk: "execute" },
      accesses: [],
      origin: origin(4, "expect allow in yolo use delete_repo of github"),
    },
  ]);
});

it("ignores lines that would loosen in a file that may only tighten", () => {
  const source = {
    ...rules("allow run **\nopen .env\ndeny run rm\nask use x\nsecret y\nprotected z"),
    onlyTightens: true as const,
  };
  const { rules: counted, ignored } = parseRules(source);
  expect([counted.map(({ effect }) => effect), ignored.map(({ line, text }) => [line, text])]).toEqual([
    ["deny", "ask", "secret", "protected"],
    [
      [1, "allow run **"],
      [2, "open .env"],
    ],
  ]);
});

const faults: readonly (readonly [line: string, message: string, column: number, hint: string])[] = [
  [
    "permit run x",
    'unexpected "permit"',
    1,
    "Begin the rule with allow, ask, deny, secret, protected, open, unconfined, variables, pass, limit or expect.",
  ],
  [
    "allow",
    "the rule is incomplete",
    6,
    "After allow, write one of: run, read, write, delete, touch, connect, use.",
  ],
  [
    "allow runs x",
    'unexpected "runs"',
    7,
    "After allow, write one of: run, read, write, delete, touch, connect, use.",
  ],
  ["  deny write", "the rule is incomplete", 13, "Add a path after write."],
  ["secret  # nothing", "the rule is incomplete", 18, "Add a path after secret."],
  ["deny run 'rm", "unclosed quote", 10, "Close it with '."],
  ["deny run rm\\", "trailing backslash", 12, 'Write "\\\\" for a backslash.'],
  [
    "allow run @all",
    'unexpected "@all"',
    11,
    "Use @read, @write, @execute, @network, @destructive, or quote the name of a program.",
  ],
  ["allow run @read ls", 'unexpected "ls"', 17, "Remove the words after @read."],
  ["secret a/[b", "unclosed class", 10, 'Close it with "]", or write "\\[" for a bracket.'],
  ["secret a/{b", "unclosed brace", 10, 'Close it with "}", or write "\\{" for a brace.'],
  [
    "allow connect localhost:3000",
    '"localhost:3000" is not a host',
    15,
    "Write a host without port and path; * matches any part.",
  ],
  [
    "allow connect https://a.example/",
    '"https://a.example/" is not a host',
    15,
    "Write a host without port and path; * matches any part.",
  ],
  ["allow use x of github as 12", 'unexpected "as"', 23, "Write the name of one MCP server after `of`."],
  ["deny use of github", 'unexpected "of"', 10, "Write the name of a tool before `of`."],
  ["deny use x of", 'unexpected "of"', 12, "Write the name of one MCP server after `of`."],
  [
    "expect maybe run x",
    "an expectation needs a verdict and a call",
    8,
    "Write: expect allow|ask|deny [in MODE] run|read|write|delete|connect|use …",
  ],
  ["expect ask in bold run x", 'unknown mode "bold"', 15, "Use one of: safe, cautious, paranoid, yolo."],
  ["unconfined write x", 'unexpected "write"', 12, "After unconfined, write run."],
  ["variables few", 'unexpected "few"', 11, "After variables, write one of: most, core, all, none."],
  ["variables", "the rule is incomplete", 10, "After variables, write one of: most, core, all, none."],
  ["variables all FOO", 'unexpected "FOO"', 15, "Remove the words after variables all."],
  ["pass", "the rule is incomplete", 5, "Add the names of variables after pass."],
  ["pass A B=1", 'unexpected "B=1"', 8, "Use only letters, digits and _; * matches any text."],
  [
    "limit disk 1GB",
    'unexpected "disk"',
    7,
    "After limit, write one of: cpu, memory, processes, file, output.",
  ],
  ["limit cpu", "the rule is incomplete", 10, "Add an amount, for example: limit cpu 2h."],
  [
    "limit memory 0",
    '"0" is not an amount',
    14,
    "Write for example: limit memory 8GB. Units: B, KB, MB, GB, TB.",
  ],
  ["limit cpu 8GB", '"8GB" is not an amount', 11, "Write for example: limit cpu 2h. Units: S, M, H."],
  ["limit processes 2k", '"2k" is not an amount', 17, "Write for example: limit processes 2000."],
  [
    "limit file -1",
    '"-1" is not an amount',
    12,
    "Write for example: limit file 10GB. Units: B, KB, MB, GB, TB.",
  ],
  [
    "expect deny write a b",
    "an expectation needs exactly one path",
    19,
    "Quote a name that contains blanks or wildcards.",
  ],
];

it("rejects files and braces designed to exhaust it", () => {
  const message = (text: string) => {
    try {
      return parseRules(rules(text));
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect([message("allow run x\n".repeat(25_000)), message(`deny write ${"{a,".repeat(20_000)}`)]).toEqual([
    "The rules in rules are longer than 256 kB",
    "Bad rule at rules:1:12: too many braces",
  ]);
});

it("makes characters visible that would control a terminal", () => {
  const source = { ...rules("allow \u001b[2Jfly x"), name: "a\u001b]0;b\u0007" };
  expect(() => parseRules(source)).toThrow(
    /^Bad rule at a<U\+001B>\]0;b<U\+0007>:1:7: .*<U\+001B>\[2Jfly.*\n {2}allow <U\+001B>\[2Jfly x\n {8}\^$/,
  );
});

it.each(faults)(
  "explains what is wrong with `%s`, where, and how to fix it",
  (line, message, column, hint) => {
    const marked = `  ${line}\n  ${" ".repeat(column - 1)}^`;
    const expected = new ToolError("invalid-input", `Bad rule at rules:2:${column}: ${message}\n${marked}`, {
      hint,
    });
    const fault = (() => {
      try {
        return parseRules(rules(`# rules\n${line}`));
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toEqual(expected);
    expect((fault as ToolError).hint).toBe(hint);
  },
);

it("parses the built-in rules to plain data, which the build stores", () => {
  expect(JSON.parse(JSON.stringify(parsedBuiltInRules))).toEqual(parsedBuiltInRules);
  expect(parsedBuiltInRules.rules.length).toBeGreaterThan(100);
});

it("leaves out rules of an earlier version that were bound to program text, and nothing else with while", () => {
  const hash = "0123456789abcdef".repeat(2);
  const text = [
    `allow run npm test while package.json:test=${hash} by shell.run`,
    `allow run bash 's x.sh' ** while 's x.sh=${hash}' .npmrc=none by shell.run`,
    `unconfined run make while Makefile=unreadable because "mine"`,
    "allow run echo while",
    `allow run echo while a=b`,
    `deny run sleep while Makefile=${hash}`,
  ].join("\n");
  const { rules: kept, outdated } = parseRules(rules(text));
  expect([outdated.map(({ line }) => line), kept.map(({ origin }) => origin.line)]).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ]);
});
