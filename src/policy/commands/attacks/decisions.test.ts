// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { expect, it } from "vitest";
import { verdictOn } from "../../../../test/support/policy/decide.ts";

/** Rules that a user may plausibly set. */
const allowed = `
allow run git status
allow run git diff **
allow run ls **
allow run cat **
allow run grep **
allow run rg **
allow run find **
allow run sed -n **
allow run sort **
allow run npm test
allow run node --version
allow run @read`;

it.each<readonly [what: string, ...commands: readonly string[]]>([
  [
    "run another program",
    "find . -exec p0 {} +",
    "find . -ok p0 ;",
    "rg --pre p0 x",
    "rg --pre=p0 x",
    "rg --hostname-bin p0 x",
    "sort --compress-program=p0 a",
    "sort --compress-prog=p0 a",
    "sed -n '1e p0' a",
    "sed -n 's/x/p0/e' a",
    "sed -n -f script a",
    'sed -n "$SCRIPT" a',
    "sed -n -e 'e p0' --sandbox a",
    "git diff --ext-diff",
    "git -c core.fsmonitor=p0 status",
    "npm test; p0",
    "npm test -- --reporter=./p0",
    "npm --prefix elsewhere test",
    "node --require ./p0 --version",
    "ls; p0",
    "ls $(p0)",
    "PATH=bin ls",
    "PATH=$PWD:$PATH; ls",
    "export PATH=bin; ls",
    "LD_PRELOAD=./p0 ls",
    "env LD_PRELOAD=./p0 ls",
    "PS4='$(p0)'; set -x; ls",
    "NODE_OPTIONS=--require=./p0 npm test",
    "ls() { p0; }; ls",
    "alias ls=p0; ls",
    "hash -p p0 ls; ls",
    "./ls",
    "bin/cat a",
    "RANDOM='a[$(p0)]'; ls",
    'eval "PATH=bin; "ls',
    'eval "PATH=bin; ""npm test"',
    'for i in 1 2; do eval "GIT_A=1; GIT_B=1; GIT_C=1; GIT_D=1; GIT_E=1; GIT_F=1; GIT_G=1; GIT_H=1; "ls; PATH=bin; done',
  ],
  [
    "write or delete protected or outside files",
    "find a -delete",
    "find a -fprintf .git/config x",
    "sed -n '1w .git/config' a",
    "sort -o .git/config a",
    "git diff --output=.git/config",
    "ls > .git/config",
    "ls > .GIT/config",
    "ls > d/../.git//config",
    "ls &> .git/hooks/pre-commit",
    "ls >> ../outside",
    "ls > ~/x",
    "ls > $FILE",
    "cd .. && ls > x",
    "ls > /dev/tcp/localhost/1",
  ],
  [
    "read secrets",
    "cat .env",
    "cat .ENV",
    "cat ./d/../.env",
    "cat < .env",
    "cat .e*",
    "cat .en?",
    "cat .[e]nv",
    "cat .{env,x}",
    "cat {.,x}env",
    "cat *",
    "cat id_*",
    "cat $FILE",
    'cat "$FILE"',
    "cat ${FILE:-.env}",
    "cat $(ls -A | grep env)",
    "echo $(< .env)",
    "read line < .env",
    "while read line; do echo $line; done < .env",
    "ls -A | xargs cat",
    "find . -name '.e*' -exec cat {} +",
    "find . -type f -print0 | xargs -0 grep x",
    "grep -f .env a",
    "grep -r x .",
    "grep -r x",
    "grep --include=.env -r ''",
    "rg --hidden x",
    "sed -n 'r .env' a",
    "sort --files0-from=.env",
    "git diff --no-index /dev/null .env",
    "git show HEAD:.env",
    "cat ~/.ssh/id_rsa",
    "cat /proc/self/cwd/.env",
    "tar cf - .",
    "diff -r . d",
  ],
])("never allows without asking a command that may %s", (_what, ...commands) => {
  const passed = commands.filter((command) => verdictOn(command, allowed) === "allow");
  expect(passed).toEqual([]);
});

const forbidden = `
deny run rm -rf **
deny run git push **
deny run curl **`;

it("denies every spelling of a denied command in every mode", () => {
  const commands = [
    "rm -fr x",
    "rm -r -f x",
    "rm -Rf x",
    "rm -fR x",
    "rm x -rfv",
    "rm --recursive --force x",
    "rm --rec --for x",
    "r''m -rf x",
    "\\rm -rf x",
    "/bin/rm -rf x",
    "command rm -rf x",
    "env - rm -rf x",
    "sudo nice rm -rf x",
    "timeout 5 rm -rf x",
    "find . -exec rm -rf {} +",
    "xargs rm -rf < list",
    "bash -c 'ls; rm -rf x'",
    "bash <<< 'rm -rf x'",
    "eval rm -rf x",
    "trap 'rm -rf x' EXIT",
    "f() { rm -rf x; }; f",
    "echo $(rm -rf x)",
    "cat <(rm -rf x)",
    "git rebase -x 'rm -rf x' HEAD",
    "git bisect run rm -rf x",
    "split --filter='rm -rf x' file",
    "git -c a=b push",
    "git -C d --no-pager push",
    "git --git-dir x push",
    "git pu\\sh",
    "GIT_DIR=x git push",
    "exec -a harmless curl x",
    "rm --r --f x",
  ];
  const missed = commands.filter((command) => verdictOn(command, forbidden, { mode: "yolo" }) !== "deny");
  expect(missed).toEqual([]);
});

it("asks in every mode when a command may turn into a denied one", () => {
  const commands = [
    "rm $OPTIONS x",
    "rm -r$FORCE x",
    "rm -{r,f} x",
    "rm {-rf,x}",
    "$PROGRAM -rf x",
    "r$M -rf x",
    "echo -rf x | xargs rm",
    "git $COMMAND",
    "echo push | xargs git",
    "cu{r,}l x",
    "/usr/bin/c*l x",
    "$(command -v curl) x",
    "alias c=curl; c x",
    "hash -p /usr/bin/curl k; k x",
    "echo 'rm -rf x' | sh",
    "chroot / rm -rf x",
    "setarch -R rm -rf x",
    "ssh host rm -rf x",
    "npx rm -rf x",
    "docker run image rm -rf x",
    "su -c 'rm -rf x'",
    "chronic rm -rf x",
  ];
  const verdicts = commands.map((command) => [command, verdictOn(command, forbidden, { mode: "yolo" })]);
  expect(verdicts).toEqual(commands.map((command) => [command, "ask"]));
});

it("allows a command when every part is allowed", () => {
  const commands = [
    "ls -la && cat package.json | grep version",
    "git status; git diff --stat HEAD~1 -- src",
    "cat src/index.ts | sed -n '10,40p' | sort | uniq -c | sort -rn | head -5",
    "find . -name '*.ts' -not -path './node_modules/*' | wc -l",
    'for file in a b; do echo "$file"; done',
    "if [[ -d src ]]; then ls src; fi",
    'echo "$(date +%F): $((1 + 2))" > today.txt',
    "cd src && ls *.ts",
    "cd /home/ada/work && git status",
    "cd /home/ada/work; git diff | head",
    "[ -f .env ] && echo there",
    "diff <(sort a) <(sort b)",
    "awk '/foo|bar/ {print $1}' a",
  ];
  const stopped = commands.filter((command) => verdictOn(command, allowed) !== "allow");
  expect(stopped).toEqual([]);
});
