import { expect, it } from "vitest";
import { outline } from "../../../../test/support/commands/outline.ts";

const cases: readonly (readonly [name: string, command: string, lines: readonly string[]])[] = [
  ["cd", "cd src && cat a", ["read: cd src (look at <src>)", "read: cat a @src (read <a>)"]],
  [
    "cd that makes later paths unknown",
    "cd src; cat a",
    ["read: cd src (look at <src>)", "read: cat a @? (read <a>)"],
  ],
  ["cd that may fail", "cd src || cat a", ["read: cd src (look at <src>)", "read: cat a @? (read <a>)"]],
  [
    "cd twice",
    "cd a && cd b && cat c",
    ["read: cd a (look at <a>)", "read: cd b @a (look at <b>)", "read: cat c @a/b (read <c>)"],
  ],
  [
    "cd in a subshell",
    "(cd a && cat b); cat c",
    ["read: cd a (look at <a>)", "read: cat b @a (read <b>)", "read: cat c (read <c>)"],
  ],
  [
    "cd to an absolute path",
    "cd /tmp && cat a",
    ["read: cd /tmp (look at </tmp>)", "read: cat a @/tmp (read <a>)"],
  ],
  [
    "cd to an expansion",
    'cd "$x" && cat a',
    ['read: cd «"$x"» (look at <"$x">)', "read: cat a @? (read <a>)"],
  ],
  ["cd -", "cd - && cat a", ["read: cd -", "read: cat a @? (read <a>)"]],
  [
    "cd in a loop",
    "for x in a b; do cat c; cd d; done",
    ["read: cat c @? (read <c>)", "read: cd d @? (look at <d>)"],
  ],
  ["pushd", "pushd a && cat b", ["read: pushd a (look at <a>)", "read: cat b @? (read <b>)"]],
  ["printf", "printf '%s\\n' a", ["read: printf %s\\n a"]],
  [
    "printf -v",
    "printf -v PATH x; ls",
    ["read: printf -v PATH x", "execute: ls (PATH was changed, and decides what it runs)"],
  ],
  [
    "printf -v with a subscript",
    "printf -v 'a[$(rm x)]' y",
    [
      "read: printf -v a[$(rm x)] y",
      "not understood: a variable whose name may contain a command: 'a[$(rm x)]'",
    ],
  ],
  [
    "printf with an expansion",
    'printf "$x"',
    ['read: printf «"$x"»', 'not understood: a first word of printf that is known only at run time: "$x"'],
  ],
  ["read", "read -r a b", ["read: read -r a b"]],
  [
    "read into PATH",
    "read PATH; ls",
    ["read: read PATH", "execute: ls (PATH was changed, and decides what it runs)"],
  ],
  [
    "read with a subscript",
    "read 'a[$(rm x)]'",
    ["read: read a[$(rm x)]", "not understood: a variable whose name may contain a command: 'a[$(rm x)]'"],
  ],
  ["read -a", "read -ra parts", ["read: read -ra parts"]],
  [
    "mapfile -C",
    "mapfile -C 'rm x' -c 1 a",
    [
      "execute: mapfile -C rm x -c 1 a (mapfile -C runs a command)",
      "destructive: rm x [mapfile -C] (deletes x; delete <x>)",
      "not understood: a callback that may change this shell: -C",
    ],
  ],
  ["test", "test -f a -a -d b", ["read: test -f a -a -d b (look at <a>; look at <b>)"]],
  [
    "test -v with a subscript",
    "test -v 'a[$(rm x)]'",
    ["read: test -v a[$(rm x)]", "not understood: a subscript that may contain a command: 'a[$(rm x)]'"],
  ],
  ["[", "[ -f a ]", ["read: [ -f a ] (look at <a>)"]],
  [
    "test of a splitting variable",
    "x='-v a[$(rm y)]'; [ $x -gt 0 ]",
    [
      "read: x=-v a[$(rm y)]",
      "read: [ «$x» -gt 0 ]",
      "not understood: [ evaluates the text of x, which may contain a command: $x",
    ],
  ],
  [
    "test of a number",
    "x=1; [ $x -gt 0 ]; [ $# -gt 0 ]",
    ["read: x=1", "read: [ «$x» -gt 0 ]", "read: [ «$#» -gt 0 ]"],
  ],
  [
    "test of a quoted variable",
    '[ "$x" = a ]; [ -n "$x" ]; [ -z "$(ls)" ]',
    ['read: [ «"$x"» = a ]', 'read: [ -n «"$x"» ]', "read: ls", 'read: [ -z «"$(ls)"» ]'],
  ],
  [
    "test of two quoted variables",
    '[ "$x" "$y" ]',
    ['read: [ «"$x"» «"$y"» ]', 'not understood: a subscript that may contain a command: "$y"'],
  ],
  [
    "test of output",
    "[ $(wc -l < f) -gt 0 ]",
    [
      "read: wc -l (read <f>)",
      "read: [ «$(wc -l < f)» -gt 0 ]",
      "not understood: [ evaluates words that may contain a command: $(wc -l < f)",
    ],
  ],
  ["history -w", "history -w f", ["write: history -w f (history -w writes; writes f; write <f>)"]],
  ["history -c", "history -c", ["destructive: history -c (history -c deletes)"]],
  [
    "history -p",
    "history -p '$(rm x)'",
    [
      "execute: history -p $(rm x) (history -p is not known to be harmless; writes '$(rm x)'; history -p expands text; write <$(rm x)>)",
      "not understood: history -p expands text: history -p '$(rm x)'",
    ],
  ],
  [
    "fc",
    "fc -s",
    [
      "execute: fc -s (fc runs commands of the history)",
      "not understood: fc runs commands of the history: fc -s",
    ],
  ],
  ["type", "type ls", ["read: type ls"]],
  ["hash", "hash -r", ["read: hash -r"]],
  [
    "hash -p",
    "hash -p /tmp/evil ls; ls",
    [
      "execute: hash -p /tmp/evil ls (hash -p lets a name run another file)",
      "read: ls",
      "not understood: hash -p lets a name run another file: -p",
    ],
  ],
  [
    "alias",
    "alias ls=rm",
    [
      "execute: alias ls=rm (alias changes what later words mean)",
      "not understood: alias changes what later words mean: alias ls=rm",
    ],
  ],
  ["set -e", "set -euo pipefail", ["read: set -euo pipefail"]],
  ["set -x", "set -x", ["read: set -x"]],
  [
    "set -k",
    "set -k",
    [
      "execute: set -k (set changes how later commands are read)",
      "not understood: set changes how later commands are read: -k",
    ],
  ],
  [
    "set -o posix",
    "set -o posix",
    [
      "execute: set -o posix (set changes how later commands are read)",
      "not understood: set changes how later commands are read: posix",
    ],
  ],
  ["set --", "set -- a b", ["read: set -- a b"]],
  [
    "set with an expansion",
    "set $x",
    [
      "execute: set «$x» (set changes how later commands are read)",
      "not understood: set changes how later commands are read: $x",
    ],
  ],
  ["shopt globstar", "shopt -s globstar nullglob", ["read: shopt -s globstar nullglob"]],
  [
    "shopt extglob",
    "shopt -s extglob",
    [
      "execute: shopt -s extglob (shopt changes how later commands are read)",
      "not understood: shopt changes how later commands are read: extglob",
    ],
  ],
  [
    "shopt expand_aliases",
    "shopt -s expand_aliases",
    [
      "execute: shopt -s expand_aliases (shopt changes how later commands are read)",
      "not understood: shopt changes how later commands are read: expand_aliases",
    ],
  ],
  [
    "enable -f",
    "enable -f ./evil.so evil",
    [
      "execute: enable -f ./evil.so evil (enable can load code into the shell and replaces builtins)",
      "not understood: enable can load code into the shell and replaces builtins: enable -f ./evil.so evil",
    ],
  ],
  ["source", "source a", ["execute: source a (runs the commands in a and changes this shell; read <a>)"]],
  [
    ". with a path",
    ". ./a",
    ["execute: . ./a (runs the commands in ./a and changes this shell; read <./a>)"],
  ],
  [
    "source of a descriptor",
    "source <(curl x)",
    [
      "network: curl x (connects to x; network <x>)",
      "execute: source «<(curl x)» (runs the commands in <(curl x) and changes this shell)",
      "not understood: commands that are known only at run time: <(curl x)",
    ],
  ],
  [
    "let",
    "let x=1",
    [
      "execute: let x=1 (let evaluates text as arithmetic, which may run commands)",
      "not understood: let evaluates text as arithmetic, which may run commands: let x=1",
    ],
  ],
  [
    "declare -n",
    "declare -n x=PATH; x=y; ls",
    [
      "read: declare -n x=PATH",
      "read: x=y",
      "read: ls",
      "not understood: declare -n changes what assignments do: -n",
    ],
  ],
  [
    "declare -i",
    "declare -i x='a[$(rm y)]'",
    ["read: declare -i x=a[$(rm y)]", "not understood: declare -i changes what assignments do: -i"],
  ],
  [
    "declare -a of text",
    "declare -a 'x=($(rm y))'",
    [
      "read: declare -a x=($(rm y))",
      "not understood: the text of an array is expanded again, which may run a command: 'x=($(rm y))'",
    ],
  ],
  [
    "declare -a of an expansion",
    'declare -a x="$y"',
    [
      'read: declare -a «x="$y"»',
      'not understood: the text of an array is expanded again, which may run a command: x="$y"',
    ],
  ],
  [
    "declare of an array",
    'x=(1); local x="$y"',
    [
      "read: x=?",
      'read: local «x="$y"»',
      'not understood: the text of an array is expanded again, which may run a command: x="$y"',
    ],
  ],
  ["declare -a", "declare -a x=(1 2)", ["read: declare -a «x=(1 2)»"]],
  [
    "declare with a subscript",
    "declare 'a[$(rm x)]=1'",
    [
      "read: declare a[$(rm x)]=1",
      "not understood: a variable whose name may contain a command: 'a[$(rm x)]=1'",
    ],
  ],
  ["export", "export A=1", ["read: export A=1"]],
  [
    "export of PATH",
    "export PATH=.:$PATH; ls",
    ["read: export «PATH=.:$PATH»", "execute: ls (PATH was changed, and decides what it runs)"],
  ],
  ["export without a value", "export PATH", ["read: export PATH"]],
  ["export of an expansion", "export A=$x", ["read: export «A=$x»"]],
  [
    "a quoted export of an expansion",
    "\\export A=$x",
    ["read: export «A=$x»", "not understood: a variable whose name may contain a command: A=$x"],
  ],
  [
    "local of an expansion",
    "local $x",
    ["read: local «$x»", "not understood: a variable whose name may contain a command: $x"],
  ],
  ["unset", "unset PATH", ["read: unset PATH"]],
  ["kill", "kill %1", ["destructive: kill %1 (kill ends processes)"]],
  [
    "bind -x",
    "bind -x '\"a\": rm x'",
    [
      'execute: bind -x "a": rm x (bind can run commands on keys)',
      "not understood: bind can run commands on keys: bind -x '\"a\": rm x'",
    ],
  ],
  [
    "complete -C",
    "complete -C rm x",
    [
      "execute: complete -C rm x (complete can run commands)",
      "not understood: complete can run commands: complete -C rm x",
    ],
  ],
  [
    "compgen -C",
    "compgen -C rm",
    [
      "execute: compgen -C rm (compgen can run commands)",
      "not understood: compgen can run commands: compgen -C rm",
    ],
  ],
  [
    "wait -p",
    "wait -n -p PATH; ls",
    ["read: wait -n -p PATH", "execute: ls (PATH was changed, and decides what it runs)"],
  ],
  [
    "getopts",
    "getopts ab PATH; ls",
    ["read: getopts ab PATH", "execute: ls (PATH was changed, and decides what it runs)"],
  ],
];

it.each(cases)("interprets %s", (_name, command, lines) => {
  expect(outline(command)).toEqual(lines);
});
