import { expect, it } from "vitest";
import { outline } from "../../../../test/support/commands/outline.ts";

const cases: readonly (readonly [name: string, command: string, lines: readonly string[]])[] = [
  ["git status", "git status", ["read: git status"]],
  ["git status --short", "git status --short", ["read: git status --short"]],
  ["git log --oneline -5", "git log --oneline -5", ["read: git log --oneline -5"]],
  [
    "git diff HEAD~1 -- src",
    "git diff HEAD~1 -- src",
    ["read: git diff HEAD~1 -- src (read <HEAD~1>; read <src>)"],
  ],
  ["git show HEAD:a", "git show HEAD:a", ["read: git show HEAD:a (read <HEAD:a>; read <a>)"]],
  ["git blame a", "git blame a", ["read: git blame a (read <a>)"]],
  ["git grep foo", "git grep foo", ["read: git grep foo (read <foo>)"]],
  ["git branch", "git branch", ["read: git branch"]],
  ["git branch -a", "git branch -a", ["read: git branch -a"]],
  [
    "git branch -D x",
    "git branch -D x",
    ["destructive: git branch -D x (git branch makes, moves or deletes branches)"],
  ],
  [
    "git branch new",
    "git branch new",
    ["write: git branch new (git branch makes, moves or deletes branches)"],
  ],
  ["git tag", "git tag", ["read: git tag"]],
  ["git tag v1", "git tag v1", ["write: git tag v1 (git tag makes or deletes tags)"]],
  ["git stash list", "git stash list", ["read: git stash list"]],
  ["git stash", "git stash", ["write: git stash (git stash moves changes away or deletes them)"]],
  [
    "git stash drop",
    "git stash drop",
    ["destructive: git stash drop (git stash moves changes away or deletes them)"],
  ],
  ["git remote -v", "git remote -v", ["read: git remote -v"]],
  [
    "git remote add x y",
    "git remote add x y",
    ["network: git remote add x y (git remote changes or asks other repositories)"],
  ],
  ["git config --get user.name", "git config --get user.name", ["read: git config --get user.name"]],
  [
    "git config user.name x",
    "git config user.name x",
    [
      "execute: git config user.name x (git config changes settings, which can name programs; write <.git/config>)",
    ],
  ],
  [
    "git config core.pager evil",
    "git config core.pager evil",
    [
      "execute: git config core.pager evil (git config changes settings, which can name programs; write <.git/config>)",
    ],
  ],
  ["git worktree list", "git worktree list", ["read: git worktree list"]],
  [
    "git worktree remove x",
    "git worktree remove x",
    ["destructive: git worktree remove x (git worktree makes or deletes work trees; write <x>)"],
  ],
  [
    "git worktree add x",
    "git worktree add x",
    ["execute: git worktree add x (git worktree makes or deletes work trees; write <x>)"],
  ],
  [
    "git log --show-signature",
    "git log --show-signature",
    ["execute: git log --show-signature (git --show-signature runs a program)"],
  ],
  [
    "git branch --edit-description",
    "git branch --edit-description",
    [
      "execute: git branch --edit-description (git --edit-description runs a program; git branch makes, moves or deletes branches)",
    ],
  ],
  ["git reflog", "git reflog", ["read: git reflog"]],
  [
    "git reflog expire --all",
    "git reflog expire --all",
    ["destructive: git reflog expire --all (git reflog deletes restorable commits)"],
  ],
  ["git add .", "git add .", ["write: git add . (git add changes the index; read <.>)"]],
  ["git commit -m x", "git commit -m x", ["execute: git commit -m x (git commit runs hooks)"]],
  ['git commit -m "$x"', 'git commit -m "$x"', ['execute: git commit -m «"$x"» (git commit runs hooks)']],
  ["git push", "git push", ["network: git push (git push publishes)"]],
  [
    "git push --force",
    "git push --force",
    ["destructive: git push --force (git push overwrites or deletes commits of others; git push publishes)"],
  ],
  [
    "git push origin +x",
    "git push origin +x",
    [
      "destructive: git push origin +x (git push overwrites or deletes commits of others; git push publishes)",
    ],
  ],
  [
    "git push origin :x",
    "git push origin :x",
    [
      "destructive: git push origin :x (git push overwrites or deletes commits of others; git push publishes)",
    ],
  ],
  ["git pull", "git pull", ["network: git pull (git pull fetches and merges)"]],
  [
    "git fetch --upload-pack=evil",
    "git fetch --upload-pack=evil",
    ["network: git fetch --upload-pack=evil (git --upload-pack runs a program; git fetch fetches)"],
  ],
  [
    "git clone https://a.example",
    "git clone https://a.example",
    ["network: git clone https://a.example (git clone fetches a repository)"],
  ],
  [
    "git clone -c core.x=y https://a.example",
    "git clone -c core.x=y https://a.example",
    [
      "network: git clone -c core.x=y https://a.example (git -c runs a program; git clone fetches a repository)",
    ],
  ],
  [
    "git checkout -- a",
    "git checkout -- a",
    ["destructive: git checkout -- a (git checkout overwrites files and runs hooks; write <a>)"],
  ],
  [
    "git checkout x",
    "git checkout x",
    ["destructive: git checkout x (git checkout overwrites files and runs hooks; write <x>)"],
  ],
  ["git reset --hard", "git reset --hard", ["destructive: git reset --hard (git reset discards changes)"]],
  ["git reset a", "git reset a", ["destructive: git reset a (git reset discards changes)"]],
  [
    "git restore a",
    "git restore a",
    ["destructive: git restore a (git restore overwrites files; write <a>)"],
  ],
  ["git clean -fd", "git clean -fd", ["destructive: git clean -fd (git clean deletes files)"]],
  [
    "git rebase -x evil",
    "git rebase -x evil",
    [
      "destructive: git rebase -x evil (git -x runs a command; git rebase rewrites history and runs hooks)",
      "execute: evil [git -x] (runs evil, which is not a known program)",
    ],
  ],
  [
    "git bisect run evil",
    "git bisect run evil",
    [
      "execute: git bisect run evil (git bisect checks out and runs)",
      "execute: evil [git bisect run] (runs evil, which is not a known program)",
    ],
  ],
  [
    "git submodule foreach evil",
    "git submodule foreach evil",
    [
      "execute: git submodule foreach evil (git submodule runs commands or fetches)",
      "execute: evil [git submodule foreach] (runs evil, which is not a known program)",
    ],
  ],
  ["git difftool", "git difftool", ["execute: git difftool (git difftool runs a program)"]],
  [
    "git ls-remote --exec=evil x",
    "git ls-remote --exec=evil x",
    [
      "network: git ls-remote --exec=evil x (git --exec runs a command; git ls-remote asks another machine)",
      "execute: evil [git --exec] (runs evil, which is not a known program)",
    ],
  ],
  [
    "git archive --remote=x HEAD",
    "git archive --remote=x HEAD",
    [
      "network: git archive --remote=x HEAD (git --remote connects to the network; git archive writes an archive; read <HEAD>)",
    ],
  ],
  [
    "git archive HEAD",
    "git archive HEAD",
    ["write: git archive HEAD (git archive writes an archive; read <HEAD>)"],
  ],
  [
    "git cat-file --textconv HEAD:a",
    "git cat-file --textconv HEAD:a",
    ["execute: git cat-file --textconv HEAD:a (git --textconv runs a program; read <HEAD:a>; read <a>)"],
  ],
  [
    "git -C sub status",
    "git -C sub status",
    ["execute: git -C sub status (git obeys the settings of a repository in another directory; read <sub>)"],
  ],
  [
    "git --git-dir=x status",
    "git --git-dir=x status",
    ["execute: git --git-dir=x status (git --git-dir=x is not known to be harmless)"],
  ],
  ["git -p log", "git -p log", ["execute: git -p log (git -p is not known to be harmless)"]],
  ["git --no-pager log", "git --no-pager log", ["read: git --no-pager log"]],
  ["git -c color.ui=never log", "git -c color.ui=never log", ["read: git -c color.ui=never log"]],
  [
    "git -c core.pager=evil log",
    "git -c core.pager=evil log",
    ["execute: git -c core.pager=evil log (git -c core.pager=evil may name a program)"],
  ],
  [
    "git -c core.sshCommand=evil fetch",
    "git -c core.sshCommand=evil fetch",
    [
      "network: git -c core.sshCommand=evil fetch (git -c core.sshCommand=evil may name a program; git fetch fetches)",
    ],
  ],
  [
    "git --config-env=core.pager=X log",
    "git --config-env=core.pager=X log",
    [
      "execute: git --config-env=core.pager=X log (git --config-env=core.pager=X is not known to be harmless)",
    ],
  ],
  [
    "git $x",
    "git $x",
    ["execute: git «$x» ($x may become an option of git; a git command that is known only at run time)"],
  ],
  ["git log $x", "git log $x", ["execute: git log «$x» ($x may become an option of git; read <$x>)"]],
  ["git log -- $x", "git log -- $x", ["read: git log -- «$x» (read <$x>)"]],
  [
    'git diff "$x"',
    'git diff "$x"',
    ['execute: git diff «"$x"» ("$x" may become an option of git; read <"$x">)'],
  ],
  [
    "git frobnicate",
    "git frobnicate",
    ["execute: git frobnicate (git frobnicate may run anything, such as an alias)"],
  ],
  ["git", "git", ["read: git"]],
  ["git --version", "git --version", ["read: git --version"]],
];

it.each(cases)("interprets %s", (_name, command, lines) => {
  expect(outline(command)).toEqual(lines);
});
