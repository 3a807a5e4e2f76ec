import { expect, it } from "vitest";
import { rules } from "../../../test/support/policy/decide.ts";
import { ToolError } from "../../contract/error.ts";
import { parseRules } from "./parse-rules.ts";

const told = (text: string) =>
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
  expect(told(text)).toEqual([
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
  expect(told(text).map((rule) => [rule.text, rule.by, rule.because])).toEqual([
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
    '"permit" is not understood',
    1,
    "A rule begins with allow, ask, deny, secret, protected, open, unconfined, variables, pass, limit or expect.",
  ],
  ["allow", "the line ends too early", 6, "After allow comes run, read, write, delete, touch, connect, use."],
  [
    "allow runs x",
    '"runs" is not understood',
    7,
    "After allow comes run, read, write, delete, touch, connect, use.",
  ],
  ["  deny write", "the line ends too early", 13, "Say what to write."],
  ["secret  # nothing", "the line ends too early", 18, "Say what is secret."],
  ["deny run 'rm", "this quotation is never closed", 10, "Close it with '."],
  ["deny run rm\\", "a backslash at the end escapes nothing", 12, 'Write "\\\\" for a backslash.'],
  [
    "allow run @all",
    '"@all" is not understood',
    11,
    "The classes of commands are @read, @write, @execute, @network, @destructive; quote a program of that name.",
  ],
  ["allow run @read ls", '"ls" is not understood', 17, "Nothing follows @read."],
  ["secret a/[b", "unclosed class", 10, 'Close it with "]", or write "\\[" for a bracket.'],
  ["secret a/{b", "unclosed brace", 10, 'Close it with "}", or write "\\{" for a brace.'],
  [
    "allow connect localhost:3000",
    '"localhost:3000" is not a host',
    15,
    "Name a host without port and path; * stands for any part.",
  ],
  [
    "allow connect https://a.example/",
    '"https://a.example/" is not a host',
    15,
    "Name a host without port and path; * stands for any part.",
  ],
  ["deny use of github", '"of" is not understood', 10, "Name a tool before `of`."],
  ["deny use x of", '"of" is not understood', 12, "After `of` comes the name of one MCP server."],
  [
    "expect maybe run x",
    "this is not an example",
    8,
    "Write: expect allow|ask|deny [in MODE] run|read|write|delete|connect|use …",
  ],
  ["expect ask in bold run x", "there is no mode bold", 15, "Modes: safe, cautious, paranoid, yolo."],
  ["unconfined write x", '"write" is not understood', 12, "After unconfined comes run."],
  ["variables most", '"most" is not understood', 11, "After variables comes core, all, none."],
  ["variables", "the line ends too early", 10, "After variables comes core, all, none."],
  ["variables all FOO", '"FOO" is not understood', 15, "Nothing follows variables all."],
  ["pass", "the line ends too early", 5, "Name the variables that commands get."],
  [
    "pass A B=1",
    '"B=1" is not understood',
    8,
    "A variable's name has letters, digits and _; * stands for any part.",
  ],
  [
    "limit disk 1GB",
    '"disk" is not understood',
    7,
    "After limit comes cpu, memory, processes, file, output.",
  ],
  ["limit cpu", "the line ends too early", 10, "Say how much, for example limit cpu 2h."],
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
  ["expect deny write a b", "an example names one thing", 19, "Quote it if it holds blanks or wildcards."],
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
