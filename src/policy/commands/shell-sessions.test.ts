// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { describe, expect, it } from "vitest";
import { isHarmful } from "../../../test/support/commands/is-harmful.ts";
import { analyseCommand } from "./analyse-command.ts";
import { sessionStateOf } from "./shell-sessions.ts";

const workspace = "/work/space";

function analyseAfter(earlier: readonly string[], command: string, cwd: string | undefined = workspace) {
  return analyseCommand(
    command,
    workspace,
    sessionStateOf({ commands: earlier, isWhole: true, cwd }, workspace),
  );
}

describe("asks about a command whose meaning an earlier one may have changed", () => {
  it.each([
    ["a function", "ls(){ rm -rf /; }", "ls"],
    ["a function made by eval", "eval 'ls() { evil; }'", "ls -l"],
    ["a function in a function", "f() { ls() { evil; }; }", "ls"],
    ["an exported function", "ls() { evil; }; export -f ls", "bash -c ls"],
    ["an alias", "alias git=evil", "git status"],
    ["aliases that were disabled", "shopt -s expand_aliases", "ls"],
    ["PATH", "PATH=.:$PATH", "make"],
    ["PATH for a plain program", "PATH=.:$PATH", "ls"],
    ["an exported variable", "export GIT_EXTERNAL_DIFF=evil", "git diff"],
    ["a variable that every program inherits", "export FOO=1", "ls"],
    ["a variable that was read", "read PATH <x", "ls"],
    ["LD_PRELOAD", "export LD_PRELOAD=./x.so", "cat a"],
    ["IFS", "IFS=/", "echo a"],
    ["HOME", "HOME=/etc", "cat ~/a"],
    ["PROMPT_COMMAND", "PROMPT_COMMAND=evil", "echo a"],
    ["PS4 and xtrace", "PS4='$(evil)'; set -x", "echo a"],
    ["PS4 after xtrace", "PS4='$(evil)'", "set -x"],
    ["BASH_ENV", "export BASH_ENV=x", "bash -c ls"],
    ["a trap before each command", "trap 'evil' DEBUG", "echo a"],
    ["a trap that only reads in this directory", "trap 'cat shadow' DEBUG", "cd /etc"],
    ["a trap at the end", "trap 'cat a' EXIT", "cd .."],
    ["a hashed path of a program", "hash -p ./evil ls", "ls"],
    ["a loaded builtin", "enable -f ./evil.so ls", "ls"],
    ["a disabled builtin", "enable -n echo", "echo a"],
    ["another shell", "exec bash", "ls"],
    ["a file that was sourced", "source x", "ls"],
    ["a file that was sourced by a dot", ". ./x", "echo a"],
    ["a command that only the shell understands", 'eval "$x"', "ls"],
    ["a syntax error", "echo 'not closed", "ls"],
    ["globs that match hidden files", "shopt -s dotglob", "cat *"],
    ["a name reference", "declare -n x=PATH", "x=."],
    ["a variable that is evaluated", "declare -i x", "x=a"],
    ["an array", "x=(1)", 'export x="$y"'],
    ["a handler for unknown programs", "command_not_found_handle() { evil; }", "ls"],
    ["a variable that controls the shell", "builtin() { :; }", "ls"],
    ["a name spelled by a wrapper", "ls() { evil; }", "time ls"],
    ["keys", "bind -x '\"a\": evil'", "ls"],
  ])("%s", (_name, earlier, command) => {
    expect(isHarmful(analyseAfter([earlier], command))).toEqual(true);
    expect(isHarmful(analyseAfter(["echo a", earlier, "echo b"], command))).toEqual(true);
  });
});

it("allows commands in a used session that earlier commands did not affect", () => {
  const earlier = [
    "cd src && ls",
    "x=1; f() { ls; }",
    "set -euo pipefail",
    "trap - EXIT",
    "cat <a | wc -l",
    "echo $x",
  ];
  expect(isHarmful(analyseAfter(earlier, "ls; cat b"))).toEqual(false);
});

it("tracks the shell's current directory", () => {
  const read = (command: string, cwd: string | undefined) =>
    analyseAfter(["cd somewhere"], command, cwd).commands.map(({ directory }) => directory);
  expect(read("cat shadow", "/etc")).toEqual(["/etc"]);
  expect(read("cat a", "/work/space")).toEqual([""]);
  expect(read("cat a", "/work/space/src/lib")).toEqual(["src/lib"]);
  expect(read("cat a", "/work/space-evil")).toEqual(["/work/space-evil"]);
  expect(read("cd /work/space && ls", "/etc")).toEqual(["/etc", ""]);
});

it("treats an unknown directory as any directory", () => {
  const past = { commands: [], isWhole: true, cwd: undefined };
  expect(sessionStateOf(past, workspace).directory).toEqual(undefined);
  expect(analyseCommand("cat a", workspace, sessionStateOf(past, workspace)).commands[0]?.directory).toEqual(
    undefined,
  );
});

it("accumulates what commands leave behind, in any order", () => {
  const commands = ["A=1; PAGER=less; f() { :; }", "export PAGER=more; x=(1 2)", "g() { :; }; f() { ls; }"];
  const left = {
    directory: "",
    variables: [{ name: "PAGER", passedOn: true }],
    functions: ["f", "g"],
    arrays: ["x"],
    unclear: undefined,
  };
  expect(sessionStateOf({ commands, isWhole: true, cwd: workspace }, workspace)).toEqual(left);
  expect(
    sessionStateOf({ commands: [...commands, "source x"], isWhole: true, cwd: workspace }, workspace),
  ).toEqual({
    ...left,
    unclear: "source, which may change what later commands mean",
  });
  expect(sessionStateOf({ commands, isWhole: false, cwd: workspace }, workspace)).toEqual({
    ...left,
    unclear: "more commands than could be remembered",
  });
});

it.each([
  "PROMPT_COMMAND='touch pwned'",
  "PROMPT_COMMAND=('touch pwned')",
  "PS1='$(touch pwned)'",
  "export PS0='$(touch pwned)'",
  "printf -v PROMPT_COMMAND 'touch pwned'",
  "read -r PROMPT_COMMAND < in.sh",
  ": ${PS2:=$(<in.sh)}",
  "MAILCHECK=0 MAILPATH='a?$(touch pwned)'",
])("asks about code that bash would run between commands: %s", (command) => {
  expect(analyseCommand(command, workspace).notUnderstood.map(({ reason }) => reason)).toContainEqual(
    expect.stringMatching(/^bash runs what \w+ contains between commands$/),
  );
});

it("does not attribute session effects to a word of the command, so no rule on its words allows it", () => {
  const [command] = analyseAfter(["export GIT_EXTERNAL_DIFF=evil"], "git diff").commands;
  expect(command?.effects).toEqual([
    {
      risk: "execute",
      reason: "GIT_EXTERNAL_DIFF was changed, and decides what it runs",
      span: { start: 0, end: 0 },
    },
  ]);
});

it("explains why a command is not understood", () => {
  const past = { commands: ["ls() { rm a; }", "source x"], isWhole: true, cwd: workspace };
  expect(analyseCommand("ls -l", workspace, sessionStateOf(past, workspace)).notUnderstood).toEqual([
    {
      reason: "this shell has run source, which may change what later commands mean",
      span: { start: 0, end: 5 },
    },
    {
      reason: "a name that an earlier command of this shell has given another meaning",
      span: { start: 0, end: 2 },
    },
  ]);
});
