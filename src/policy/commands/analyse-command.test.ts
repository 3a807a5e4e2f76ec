// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { expect, it } from "vitest";
import { analyseCommand } from "./analyse-command.ts";

it("describes every effect of a simple command", () => {
  const command = `LC_ALL=C sort -u "$file" -o out 2>> ~/log`;
  const start = (text: string) => command.indexOf(text);
  const word = (text: string, value = text) => ({
    text,
    span: { start: start(text), end: start(text) + text.length },
    parts: [value],
    value,
  });
  const file = {
    ...word('"$file"'),
    parts: [{ unknown: "variable", text: "$file", splits: false }],
    value: undefined,
  };
  const log = {
    ...word("~/log"),
    parts: [{ unknown: "home", text: "~", splits: false }, "/log"],
    value: undefined,
  };
  expect(analyseCommand(command)).toEqual({
    commands: [
      {
        span: { start: 0, end: command.length },
        words: [word("sort"), word("-u"), file, word("-o"), word("out")],
        program: "sort",
        assignments: [
          { name: "LC_ALL", value: { ...word("C"), span: { start: 7, end: 8 } }, span: { start: 0, end: 8 } },
        ],
        redirections: [
          { kind: "append", target: log, descriptor: 2, span: { start: start("2>>"), end: command.length } },
        ],
        within: [],
        directory: "",
        risk: "execute",
        effects: [
          { risk: "write", reason: "writes ~/log", span: log.span },
          { risk: "write", reason: "sort -o writes a file", span: word("out").span },
          { risk: "execute", reason: '"$file" may become an option of sort', span: file.span },
        ],
        accesses: [
          { kind: "write", target: log },
          { kind: "write", target: word("out") },
          { kind: "read", target: file },
        ],
      },
    ],
    notUnderstood: [],
    leaves: { directory: "", variables: [], functions: [], arrays: [], unclear: undefined },
  });
});

it("describes what a command leaves behind in a shell that reads more commands", () => {
  const command = "export PATH=. A=1; LD_PRELOAD=x ls; f() { read GIT_DIR; }; cd src";
  expect(analyseCommand(command).leaves).toEqual({
    directory: undefined,
    variables: [
      { name: "PATH", passedOn: true },
      { name: "A", passedOn: true },
      { name: "GIT_DIR", passedOn: false },
    ],
    functions: ["f"],
    arrays: [],
    unclear: undefined,
  });
});

it("returns the exact segment of the command at any depth", () => {
  const segments = (command: string) =>
    analyseCommand(command).commands.map(({ span }) => command.slice(span.start, span.end));
  expect(segments("ls | sh -c 'cat a; rm b' && echo $(rm c)")).toEqual([
    "ls",
    "sh -c 'cat a; rm b'",
    "cat a",
    "rm b",
    "rm c",
    "echo $(rm c)",
  ]);
  expect(segments("find . -exec rm {} +")).toEqual(["find . -exec rm {} +", "rm {}"]);
  expect(segments("nice env rm a")).toEqual(["nice env rm a", "env rm a", "rm a"]);
});

it("returns the whole word when quoting makes it differ from its text", () => {
  const segments = (command: string) =>
    analyseCommand(command).commands.map(({ span }) => command.slice(span.start, span.end));
  expect(segments('sh -c "rm \\"a\\"; ls"')).toEqual([
    'sh -c "rm \\"a\\"; ls"',
    '"rm \\"a\\"; ls"',
    '"rm \\"a\\"; ls"',
  ]);
  expect(segments("echo `cat \\`rm a\\``")).toEqual([
    "`cat \\`rm a\\``",
    "`cat \\`rm a\\``",
    "echo `cat \\`rm a\\``",
  ]);
});

it("classifies a pipe of harmless parts as reading", () => {
  const command = "git log --oneline -20 | grep -v wip | sort -u | head -n 5 | sed -n '1,3p' | wc -l";
  const { commands, notUnderstood } = analyseCommand(command);
  expect(commands.map(({ program, risk }) => [program, risk])).toEqual(
    ["git", "grep", "sort", "head", "sed", "wc"].map((program) => [program, "read"]),
  );
  expect(notUnderstood).toEqual([]);
});

it("has no cap on the number of commands", { tags: "slow" }, () => {
  const { commands, notUnderstood } = analyseCommand(`${"true;".repeat(20_000)}rm x`);
  expect([commands.length, commands.at(-1)?.risk, notUnderstood]).toEqual([20_001, "destructive", []]);
});

const hostile: Record<string, string> = {
  "a megabyte": "ls ".repeat(350_000),
  "nested substitutions": "$(".repeat(60_000),
  "nested substitutions that are closed": `${"$(".repeat(90)}${"ls;".repeat(30_000)}${")".repeat(90)}`,
  "quoted substitutions": '"$('.repeat(40_000),
  "nested parentheses": "(".repeat(120_000),
  "nested expansions": "${x:-".repeat(25_000),
  "nested arithmetic": "$((".repeat(40_000),
  "long arithmetic": `((${"1+".repeat(60_000)}1))`,
  "many here-documents": "cat <<E ".repeat(15_000),
  "nested functions": "f()".repeat(40_000),
  "nested braces": "{a,".repeat(40_000),
  backticks: "`".repeat(120_000),
  wrappers: `${"nice ".repeat(25_000)}ls`,
  evaluations: `${"eval ".repeat(25_000)}ls`,
  "dangerous variables": Array.from({ length: 8000 }, (_, index) => `LD_${index}=1;ls`).join(";"),
  "a sed script": `sed '${"/[".repeat(60_000)}'`,
  "an awk program": `awk '${"print".repeat(25_000)}'`,
  "a list of symbols": "#;".repeat(60_000),
};

it.each(Object.entries(hostile))("terminates on %s, and can analyse the next command", (_name, command) => {
  const { commands, notUnderstood } = analyseCommand(command);
  expect(commands.length + notUnderstood.length > 0 || command.startsWith("#")).toBe(true);
  expect(analyseCommand("ls").commands.map(({ program, risk }) => [program, risk])).toEqual([["ls", "read"]]);
});

it("reports a command over the limits as not understood", () => {
  const reasons = (command: string) => analyseCommand(command).notUnderstood.map(({ reason }) => reason);
  expect(reasons(`ls ${"a".repeat(131_072)}`)).toEqual(["a command that is too long"]);
  expect(reasons(`echo ${"$(".repeat(101)}ls${")".repeat(101)}`)).toEqual([
    "a command that is nested too deeply",
  ]);
  expect(reasons("cat <<E\nE\n".repeat(501))).toEqual(["too many here-documents"]);
  expect(reasons(`((${"1+".repeat(60_000)}1))`)).toEqual(["a command that is nested too deeply"]);
  expect(reasons(`${"nice ".repeat(20)}rm x`)).toEqual(["commands nested too deep to follow"]);
});
