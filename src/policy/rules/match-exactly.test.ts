// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { expect, it } from "vitest";
import { verdictOn } from "../../../test/support/policy/decide.ts";

interface Row {
  readonly rule: string;
  readonly allows: readonly string[];
  readonly asks: readonly string[];
}

const rows: Readonly<Record<string, Row>> = {
  "words as they are written, with any quoting": {
    rule: "allow run npm test",
    allows: [
      "npm test",
      "npm  test",
      "'npm' \"test\"",
      "n\\pm te''st",
      "/usr/bin/npm test",
      "npm test 2>&1",
      "npm test > log",
    ],
    asks: [
      "npm",
      "npm tests",
      "npm test -- x",
      "npm -w x test",
      "./npm test",
      "/tmp/npm test",
      "npm test | sh",
      "NPM test",
    ],
  },
  "one word for one star": {
    rule: "allow run npm run *",
    allows: ["npm run build", 'npm run "a b"', "npm run --list"],
    asks: [
      "npm run",
      "npm run a b",
      "npm run $X",
      'npm run "$X"',
      "npm run x$Y",
      'npm run "x$Y"',
      "npm run $(x)",
      "npm run *",
      "npm run a*",
    ],
  },
  "any number of words for two stars": {
    rule: "allow run git log **",
    allows: ["git log", "git log -5", "git log -- src/a.ts src/*.ts"],
    asks: [
      "git push",
      "git -C x log",
      "git log $X",
      'git log "$X"',
      "git log --ext-diff",
      "git log -- $(ls)",
    ],
  },
  "words after two stars": {
    rule: "allow run make ** -n",
    allows: ["make -n", "make all -n", "make a b -n"],
    asks: ["make", "make -n all", "make all"],
  },
  "a star inside a word up to the next slash, and never two dots": {
    rule: "allow run node scripts/*.js --port=*",
    allows: ["node scripts/a.js --port=80"],
    asks: [
      "node scripts/a/b.js --port=80",
      "node scripts/../x.js --port=1",
      "node x/scripts/a.js --port=1",
      "node scripts/*.js --port=1",
    ],
  },
  "assignments only when the rule names them": {
    rule: "allow run CI=1 make",
    allows: ["CI=1 make", "CI='1' make"],
    asks: ["make", "CI=2 make", "CI=1 X=2 make", "X=2 CI=1 make", "CI=$X make", "CI=1 make x"],
  },
  "a file of the workspace, in any current directory": {
    rule: "allow run ./build.sh\nallow run cd *",
    allows: ["./build.sh", "/home/ada/work/build.sh", "x/../build.sh", "cd src && ../build.sh"],
    asks: [
      "build.sh",
      "cd src && ./build.sh",
      "cd /tmp && ./build.sh",
      "cd $X && ./build.sh",
      "src/build.sh",
    ],
  },
  "code only when it runs in the workspace": {
    rule: "allow run npm test\nallow run cd *\nallow read /tmp",
    allows: ["cd src && npm test", "cd /home/ada/work/src && npm test"],
    asks: [
      "cd /tmp && npm test",
      "cd .. && npm test",
      "cd src/../.. && npm test",
      "cd $X && npm test",
      "cd ~/work-evil && npm test",
    ],
  },
  "commands that only read": {
    rule: "allow run @read",
    allows: [
      "ls",
      "git log | head -5",
      "sort a | uniq -c",
      "LC_ALL=C sort a",
      "cd src && ls",
      "wc -l < a > b",
      "awk 'system(1)' a",
    ],
    asks: [
      "npm ls x && make",
      "echo $(date)",
      "touch a",
      "rm a",
      "curl a.example",

      // Its view would be writable.
      "sed -f x.sed a > b",
      "awk 'system(1)' a > b",
      "sort -o b a",
      "export PATH=.; ls",
    ],
  },
  "commands that write at most": {
    rule: "allow run @write",
    allows: ["touch a", "ls", "mkdir -p a/b", "sort -o b a", "cp a b"],
    asks: ["rm a", "make", "curl a.example", "mv a ../b"],
  },
  "no word that makes a harmless program run something": {
    rule: "allow run sort **\nallow run sed **\nallow run git **\nallow run rg **\nallow run tar **\nallow run find **\nallow read **",
    allows: [
      "sort -u a",
      "sed p a",
      "git log",
      "git push",
      "git commit -m x",
      "rg a",
      "tar tf a.tar",
      "find . -name a",
    ],
    asks: [
      "sort --compress-program=x a",
      "sort --compress-prog=x a",
      "git -c core.fsmonitor=x status",
      "git --exec-path=x status",
      "git push --force",
      "git push origin +main",
      "git diff --ext-diff",
      "rg --pre x a",
      "tar xf a.tar --to-command=x",
      "tar cf a.tar --checkpoint-action=exec=x .",
      "find . -delete",
      "find . -exec x {} ;",
    ],
  },
  "no abbreviation or short form of such a word": {
    rule: "allow run git **\nallow run sort **\nallow run split **\nallow run tar **\nallow run rsync **\nallow read **\nallow write **",
    allows: [
      "git push -u origin main",
      "git push --progress --follow-tags",
      "git switch -c new",
      "git commit -C HEAD",
      "git diff --check --oneline",
      "git rev-parse --git-dir",
      "git apply --check a.patch",
      "git clone --depth 1 a",
      "tar -czf a.tar Images",
      "sort --check a",
    ],
    asks: [
      "git push --del origin main",
      "git push --mir",
      "git push --f origin main",
      "git push --pru origin",
      "git push --force-w origin",
      "git push --exe=./x origin",
      "git -c core.sshCommand=./x push",
      "git -C a push",
      "git grep -O./x a",
      "git grep -nO./x a",
      "git grep --open=./x a",
      "git diff --out=x",
      "git diff --ext",
      "git clone -c core.fsmonitor=./x a",
      "git clone --conf core.fsmonitor=./x a",
      "git clone -u ./x a",
      "git fetch --upload=./x",
      "git difftool -x ./x",
      "tar -I ./x -cf a.tar b",
      "tar -cI./x -f a.tar b",
      "tar cIf ./x a.tar b",
      "tar --to-com=./x -xf a.tar",
      "tar --use=./x -cf a.tar b",
      "tar -F ./x -cf a.tar b",
      "sort --compress-p=./x a",
      "sort --comp ./x a",
      "split --fil=./x a",
      "rsync -ae ./x a b",
    ],
  },
  "such a word if the rule spells it out": {
    rule: "allow run rg --pre cat **\nallow run sort --compress-program=* **\nallow run git push --force *\nallow run cat\nallow run gzip\nallow read **",
    allows: ["rg --pre cat a", "git push --force origin", "sort --compress-program=gzip a"],
    asks: ["rg a --pre cat", "rg --pre bat a", "git push -f origin", "git push origin --force"],
  },
  "git's subcommand after options with values": {
    rule: "allow run git --namespace a **\nallow run git --git-dir .git **\nallow read **",
    allows: ["git --namespace a push"],
    asks: ["git --namespace a push --force", "git --git-dir .git push --force", "git --git-dir .git push"],
  },
  "no command that an earlier one has affected": {
    rule: "allow run ls\nallow run git diff\nallow run export **\nallow run alias **",
    allows: ["ls && git diff"],
    asks: [
      "A=1; ls",
      "export GIT_EXTERNAL_DIFF=x; git diff",
      "PATH=.; ls",
      "LD_PRELOAD=x ls",
      "alias ls=x; ls",
      "BASH_ENV=x; ls",
    ],
  },
  "every part of a pipe, not only the first": {
    rule: "allow run ls\nallow run wc *",
    allows: ["ls | wc -l", "ls && ls | wc -c", "(ls; ls) | wc -l", "{ ls; }"],
    asks: [
      "ls | sh",
      "ls && rm a",
      "ls; $X",
      "ls $(make)",
      "ls > ../a",
      "echo `make` | wc -l",
      "ls & make",
      "if ls; then ls; fi",
    ],
  },
};

it.each(Object.entries(rows))("an allow rule covers %s", (_name, { rule, allows, asks }) => {
  const verdicts = (commands: readonly string[]) =>
    commands.map((command) => [command, verdictOn(command, rule)]);
  expect({ allows: verdicts(allows), asks: verdicts(asks) }).toEqual({
    allows: allows.map((command) => [command, "allow"]),
    asks: asks.map((command) => [command, "ask"]),
  });
});
