import { expect, it } from "vitest";
import { outline } from "../../../../test/support/commands/outline.ts";

const cases: readonly (readonly [name: string, command: string, lines: readonly string[]])[] = [
  ["cat", "cat a b", ["read: cat a b (read <a>; read <b>)"]],
  ["head", "head -n 5 a", ["read: head -n 5 a (read <a>)"]],
  ["grep", "grep -rn foo src", ["read: grep -rn foo src (read all below <src>)"]],
  ["grep -f", "grep -f patterns a", ["read: grep -f patterns a (read <patterns>; read <a>)"]],
  ["grep -e", "grep -e foo a", ["read: grep -e foo a (read <a>)"]],
  ["rg", "rg -n foo src -g '*.ts'", ["read: rg -n foo src -g *.ts (read what is visible below <src>)"]],
  [
    "rg --pre",
    "rg --pre=evil foo",
    ["execute: rg --pre=evil foo (rg --pre runs a program; read what is visible below <.>)"],
  ],
  [
    "rg --hostname-bin",
    "rg --hostname-bin evil foo",
    [
      "execute: rg --hostname-bin evil foo (rg --hostname-bin runs a program; read what is visible below <.>)",
    ],
  ],
  [
    "rg with an unknown option",
    "rg --some foo",
    ["execute: rg --some foo (rg --some is not known to be harmless; read what is visible below <.>)"],
  ],
  [
    "rg with an expansion",
    'rg "$x" src',
    ['execute: rg «"$x"» src ("$x" may become an option of rg; read what is visible below <src>)'],
  ],
  [
    "rg with an expansion after --",
    'rg -- "$x" src',
    ['read: rg -- «"$x"» src (read what is visible below <src>)'],
  ],
  [
    "rg with a glob",
    "rg foo *.ts",
    ["execute: rg foo «*.ts» (*.ts may become an option of rg; read what is visible below <*.ts>)"],
  ],
  [
    "rg with a glob in a directory",
    "rg foo src/*.ts",
    ["read: rg foo «src/*.ts» (read what is visible below <src/*.ts>)"],
  ],
  ["sort", "sort -u -k2 a", ["read: sort -u -k2 a (read <a>)"]],
  ["sort -o", "sort a -o b", ["write: sort a -o b (sort -o writes a file; write <b>; read <a>)"]],
  [
    "sort -o in a cluster",
    "sort -uob a",
    ["write: sort -uob a (sort -o writes a file; write <b>; read <a>)"],
  ],
  [
    "sort --output",
    "sort --output=b a",
    ["write: sort --output=b a (sort --output writes a file; write <b>; read <a>)"],
  ],
  ["sort -T", "sort -T /tmp a", ["write: sort -T /tmp a (sort -T writes a file; write </tmp>; read <a>)"]],
  ["sort with a glob", "sort *", ["execute: sort «*» (* may become an option of sort; read <*>)"]],
  ["sed", "sed -n '1,5p' a", ["read: sed -n 1,5p a (read <a>)"]],
  [
    "sed, several commands",
    "sed -e 's/a/b/g; /x/d' -e '$!N' a",
    ["read: sed -e s/a/b/g; /x/d -e $!N a (read <a>)"],
  ],
  [
    "sed -i",
    "sed -i.bak 's/a/b/' a b",
    ["write: sed -i.bak s/a/b/ a b (sed -i changes a; sed -i changes b; write <a>; write <b>)"],
  ],
  ["sed -ni", "sed -ni p a", ["write: sed -ni p a (sed -i changes a; write <a>)"]],
  [
    "sed --in-place",
    "sed --in-place s/a/b/ a",
    ["write: sed --in-place s/a/b/ a (sed -i changes a; write <a>)"],
  ],
  [
    "sed w",
    "sed '/x/w out' a",
    ["write: sed /x/w out a (the sed script writes out (w); write <out>; read <a>)"],
  ],
  [
    "sed s///w",
    "sed 's/a/b/gw out' a",
    ["write: sed s/a/b/gw out a (the sed script writes out (w); write <out>; read <a>)"],
  ],
  ["sed W", "sed 'W out' a", ["write: sed W out a (the sed script writes out (w); write <out>; read <a>)"]],
  ["sed e", "sed '1e rm x' a", ["execute: sed 1e rm x a (the sed script runs a command (e); read <a>)"]],
  ["sed s///e", "sed 's/a/b/e' a", ["execute: sed s/a/b/e a (the sed script runs a command (e); read <a>)"]],
  [
    "sed s///e with another delimiter",
    "sed 's,a,b,ge' a",
    ["execute: sed s,a,b,ge a (the sed script runs a command (e); read <a>)"],
  ],
  ["sed r", "sed '1r other' a", ["read: sed 1r other a (read <other>; read <a>)"]],
  ["sed R", "sed 'R other' a", ["read: sed R other a (read <other>; read <a>)"]],
  [
    "sed -f",
    "sed -f script a",
    [
      "execute: sed -f script a (sed runs a script from a file, which may write files and run commands; read <script>; read <a>)",
    ],
  ],
  [
    "sed in braces",
    "sed '/a/{s/b/c/;w out\n}' a",
    ["write: sed /a/{s/b/c/;w out\n} a (the sed script writes out (w); write <out>; read <a>)"],
  ],
  [
    "sed with an expansion",
    'sed "s/$x/y/" a',
    ['execute: sed «"s/$x/y/"» a (a sed script that is known only at run time may write and run; read <a>)'],
  ],
  ["sed --sandbox", "sed --sandbox e a", ["read: sed --sandbox e a (read <a>)"]],
  ["sed with text", "sed '1a w out' a", ["read: sed 1a w out a (read <a>)"]],
  [
    "sed with a bracket",
    "sed 's/[/]w out/x/' a",
    ["execute: sed s/[/]w out/x/ a (a sed script that is not understood may write and run; read <a>)"],
  ],
  [
    "sed with unknown syntax",
    "sed '\\%a%p' a",
    ["execute: sed \\%a%p a (a sed script that is not understood may write and run; read <a>)"],
  ],
  [
    "sed with labels",
    ":; sed ':a;N;$!ba;s/\\n/ /g' a",
    ["read: :", "read: sed :a;N;$!ba;s/\\n/ /g a (read <a>)"],
  ],
  ["awk", "awk -F: '{print $1}' a", ["read: awk -F: {print $1} a (read <a>)"]],
  ["awk compares", "awk '$3 > 5 {print $1}' a", ["read: awk $3 > 5 {print $1} a (read <a>)"]],
  [
    "awk system",
    "awk 'BEGIN{system(\"rm x\")}'",
    ['execute: awk BEGIN{system("rm x")} (the awk program may run commands or choose files)'],
  ],
  [
    "awk pipes",
    "awk '{print | \"sh\"}' a",
    ['execute: awk {print | "sh"} a (the awk program has a pipe; read <a>)'],
  ],
  [
    "awk that prints into a file",
    "awk '{print > \"out\"}' a",
    ['write: awk {print > "out"} a (the awk program may print into a file; read <a>)'],
  ],
  [
    "awk getline",
    "awk '{while ((\"rm x\" | getline) > 0);}' a",
    [
      'execute: awk {while (("rm x" | getline) > 0);} a (the awk program has a pipe; the awk program reads other files or commands; read <a>)',
    ],
  ],
  ["awk or", "awk '$1 || $2' a", ["read: awk $1 || $2 a (read <a>)"]],
  [
    "awk -f",
    "awk -f script a",
    [
      "execute: awk -f script a (awk runs a program from a file, which may write files and run commands; read <script>; read <a>)",
    ],
  ],
  [
    "awk -i",
    "gawk -i inplace '{print}' a",
    ["execute: gawk -i inplace {print} a (gawk -i is not known to be harmless; read <{print}>; read <a>)"],
  ],
  [
    "awk @load",
    "gawk '@load \"filefuncs\"; {print}' a",
    [
      'execute: gawk @load "filefuncs"; {print} a (the awk program may run commands or choose files; read <a>)',
    ],
  ],
  [
    "awk with an expansion",
    'awk "$x" a',
    [
      'execute: awk «"$x"» a ("$x" may become an option of awk; an awk program that is known only at run time may write and run; read <a>)',
    ],
  ],
  ["uniq", "uniq -c a", ["read: uniq -c a (read <a>)"]],
  ["uniq with an output", "uniq a b", ["write: uniq a b (writes b; read <a>; write <b>)"]],
  ["xxd", "xxd a", ["read: xxd a (read <a>)"]],
  ["xxd with an output", "xxd -r a b", ["write: xxd -r a b (writes b; read <a>; write <b>)"]],
  ["less", "less -R a", ["read: less -R a (read <a>)"]],
  [
    "less -o",
    "less -o log a",
    ["execute: less -o log a (less -o is not known to be harmless; read <log>; read <a>)"],
  ],
  [
    "less +!",
    "less '+!rm x' a",
    ["execute: less +!rm x a (less '+!rm x' is a command of less; read <+!rm x>; read <a>)"],
  ],
  [
    "bat --pager",
    "bat --pager=evil a",
    ["execute: bat --pager=evil a (bat --pager=evil is not known to be harmless; read <a>)"],
  ],
  ["diff", "diff -u a b", ["read: diff -u a b (read <a>; read <b>)"]],
  [
    "diff3 --diff-program",
    "diff3 --diff-program=evil a b c",
    [
      "execute: diff3 --diff-program=evil a b c (diff3 --diff-program runs a program; read <a>; read <b>; read <c>)",
    ],
  ],
  [
    "sdiff -o",
    "sdiff -o out a b",
    ["write: sdiff -o out a b (sdiff -o writes a file; write <out>; read <a>; read <b>)"],
  ],
  ["jq", "jq -r .a f", ["read: jq -r .a f (read <f>)"]],
  [
    "jq --rawfile",
    "jq -n --rawfile x secret '$x'",
    ["read: jq -n --rawfile x secret $x (read <secret>; read <$x>)"],
  ],
  [
    "rg -z",
    "rg -z foo",
    ["execute: rg -z foo (rg -z is not known to be harmless; read what is visible below <.>)"],
  ],
  ["yq -i", "yq -i .a=1 f", ["write: yq -i .a=1 f (writes f; read <.a=1>; read <f>; write <f>)"]],
  ["tree -o", "tree -o out", ["write: tree -o out (tree -o writes a file; write <out>)"]],
  ["tr", "tr a b", ["read: tr a b"]],
  ["cut", "cut -d: -f1 a", ["read: cut -d: -f1 a (read <a>)"]],
  ["shuf -o", "shuf -o out a", ["write: shuf -o out a (shuf -o writes a file; write <out>; read <a>)"]],
  ["wc", "wc -l a", ["read: wc -l a (read <a>)"]],
  [
    "file",
    "file -C -m magic",
    [
      "execute: file -C -m magic (file -C is not known to be harmless; file -m is not known to be harmless; read <magic>)",
    ],
  ],
  [
    "iconv -o",
    "iconv -f utf-8 -o out a",
    ["write: iconv -f utf-8 -o out a (iconv -o writes a file; write <out>; read <a>)"],
  ],
];

it.each(cases)("interprets %s", (_name, command, lines) => {
  expect(outline(command)).toEqual(lines);
});

it("terminates on unclosed brackets", () => {
  const scripts = [`/${"[]".repeat(60)}x`, `/${"[^]".repeat(60)}x`, `s/${"[".repeat(60_000)}`];
  expect(scripts.map((script) => outline(`sed -n '${script}' a`)[0]?.split(":")[0])).toEqual([
    "execute",
    "execute",
    "execute",
  ]);
});
