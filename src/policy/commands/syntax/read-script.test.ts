// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { expect, it } from "vitest";
import { outline } from "../../../../test/support/commands/outline.ts";

const cases: readonly (readonly [name: string, command: string, lines: readonly string[]])[] = [
  [
    "a pipe",
    "cat a | rm b |& tee c",
    [
      "read: cat a (read <a>)",
      "destructive: rm b (deletes b; delete <b>)",
      "write: tee c (writes c; write <c>)",
    ],
  ],
  [
    "a list",
    "cat a && rm b || touch c; touch d & touch e",
    [
      "read: cat a (read <a>)",
      "destructive: rm b (deletes b; delete <b>)",
      "write: touch c (writes c; write <c>)",
      "write: touch d (writes d; write <d>)",
      "write: touch e (writes e; write <e>)",
    ],
  ],
  [
    "a group",
    "{ cat a; rm b; } 2>&1",
    ["read: ", "read: cat a (read <a>)", "destructive: rm b (deletes b; delete <b>)"],
  ],
  [
    "a subshell",
    "( cat a; rm b ) > out",
    [
      "write:  (writes out; write <out>)",
      "read: cat a (read <a>)",
      "destructive: rm b (deletes b; delete <b>)",
    ],
  ],
  [
    "if",
    "if cat a; then rm b; elif touch c; then touch d; else touch e; fi",
    [
      "read: cat a (read <a>)",
      "destructive: rm b (deletes b; delete <b>)",
      "write: touch c (writes c; write <c>)",
      "write: touch d (writes d; write <d>)",
      "write: touch e (writes e; write <e>)",
    ],
  ],
  [
    "while",
    "while cat a; do rm b; done < in",
    ["read:  (read <in>)", "read: cat a (read <a>)", "destructive: rm b (deletes b; delete <b>)"],
  ],
  [
    "until",
    "until cat a; do rm b; done",
    ["read: cat a (read <a>)", "destructive: rm b (deletes b; delete <b>)"],
  ],
  [
    "for",
    'for x in $(cat a); do rm "$x"; done',
    ["read: cat a (read <a>)", 'destructive: rm «"$x"» (deletes "$x"; delete <"$x">)'],
  ],
  ["for without a list", "for x; do rm b; done", ["destructive: rm b (deletes b; delete <b>)"]],
  [
    "for with arithmetic",
    "for ((i = 0; i < 3; i++)); do rm b; done",
    ["destructive: rm b (deletes b; delete <b>)"],
  ],
  ["select", "select x in a b; do rm c; done", ["destructive: rm c (deletes c; delete <c>)"]],
  [
    "case",
    "case $(cat a) in b) rm c;; *) touch d;& e) touch f; esac",
    [
      "read: cat a (read <a>)",
      "destructive: rm c (deletes c; delete <c>)",
      "write: touch d (writes d; write <d>)",
      "write: touch f (writes f; write <f>)",
    ],
  ],
  ["a function", "f() { rm a; }", ["destructive: rm a (deletes a; delete <a>)"]],
  [
    "a function with the keyword",
    "function f { rm a; } > out",
    ["write:  (writes out; write <out>)", "destructive: rm a (deletes a; delete <a>)"],
  ],
  [
    "a conditional",
    "[[ -f $(cat a) && ! b -nt c ]] && rm d",
    ["read: cat a (read <a>)", "destructive: rm d (deletes d; delete <d>)"],
  ],
  ["arithmetic", "((1 + 2)) && rm a", ["destructive: rm a (deletes a; delete <a>)"]],
  [
    "an array",
    "x=(a $(cat b)); rm c",
    ["read: cat b (read <b>)", "read: x=?", "destructive: rm c (deletes c; delete <c>)"],
  ],
  ["a coprocess", "coproc rm a", ["destructive: rm a (deletes a; delete <a>)"]],
  ["a named coprocess", "coproc N { rm a; }", ["destructive: rm a (deletes a; delete <a>)"]],
  ["negation and time", "! time rm a", ["destructive: rm a (deletes a; delete <a>)"]],
  [
    "substitutions in substitutions",
    'echo "$(cat "$(rm a)")"',
    [
      "destructive: rm a (deletes a; delete <a>)",
      'read: cat «"$(rm a)"» (read <"$(rm a)">)',
      'read: echo «"$(cat "$(rm a)")"»',
    ],
  ],
  [
    "escaped backticks",
    "echo `cat \\`rm a\\``",
    [
      "destructive: rm a (deletes a; delete <a>)",
      "read: cat «`rm a`» (read <`rm a`>)",
      "read: echo «`cat \\`rm a\\``»",
    ],
  ],
  [
    "a substitution in an expansion",
    "echo ${x:-$(rm a)} ${x/$(cat b)/} ${x#`cat c`}",
    [
      "destructive: rm a (deletes a; delete <a>)",
      "read: cat b (read <b>)",
      "read: cat c (read <c>)",
      "read: echo «${x:-$(rm a)}» «${x/$(cat b)/}» «${x#`cat c`}»",
    ],
  ],
  [
    "a substitution in braces",
    "echo {a,$(rm b)}",
    ["destructive: rm b (deletes b; delete <b>)", "read: echo «{a,$(rm b)}»"],
  ],
  [
    "a substitution in an assignment",
    "x=$(rm a) y=`cat b` ls",
    [
      "destructive: rm a (deletes a; delete <a>)",
      "read: cat b (read <b>)",
      "execute: x=? y=? ls (x is passed to it, and may change what it does; y is passed to it, and may change what it does)",
    ],
  ],
  [
    "a substitution in a redirection",
    "ls > $(cat a)",
    [
      "read: cat a (read <a>)",
      "network: ls ($(cat a) may become a network address of the shell; writes $(cat a); write <$(cat a)>)",
    ],
  ],
  [
    "a substitution in a here-string",
    "cat <<< $(rm a)",
    ["destructive: rm a (deletes a; delete <a>)", "read: cat"],
  ],
  [
    "several here-documents",
    "cat <<A <<-'B'\n$(rm a)\nA\n\t$(rm b)\n\tB\nls",
    ["destructive: rm a (deletes a; delete <a>)", "read: cat", "read: ls"],
  ],
  ["comments", "ls # ; rm a\n# rm b\ncat c#d", ["read: ls", "read: cat c#d (read <c#d>)"]],
  [
    "redirections",
    "cat <a >b 2>>c <>d >|e &>f &>>g >&h 2>&1 3>&- </dev/null {fd}>i",
    [
      "write: cat (writes b; writes c; writes d; writes e; writes f; writes g; writes h; writes i; read <a>; write <b>; write <c>; read <d>; write <d>; write <e>; write <f>; write <g>; write <h>; write <i>)",
    ],
  ],
  ["only a redirection", "> a", ["write:  (writes a; write <a>)"]],
  ["only an assignment", "x=1", ["read: x=1"]],
  ["nothing", "", []],
  ["only a comment", "# rm a", []],
];

it.each(cases)("finds every command in %s", (_name, command, lines) => {
  expect(outline(command)).toEqual(lines);
});
