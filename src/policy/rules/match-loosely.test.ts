// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { expect, it } from "vitest";
import { verdictOn } from "../../../test/support/policy/decide.ts";

interface Row {
  readonly rule: string;
  readonly denies: readonly string[];
  readonly passes: readonly string[];
  /** Only the shell knows its value. */
  readonly asks?: readonly string[];
}

/** Decided in the mode that allows everything else. */
const rows: Readonly<Record<string, Row>> = {
  "flags in any order, together or apart, short or long": {
    rule: "deny run rm -rf **",
    denies: [
      "rm -rf a",
      "rm -fr a",
      "rm -r -f a",
      "rm -f a -r",
      "rm -Rf a",
      "rm --recursive --force a",
      "rm --recurs -f a",
      "rm -vrif a",
      "rm -rf -- a",
      "rm '-rf' a",
      "rm -rf",
    ],
    // Such a rule is a guard rail: it matches the words that are written.
    passes: ["rm a", "rm -r a", "rm -f a", "rmdir -rf", "echo rm -rf a", "ls rm -rf", "rm $X a"],
    asks: ["$RM -rf a"],
  },
  "the program under any name": {
    rule: "deny run rm",
    denies: [
      "rm a",
      "/bin/rm a",
      "/opt/x/rm a",
      "./rm a",
      "r''m a",
      "\\rm a",
      "$'rm' a",
      "RM a",
      "command rm a",
      "exec rm a",
    ],
    passes: ["ls rm", "rm2 a", "farm a", "git rm a"],
    asks: ["$X a", "/bin/r? a", "r$X a", "`which rm` a"],
  },
  "the command in any wrapper": {
    rule: "deny run rm",
    denies: [
      "env A=1 rm a",
      "nice -n 5 timeout 1 rm a",
      "sudo -u x rm a",
      "xargs rm < a",
      "find . -exec rm {} +",
      "sh -c 'rm a'",
      'bash -c "rm a"',
      "eval rm a",
      "trap 'rm a' EXIT",
      "bash <<E\nrm a\nE",
      "f() { rm a; }; f",
      "busybox rm a",
    ],
    passes: ["echo 'rm a'", "cat <<E\nrm a\nE", "sh -c 'echo rm'"],
  },
  "the command at any position": {
    rule: "deny run rm",
    denies: [
      "ls && rm a",
      "ls | rm a",
      "ls\nrm a",
      "ls & rm a",
      "echo $(rm a)",
      "echo `rm a`",
      "cat <(rm a)",
      "(rm a)",
      "{ rm a; }",
      "if ls; then rm a; fi",
      "for x in 1; do rm a; done",
      "case x in x) rm a;; esac",
      "x=$(rm a)",
      "cat <<E\n$(rm a)\nE",
      "! rm a",
      "time rm a",
      `${"true;".repeat(50)}rm a`,
    ],
    passes: ["cat <<'E'\n$(rm a)\nE", "echo '$(rm a)'", "ls # rm a"],
  },
  "operands in order, with options and their values in between": {
    rule: "deny run git push",
    denies: [
      "git push",
      "git push origin",
      "git -C x push",
      "git --no-pager -c a=b push",
      "git  push --force",
      "X=1 git push",
    ],
    passes: ["git commit -m push", "git stash push", "git log push", "git", "git pull"],
    asks: ["git $X", "git -C $X y", "git `echo push`"],
  },
  "further operands": {
    rule: "deny run git push * main",
    denies: ["git push origin main", "git push -f origin main"],
    passes: ["git push origin", "git push main", "git push origin dev"],
  },
  "operands anywhere after two stars": {
    rule: "deny run kubectl ** production",
    denies: [
      "kubectl delete pod production",
      "kubectl production",
      "kubectl -n production get",
      "kubectl a b production c",
    ],
    passes: ["kubectl get pod", "kubectl delete productions"],
  },
  "stars inside words, including slashes": {
    rule: "deny run npm publish*\ndeny run cat /srv/*",
    denies: ["npm publish", "npm publish-all", "cat /srv/a/b", "cat -n /srv/a", "cat //srv/./a"],
    passes: ["npm pack", "cat a"],
  },
  "aliases of npm": {
    rule: "deny run npm install\ndeny run npm run deploy",
    denies: ["npm i", "npm add x", "npm --prefix x i", "npm it", "npm run-script deploy", "sudo npm i x"],
    passes: ["npm ci", "npm test", "npm run build", "npm ls i", "cargo i", "echo npm i"],
  },
  "every alias when the rule names one": {
    rule: "deny run npm i\ndeny run cargo b\ndeny run pip3\ndeny run python3 -m build",
    denies: ["npm install", "npm add", "cargo build", "pip install x", "python -m build .", "pip3.12 list"],
    passes: ["npm ci", "cargo test", "python -m venv x"],
  },
  "programs under other names": {
    rule: "deny run pip install\ndeny run npm exec\ndeny run node",
    denies: [
      "pip3 install x",
      "pip3.11 install x",
      "python -m pip install x",
      "python3 -Im pip --quiet install x",
      "python3.12 -mpip install x",
      "/usr/bin/python3 -X dev -m pip install x",
      "npx x",
      "npm x y",
      "nodejs a.js",
    ],
    passes: ["pip list", "python -m venv x", "npm test"],
  },
  "shorthands of subcommands": {
    rule: "deny run docker compose up",
    denies: ["docker-compose up", "docker --context x compose up"],
    passes: ["docker compose ps", "docker-compose down"],
  },
  "aliases of git": {
    rule: "deny run git push\ndeny run git add\ndeny run rm",
    denies: [
      "git -c alias.x=push x",
      "git -c alias.x='push --force' x origin",
      "git -c ALIAS.X=push x",
      "git -c alias.x='!rm -rf' x a",
      "git -c alias.x=y -c alias.y=push y",
      "git stage a",
    ],
    passes: ["git -C x status", "git --git-dir x log", "git -c alias.x=push status", "git range-diff a b"],
    asks: ["git x", "git --config-env=alias.x=Y x", "git --git-dir y x", "git $X"],
  },
  "long options with their values": {
    rule: "deny run tool --target=prod",
    denies: ["tool --target=prod", "tool x --target=prod", "tool --target prod"],
    passes: ["tool --target=dev", "tool prod", "tool --target dev"],
  },
  "words with a single dash that are not flags": {
    rule: "deny run find ** -delete",
    denies: ["find . -delete", "find . -name x -delete"],
    passes: ["find . -type d -name x", "find . -depth"],
  },
  "classes of commands": {
    rule: "deny run @network",
    denies: ["curl a.example", "git push", "rm a"],
    passes: ["ls", "touch a", "make"],
  },
  everything: { rule: "deny run **", denies: ["ls", "x=1 y", "./z"], passes: [] },
};

it.each(Object.entries(rows))("a deny rule covers %s", (_name, { rule, denies, passes, asks = [] }) => {
  const verdicts = (commands: readonly string[]) =>
    commands.map((command) => [command, verdictOn(command, rule, { mode: "yolo" })]);
  expect({ denies: verdicts(denies), passes: verdicts(passes), asks: verdicts(asks) }).toEqual({
    denies: denies.map((command) => [command, "deny"]),
    passes: passes.map((command) => [command, "allow"]),
    asks: asks.map((command) => [command, "ask"]),
  });
});
