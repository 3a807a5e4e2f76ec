// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { expect, it } from "vitest";
import { outline } from "../../../test/support/commands/outline.ts";

const cases: readonly (readonly [name: string, command: string, lines: readonly string[]])[] = [
  [
    "a syntax error",
    "ls; if",
    [
      "read: ls",
      "not understood: a syntax error: expected 'then': ",
      "not understood: a syntax error: expected 'fi' to close 'if': ",
    ],
  ],
  [
    "an unterminated quote",
    "ls 'a",
    [
      "read: ls a (look at <a>)",
      "not understood: a syntax error: unterminated single quote: 'a",
      "not understood: a quotation that was not parsed completely: 'a",
    ],
  ],
  [
    "an unterminated substitution",
    "ls $(rm a",
    [
      "destructive: rm a (deletes a; delete <a>)",
      "read: ls «$(rm a» (look at <$(rm a>)",
      "not understood: a syntax error: unterminated command substitution: $(rm a",
    ],
  ],
  [
    "an unterminated here-document",
    "cat <<E\nrm a",
    ["read: cat", "not understood: a here-document that does not end: <<E"],
  ],
  [
    "an expansion as the program",
    '$x; "$x"; $(ls); `ls`; ${x:-ls}; ~/x; l?; {ls,}',
    [
      "execute: «$x» (runs a program that is known only at run time)",
      'execute: «"$x"» (runs a program that is known only at run time)',
      "read: ls",
      "execute: «$(ls)» (runs a program that is known only at run time)",
      "read: ls",
      "execute: «`ls`» (runs a program that is known only at run time)",
      "execute: «${x:-ls}» (runs a program that is known only at run time)",
      "execute: «~/x» (runs a program that is known only at run time)",
      "execute: «l?» (runs a program that is known only at run time)",
      "execute: «{ls,}» (runs a program that is known only at run time)",
      "not understood: an expansion as the name of the program: $x",
      'not understood: an expansion as the name of the program: "$x"',
      "not understood: an expansion as the name of the program: $(ls)",
      "not understood: an expansion as the name of the program: `ls`",
      "not understood: an expansion as the name of the program: ${x:-ls}",
      "not understood: an expansion as the name of the program: ~/x",
      "not understood: an expansion as the name of the program: l?",
      "not understood: an expansion as the name of the program: {ls,}",
    ],
  ],
  [
    "a home directory",
    "~/bin/x",
    [
      "execute: «~/bin/x» (runs a program that is known only at run time)",
      "not understood: an expansion as the name of the program: ~/bin/x",
    ],
  ],
  [
    "words that are joined",
    "ls a<(cat b)",
    [
      "read: cat b (read <b>)",
      "read: ls a «<(cat b)» (look at <a>; look at <<(cat b)>)",
      "not understood: words without a separator: a<(cat b)",
    ],
  ],
  [
    "a keyword after a redirection",
    "<a time rm b",
    [
      "read: time rm b (read <a>)",
      "destructive: rm b [time] (deletes b; delete <b>)",
      "not understood: a keyword as the name of the program: time",
    ],
  ],
  [
    "a descriptor in a variable",
    "ls >&$x",
    [
      "network: ls ($x may become a network address of the shell; writes $x; write <$x>)",
      "not understood: a redirection to an unknown descriptor: >&$x",
    ],
  ],
  [
    "an internal descriptor of the shell",
    "cat <&10 > a; read -u 10 x; mapfile -u $n; ls >&3",
    [
      "write: cat (writes a; write <a>)",
      "read: read -u 10 x",
      "execute: mapfile -u «$n» ($n may become an option of mapfile)",
      "read: ls",
      "not understood: a descriptor that the shell may use itself: <&10",
      "not understood: a descriptor that the shell may use itself: -u",
      "not understood: a descriptor that the shell may use itself: -u",
    ],
  ],
  [
    "a joined descriptor",
    "ls 2>&1x",
    ["write: ls (writes 1x; write <1x>)", "not understood: a redirection to an unknown descriptor: 2>&1x"],
  ],
  [
    "a translated string",
    'ls $"a"',
    ['read: ls «$"a"» (look at <$"a">)', 'not understood: a translated string: $"a"'],
  ],
  [
    "an escape",
    "ls $'\\u00e9' $'\\0' $'a\\cb'",
    [
      "read: ls é  a\u0002 (look at <é>; look at <>; look at <a\u0002>)",
      "not understood: an escape that shells read differently: $'\\u00e9'",
      "not understood: an escape that shells read differently: $'\\0'",
      "not understood: an escape that shells read differently: $'a\\cb'",
    ],
  ],
  [
    "arithmetic on a variable",
    "echo $((x + 1))",
    [
      "read: echo «$((x + 1))»",
      "not understood: arithmetic evaluates the text of x, which may contain a command: x",
    ],
  ],
  [
    "arithmetic on a number",
    "x=1; y=$((x + 1)); echo $((x + y)) ${a[x]} $((RANDOM % 3))",
    ["read: x=1", "read: y=?", "read: echo «$((x + y))» «${a[x]}» «$((RANDOM % 3))»"],
  ],
  ["arithmetic on a count", "n=$#; echo $((n + 1))", ["read: n=?", "read: echo «$((n + 1))»"]],
  [
    "arithmetic on read input",
    "read n; echo $((n + 1))",
    [
      "read: read n",
      "read: echo «$((n + 1))»",
      "not understood: arithmetic evaluates the text of n, which may contain a command: n",
    ],
  ],
  [
    "arithmetic on output",
    "echo $(($(cat n) + 1)) $((`cat n`))",
    [
      "read: cat n (read <n>)",
      "read: cat n (read <n>)",
      "read: echo «$(($(cat n) + 1))» «$((`cat n`))»",
      "not understood: arithmetic on the output of a command, which may contain another command: $(cat n)",
      "not understood: arithmetic on text that may contain a command: `cat n`",
    ],
  ],
  [
    "arithmetic in a subscript",
    "echo ${a[x]} ${a[$x]}; a[x]=1; unset 'a[x]'",
    [
      "read: echo «${a[x]}» «${a[$x]}»",
      "read: a=1",
      "read: unset a[x]",
      "not understood: a variable whose name may contain a command: 'a[x]'",
      "not understood: arithmetic evaluates the text of x, which may contain a command: x",
      "not understood: arithmetic evaluates the text of x, which may contain a command: $x",
      "not understood: arithmetic evaluates the text of x, which may contain a command: x",
    ],
  ],
  [
    "arithmetic in a slice",
    "echo ${x:y} ${x:0:z}",
    [
      "read: echo «${x:y}» «${x:0:z}»",
      "not understood: arithmetic evaluates the text of y, which may contain a command: y",
      "not understood: arithmetic evaluates the text of z, which may contain a command: z",
    ],
  ],
  [
    "arithmetic in a conditional",
    "[[ $x -eq 1 ]]; [[ -v a[x] ]]",
    [
      "not understood: arithmetic evaluates the text of x, which may contain a command: $x",
      "not understood: arithmetic evaluates the text of a, which may contain a command: a",
      "not understood: arithmetic evaluates the text of x, which may contain a command: [x]",
    ],
  ],
  ["arithmetic on a loop", "for i in 1 2 {3..5}; do echo $((i * 2)); done", ["read: echo «$((i * 2))»"]],
  [
    "arithmetic that may run commands",
    "((ls); rm a)",
    [
      "read: ls",
      "destructive: rm a (deletes a; delete <a>)",
      "not understood: parentheses that may be arithmetic: ((ls); rm a)",
    ],
  ],
  ["an array with subscripts", "a=([x]=1)", ["read: a=?", "not understood: an array with subscripts: [x]=1"]],
  [
    "a parameter without a plain name",
    "echo ${!x} ${!x@} ${!x[@]} ${x@Q} ${x@P}",
    [
      "read: echo «${!x}» «${!x@}» «${!x[@]}» «${x@Q}» «${x@P}»",
      "not understood: the name in a variable is expanded, which may run a command: ${!x}",
      "not understood: the text of a variable is expanded like a prompt, which may run a command: ${x@P}",
    ],
  ],
  [
    "an extended glob",
    "ls !(a)",
    ["read: ls «!(a)» (look at <!(a)>)", "not understood: a glob that bash reads only with extglob: !(a)"],
  ],
  [
    "a coprocess in a substitution",
    "echo $(coproc ls)",
    ["read: ls", "read: echo «$(coproc ls)»", "not understood: a coprocess in a substitution: coproc ls"],
  ],
  [
    "invisible characters",
    "ls a\u200bb \u2066",
    [
      "read: ls a\u200bb \u2066 (look at <a\u200bb>; look at <\u2066>)",
      "not understood: an invisible character (U+200B): ",
      "not understood: an invisible character (U+2066): ",
    ],
  ],
  [
    "control characters",
    "ls a\u001b[2K",
    ["read: ls a\u001b[2K (look at <a\u001b[2K>)", "not understood: an invisible character (U+001B): "],
  ],
];

it.each(cases)("reports as not understood: %s", (_name, command, lines) => {
  expect(outline(command)).toEqual(lines);
});
