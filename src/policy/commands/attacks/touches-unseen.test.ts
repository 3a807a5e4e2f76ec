// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { expect, it } from "vitest";
import { isHarmful, reports } from "../../../../test/support/commands/is-harmful.ts";
import { analyseCommand } from "../analyse-command.ts";

/** The path that a command wrote in a real bash without being reported, and the command. */
const written: readonly (readonly [path: string, ...commands: readonly string[]])[] = [
  [
    "a",
    "chmod -rwx a",
    "chmod -x a",
    "chmod -w a",
    "chmod -7 a",
    "chmod a -7",
    "chmod --ref=b a",
    "chown --ref=b a",
  ],
  ["out", "uniq --skip-fields 0 a out", "uniq --check-chars 9 a out", "uniq +1 a out"],
  ["out", "xxd -cols 8 a out", "xxd -len 4 a out", "xxd -seek 1 a out", "xxd -ps a out", "xxd -name x a out"],
  ["out", "sed -e '1w out' --sandbox a"],
  ["out #]/p", "sed -n '/[[:alpha:][]/w out #]/p' a"],
  ["-r", "xxd a -r"],
  ["out", "zstdcat --trace=out a", "zstdcat a.zst -o out", "curl -sT a file:///out"],
  [".git/hooks/pre-commit", "sed -i'.git/hooks/pre-*' p commit"],
  ["../outside/a", "sed -i'../outside/*' p a", "sed --in-place='../outside/*' p a"],
  [".git/config", "ln .git/config c", "cp -l .git/config c", "cp --link .git/config c"],
  [
    ".git/hooks/pre-commit",
    "cp pre-commit .git/hooks",
    "mv pre-commit .git/hooks/",
    "cp -t .git/hooks pre-commit",
  ],
  [".git/config", "git config core.fsmonitor p0", "git config core.hooksPath d"],
  ["o", "ln -s ../outside/o"],
  [".env", "git mv .env env.txt"],
  ["a", "git rm -f a", "find a -delete", "git checkout -- a", "git restore a"],
];

it.each(written.flatMap(([path, ...commands]) => commands.map((command) => [path, command] as const)))(
  "detects that %s is written: %s",
  (path, command) => {
    const target = command.startsWith("curl") ? `/${path}` : path;
    expect(reports(analyseCommand(command), ["write", "delete"], target)).toBe(true);
  },
);

it("never classifies as reading a command that changes git references or creates a dictionary", () => {
  const commands = [
    "zstdcat --train a b c",
    "zstdcat --train-cover=k=8 a b c",
    "git branch -r -d origin/x",
    "git branch --remotes -d origin/x",
    "git branch -q -D other",
    "git branch -q -m other renamed",
    "git branch -q new",
    "git branch -v new",
    "git branch --verbose --delete other",
    "git branch --verbose --copy other new",
    "git branch --sort=refname new",
    "git branch --format=x new",
  ];
  const harmless = commands.filter((command) =>
    analyseCommand(command).commands.every(({ risk }) => risk === "read"),
  );
  expect(harmless).toEqual([]);
});

/** These printed the content of .env although the analysis did not report the read. */
const read: readonly string[] = [
  "grep --rege=SECRET .env",
  "grep --fil=b .env",
  "grep --fil=.env b",
  "wc --files0=.env",
  "du --files0=.env",
  "xzcat --files=.env",
  "xzcat --files0=.env",
  "diff --from-file=.env /dev/null",
  "diff --to-file=.env /dev/null",
  "diff --from=.env /dev/null",
  "od -w .env",
  "od -cw .env",
  "hexdump --format-file=.env a",
  "awk 'BEGIN{ARGV[1]=\".env\";ARGC=2}{print}'",
  "awk 'BEGIN{ARGV[ARGC++]=\".env\"} 1'",
  'jq -n \'import "credentials" as $d {search:"./"}; $d\'',
  "jq -n 'import \"credentials\" as $d; $d' -L .",
  "jq --run-tests .env",
  "yq -n 'load_str(\".env\")'",
  "yq .env",
  "strings @.env",
  "nm @.env",
  "size @.env",
  "readelf @.env",
  "git blame --contents=.env a",
  "git blame --ignore-revs-file=.env a",
  "git show HEAD:.env",
  "git show :.env",
  "git cat-file -p HEAD:.env",
  "git diff HEAD:a HEAD:.env",
  "git add --pathspec-from-file=.env",
  "git archive --add-file=.env HEAD",
  "git archive HEAD .env",
  "git tag -F .env t",
  "git notes add -F .env",
  "X='SECRET .env'; grep $X",
  "echo 'SECRET .env' | xargs grep",
  "grep -r SECRET",
  "grep -r SECRET .",
  "grep -d recurse SECRET .",
  "rg -uuu SECRET",
  "rg --hidden -g .env ''",
  "diff -r . d",
  "diff -N d .",
  "git diff --no-index . d",
  "git grep --no-index SECRET",
  "git grep --untracked SECRET",
  "git log -L1,5:.env",
  "git log -L 1,5:.env",
  "git show -L:secret:.env",
  "zstdcat --filelist=.env a",
  "xname=.env; cat $x\\\nname",
  "tar cf - .",
  "cp -r . ../copy",
  "curl file:///%2eenv",
  "curl 'file:///.en[v-v]'",
  "curl -d @.env http://localhost/",
  "curl -F 'x=<.env' http://localhost/",
  "curl --data-urlencode x@.env http://localhost/",
];

it.each(read)("detects that .env is read: %s", (command) => {
  expect(reports(analyseCommand(command), ["read", "delete"], ".env")).toBe(true);
});

it("treats a manual page argument as a file", () => {
  expect(reports(analyseCommand("man ./.env"), ["read"], "./.env")).toBe(true);
});

it("detects reads of files elsewhere", () => {
  expect(reports(analyseCommand("tar cf - -C ../outside o"), ["read"], "../outside/o")).toBe(true);
});

it.each([
  "trap 'c\\d ../outside' DEBUG; echo hi > file",
  "trap 'c\"\"d ../outside' DEBUG; echo hi > file",
  ". ./settings; echo hi > file",
  "mapfile -C 'cd ../outside;' -c 1 lines < list; echo hi > file",
])("does not claim to know a file's path when the directory may have changed: %s", (command) => {
  const { commands, notUnderstood } = analyseCommand(command);
  expect([commands.at(-1)?.directory, notUnderstood.length > 0]).not.toEqual(["", false]);
});

it("detects connections made by the shell, with any host", () => {
  expect(isHarmful(analyseCommand("echo x > /dev/tcp/$HOST/80"))).toBe(true);
});
