// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { expect, it } from "vitest";
import { outline } from "../../../test/support/commands/outline.ts";

const cases: readonly (readonly [name: string, command: string, lines: readonly string[]])[] = [
  [
    "PATH before one command",
    "PATH=. ls; cat a",
    ["execute: PATH=. ls (PATH was changed, and decides what it runs)", "read: cat a (read <a>)"],
  ],
  [
    "PATH for the following commands",
    "PATH=.; ls; echo",
    ["read: PATH=.", "execute: ls (PATH was changed, and decides what it runs)", "read: echo"],
  ],
  [
    "LD_PRELOAD",
    "LD_PRELOAD=./x.so ls",
    ["execute: LD_PRELOAD=./x.so ls (LD_PRELOAD was changed, and decides what it runs)"],
  ],
  [
    "BASH_ENV",
    "BASH_ENV=x bash -c ls",
    [
      "execute: BASH_ENV=x bash -c ls (BASH_ENV was changed, and decides what it runs)",
      "execute: ls [bash -c] (BASH_ENV was changed, and decides what it runs)",
    ],
  ],
  [
    "ENV",
    "ENV=x sh -c ls",
    [
      "execute: ENV=x sh -c ls (ENV was changed, and decides what it runs)",
      "execute: ls [sh -c] (ENV was changed, and decides what it runs)",
    ],
  ],
  ["IFS", "IFS=/; echo a", ["read: IFS=/", "execute: echo a (IFS was changed, and decides what it runs)"]],
  ["IFS for read", "IFS= read -r x", ["read: IFS= read -r x"]],
  [
    "GIT_SSH_COMMAND",
    "GIT_SSH_COMMAND=evil git fetch; GIT_SSH_COMMAND=evil ls",
    [
      "network: GIT_SSH_COMMAND=evil git fetch (git fetch fetches; GIT_SSH_COMMAND was changed, and decides what it runs)",
      "execute: GIT_SSH_COMMAND=evil ls (GIT_SSH_COMMAND was changed, and decides what it runs)",
    ],
  ],
  [
    "GIT_CONFIG_COUNT",
    "export GIT_CONFIG_COUNT=1; git status",
    [
      "read: export GIT_CONFIG_COUNT=1",
      "execute: git status (GIT_CONFIG_COUNT was changed, and decides what it runs)",
    ],
  ],
  [
    "PAGER",
    "PAGER=evil git log",
    ["execute: PAGER=evil git log (PAGER was changed, and decides what it runs)"],
  ],
  [
    "MANPAGER",
    "MANPAGER=evil man ls",
    ["execute: MANPAGER=evil man ls (MANPAGER was changed, and decides what it runs)"],
  ],
  [
    "EDITOR",
    "EDITOR=evil git commit",
    ["execute: EDITOR=evil git commit (git commit runs hooks; EDITOR was changed, and decides what it runs)"],
  ],
  [
    "LESSOPEN",
    "LESSOPEN='|evil %s' less a",
    ["execute: LESSOPEN=|evil %s less a (LESSOPEN was changed, and decides what it runs; read <a>)"],
  ],
  [
    "NODE_OPTIONS",
    "NODE_OPTIONS=--require=./x node --version",
    [
      "execute: NODE_OPTIONS=--require=./x node --version (NODE_OPTIONS was changed, and decides what it runs)",
    ],
  ],
  [
    "PYTHONSTARTUP",
    "PYTHONSTARTUP=x python3 --version",
    ["execute: PYTHONSTARTUP=x python3 --version (PYTHONSTARTUP was changed, and decides what it runs)"],
  ],
  [
    "PERL5OPT",
    "PERL5OPT=-Mx perl -v",
    [
      "execute: PERL5OPT=-Mx perl -v (perl runs the code it is given; PERL5OPT was changed, and decides what it runs)",
    ],
  ],
  [
    "RIPGREP_CONFIG_PATH",
    "RIPGREP_CONFIG_PATH=x rg foo",
    [
      "execute: RIPGREP_CONFIG_PATH=x rg foo (RIPGREP_CONFIG_PATH was changed, and decides what it runs; read what is visible below <.>)",
    ],
  ],
  [
    "TAR_OPTIONS",
    "TAR_OPTIONS=--to-command=x tar tf a",
    [
      "execute: TAR_OPTIONS=--to-command=x tar tf a (TAR_OPTIONS was changed, and decides what it runs; read <a>)",
    ],
  ],
  [
    "HOME",
    "HOME=/tmp git status",
    ["execute: HOME=/tmp git status (HOME was changed, and decides what it runs)"],
  ],
  [
    "a harmless variable",
    "FOO=1 ls",
    ["execute: FOO=1 ls (FOO is passed to it, and may change what it does)"],
  ],
  [
    "a variable set by env",
    "env LD_PRELOAD=x ls; ls",
    [
      "read: env LD_PRELOAD=x ls",
      "execute: ls [env] (LD_PRELOAD was changed, and decides what it runs)",
      "read: ls",
    ],
  ],
  [
    "a function in the environment",
    "env 'BASH_FUNC_ls%%=() { rm x; }' bash -c ls",
    [
      "read: env BASH_FUNC_ls%%=() { rm x; } bash -c ls",
      "execute: bash -c ls [env] (BASH_FUNC_ls%% was changed, and decides what it runs)",
      "execute: ls [env, bash -c] (BASH_FUNC_ls%% was changed, and decides what it runs)",
    ],
  ],
  [
    "a variable set in a loop",
    "while true; do ls; PATH=.; done",
    ["read: true", "execute: ls (PATH was changed, and decides what it runs)", "read: PATH=."],
  ],
  [
    "a variable set in a function",
    "f() { PATH=.; }; f; ls",
    [
      "read: PATH=.",
      "execute: f (runs f, which is not a known program; PATH was changed, and decides what it runs)",
      "execute: ls (PATH was changed, and decides what it runs)",
    ],
  ],
  [
    "a function before the variable",
    "f() { ls; }; PATH=.; f",
    [
      "execute: ls (PATH was changed, and decides what it runs)",
      "read: PATH=.",
      "execute: f (runs f, which is not a known program; PATH was changed, and decides what it runs)",
    ],
  ],
  [
    "a variable set by for",
    "for PATH in .; do ls; done",
    ["execute: ls (PATH was changed, and decides what it runs)"],
  ],
  [
    "a variable set by an expansion",
    "echo ${PATH:=x}; ls",
    ["read: echo «${PATH:=x}»", "execute: ls (PATH was changed, and decides what it runs)"],
  ],
  [
    "a variable set by arithmetic",
    "((PATH=1)); ls",
    ["execute: ls (PATH was changed, and decides what it runs)"],
  ],
  [
    "a variable set by a coprocess",
    "coproc PATH { :; }; ls",
    ["read: :", "execute: ls (PATH was changed, and decides what it runs)"],
  ],
  [
    "a variable that holds a descriptor",
    "exec {PATH}>f; ls",
    ["write: exec (writes f; write <f>)", "execute: ls (PATH was changed, and decides what it runs)"],
  ],
  [
    "an array",
    "PATH=(a b); ls",
    ["read: PATH=?", "execute: ls (PATH was changed, and decides what it runs)"],
  ],
  [
    "an appended value",
    "PATH+=:.; ls",
    ["read: PATH=:.", "execute: ls (PATH was changed, and decides what it runs)"],
  ],
  [
    "proxies",
    "https_proxy=evil curl https://a.example",
    [
      "network: https_proxy=evil curl https://a.example (connects to https://a.example; https_proxy was changed, and decides what it runs; network <https://a.example>)",
    ],
  ],
];

it.each(cases)("tracks variables: %s", (_name, command, lines) => {
  expect(outline(command)).toEqual(lines);
});
