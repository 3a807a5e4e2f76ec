/** @module-tag slow */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { expect, it } from "vitest";
import { stubsRun } from "../../../../test/support/commands/stubs-run.ts";
import { analyseCommand } from "../analyse-command.ts";

/** The stubs an analysis reports, as they log themselves, without those that depend on the input. */
function stubsReported(command: string): string[] {
  const reported = analyseCommand(command).commands.filter(({ program }) => /^p\d$/.test(program ?? ""));
  return reported.map(({ words }) => words.map(({ value }) => value ?? "?").join(" "));
}

it("finds the commands that wrappers really run", () => {
  const commands = [
    "env p0 a",
    'env -i PATH="$PATH" STUB_LOG="$STUB_LOG" p0 \'a b\'',
    "env -u HOME A=1 p0",
    "env -S 'p0 a'",
    "nice -n 1 p0 a",
    "nice -1 p0",
    "nohup p0 a",
    "timeout 10 p0 a",
    "timeout -s KILL -k 1 10 nice p0 a",
    "stdbuf -oL p0 a",
    "sh -c 'p0 a; p1'",
    'sh -ec "p0 a"',
    "bash -c \"p0 'a  b'\"",
    "bash -o pipefail -c 'p0 | p1' -- x",
    "bash <<'E'\np0 a\nE",
    "sh <<< 'p0 a'",
    "bash -s a b <<< 'p0 c'",
    "find . -maxdepth 0 -exec p0 a \\;",
    "find file -execdir p0 a \\; -exec p1 b ';'",
    'command -p env PATH="$PATH" p0 a',
    "exec p0 a",
    "exec -a other p0 a",
    "eval 'p0 a' b",
    "eval \"eval 'p0 a'\"",
    "trap 'p0 a' EXIT",
    "time -p p0 a",
    "! p0 a",
    "echo 'p0 a' | cat",
    "xargs -r p0 </dev/null",
    "coproc p0 a; wait",
    "p0 a & wait",
    "env nice timeout 9 sh -c 'p0 a'",
  ];
  const shown = (lists: readonly (readonly string[])[]) =>
    commands.map((command, index) => ({ command, stubs: lists[index]!.map((line) => line.trim()).sort() }));
  // `xargs -r` runs nothing without input, which no analysis can know.
  const reported = commands.map((command) => (command.startsWith("xargs") ? [] : stubsReported(command)));
  expect(shown(reported)).toEqual(shown(stubsRun(commands)));
});

it("asks whenever a harmless-looking program runs another", () => {
  const commands = [
    "sed '1e p0' file",
    "sed 's/.*/p0 a/e' file",
    "awk 'BEGIN { system(\"p0\") }'",
    "awk '{ print | \"p0\" }' file",
    "awk 'BEGIN { \"p0\" | getline }'",
    "find . -name file -exec p0 {} +",
    "xargs p0 < file",
    "xargs -I{} p0 {} < file",
    "xargs -I{} sh -c 'p0 {}' < file",
    "tar -cf a.tar --checkpoint=1 --checkpoint-action=exec=p0 file",
    "tar -cf a.tar file; tar -xf a.tar --to-command=p0",
    "tar -cf a.tar -I p0 file",
    "sort --compress-program=p0 -S 1b --batch-size=2 file file file",
    "split --filter=p0 file",
    "git init -q; git -c alias.x='!p0' x",
    "git init -q; git -c core.fsmonitor=p0 status",
    "git init -q; git add file; export GIT_EXTERNAL_DIFF=p0; git diff --cached",
    "git init -q; git add file; GIT_PAGER=p0 git -p diff --cached",
    "git init -q; git add file; git grep -Op0 line",
    "git init -q; GIT_EDITOR=p0 git commit --allow-empty",
    "PS4='$(p0)'; set -x; :",
    "echo p0 > rc; BASH_ENV=rc bash -c :",
    "echo p0 > rc; . ./rc",
    "echo p0 > rc; source rc",
    "echo p0 > script; bash script",
    "echo p0 | sh",
    'cp "$(command -v p0)" ls; PATH=.:$PATH ls',
    'cp "$(command -v p0)" ls; hash -p ./ls ls; ls',
    "shopt -s expand_aliases\nalias ls=p0\nls",
    "x='a[$(p0)]'; echo $((x))",
    "x='$(p0)'; echo \"${x@P}\"",
    "mapfile -C p0 -c 1 < file",
    "compgen -C p0 x",
    "env 'BASH_FUNC_ls%%=() { p0; }' bash -c ls",
    "less '+!p0' file",
    "vim -es -c '!p0' -c q",
    "perl -e 'system \"p0\"'",
    'node -e \'require("child_process").execFileSync("p0")\'',
    "echo 'all:; p0' > Makefile; make",
    "ssh -o ProxyCommand=p0 host",
    "rsync -e p0 host:a b",
    "busybox sh -c p0",
    "setsid -w p0",
    "flock lock -c p0",
    "script -qc p0 log",
    "zip -q a.zip file -T -TT p0",
    "man -P p0 ls",
  ];
  const ran = stubsRun(commands);
  const passed = commands.filter((command, index) => {
    const { commands: found, notUnderstood } = analyseCommand(command);
    const reported = found.some(({ program, risk }) => /^p\d$/.test(program ?? "") && risk !== "read");
    const asks =
      notUnderstood.length > 0 || reported || found.some(({ risk }) => /^(?:exec|netw|dest)/.test(risk));
    return ran[index]!.length > 0 && !asks;
  });
  expect(passed).toEqual([]);
});
