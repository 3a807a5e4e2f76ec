// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { expect, it } from "vitest";
import { isHarmful } from "../../../../test/support/commands/is-harmful.ts";
import { analyseCommand } from "../analyse-command.ts";

/** Each of these ran the program p0 in a real bash although the analysis reported only reading or writing. */
const attacks: Readonly<Record<string, readonly string[]>> = {
  "variables with the integer attribute": [
    "RANDOM='a[$(p0)]'",
    "SRANDOM='a[$(p0)]'",
    "OPTIND='a[$(p0)]'",
    "HISTCMD='a[$(p0)]'",
    "BASHPID+='a[$(p0)]'",
    "RANDOM+='a[$(p0)]'",
    "export RANDOM='a[$(p0)]'",
    "read RANDOM <<< 'a[$(p0)]'",
    "read -r OPTIND < file",
    "printf -v RANDOM 'a[$(p0)]'",
    "for SECONDS in 'a[$(p0)]'; do :; done",
    "x='a[$(p0)]'; RANDOM=x; echo $RANDOM",
  ],
  "brackets that sed does not support in addresses": ["sed -n '/[[:digit:][]/e p0 #]/p' a"],
  "a sed sandbox option that comes too late": ["sed -e 'e p0' --sandbox a"],
  "a here-document that is not the input": [
    "echo p0 | bash 3<<<':'",
    "echo p0 | sh 3<<E\n:\nE",
    "echo p0 | bash 10<<<':'",
    "echo p0 | bash {x}<<<':'",
    "echo p0 | bash /dev/stdin",
  ],
  "wrappers that start a shell without arguments": [
    "echo p0 | unshare",
    "echo p0 | unshare -r",
    "echo p0 | setarch x86_64",
    "echo p0 | setarch -R",
    "echo p0 | fakeroot",
  ],
  "an omitted architecture": ["setarch -R p0", "setarch x86_64 -R p0"],
  "a directory made to look like a repository": ["git -C x status", "cd x && git status", "cd x; git diff"],
  "an output file that is a command": ["strace -o '|p0' true", "strace -o '!p0' true"],
  "variables that name programs": [
    "SHELL=p0 flock lock -c true",
    "SHELL=p0 script -qc true /dev/null",
    "EDITOR=p0 sdiff -o out a b <<< e",
    "VALGRIND_LIB=$PWD/v valgrind true",
    "NODE_OPTIONS='--require ./x.js' tsc --version",
    "PYTHONPATH=./x yq . file",
    "export SHELL=p0; flock lock -c true",
  ],
};

it.each(Object.entries(attacks))("detects the program that runs: %s", (_name, commands) => {
  expect(commands.filter((command) => !isHarmful(analyseCommand(command)))).toEqual([]);
});

it("lists commands inside other commands' options, so rules can match them", () => {
  const commands = [
    "git rebase -x 'p0 1' HEAD",
    "git bisect run p0 1",
    "git submodule foreach 'p0 1'",
    "git difftool -x 'p0 1'",
    "split --filter='p0 1' file",
    "mapfile -C 'p0 1' -c 1 lines",
    "env - p0 1",
  ];
  const unlisted = commands.filter((command) => {
    const found = analyseCommand(command).commands.map(({ words }) => words.map(({ value }) => value));
    return !found.some(([program, word]) => program === "p0" && word === "1");
  });
  expect(unlisted).toEqual([]);
});
