import { expect, it } from "vitest";
import { outline } from "../../../../test/support/commands/outline.ts";

const cases: readonly (readonly [name: string, command: string, lines: readonly string[]])[] = [
  ["ls", "ls -la src", ["read: ls -la src (look at <src>)"]],
  ["cp", "cp a b", ["write: cp a b (writes b; read <a>; write <b>; write <b/a>)"]],
  [
    "cp -t",
    "cp -t dir a b",
    [
      "write: cp -t dir a b (cp -t writes a file; write <dir>; read <a>; read <b>; write <dir/a>; write <dir/b>)",
    ],
  ],
  ["mv", "mv a b", ["write: mv a b (moves a away; writes b; delete <a>; write <b>; write <b/a>)"]],
  ["rm", "rm -rf a b", ["destructive: rm -rf a b (deletes a; deletes b; delete <a>; delete <b>)"]],
  ["rm with an expansion", 'rm "$x"', ['destructive: rm «"$x"» (deletes "$x"; delete <"$x">)']],
  ["rmdir", "rmdir a", ["destructive: rmdir a (deletes a; delete <a>)"]],
  ["mkdir", "mkdir -p a/b", ["write: mkdir -p a/b (writes a/b; write <a/b>)"]],
  ["touch", "touch a", ["write: touch a (writes a; write <a>)"]],
  ["chmod", "chmod +x a", ["write: chmod +x a (writes a; write <a>)"]],
  ["chmod -R", "chmod -R 777 a", ["write: chmod -R 777 a (writes a; write <a>)"]],
  ["ln", "ln -s a b", ["write: ln -s a b (writes b; read <a>; write <b>; write <b/a>)"]],
  [
    "install --strip-program",
    "install --strip-program=evil -s a b",
    [
      "execute: install --strip-program=evil -s a b (install --strip-program=evil is not known to be harmless; writes b; read <a>; write <b>; write <b/a>)",
    ],
  ],
  [
    "dd",
    "dd if=a of=/dev/sda bs=1M",
    ["destructive: dd if=a of=/dev/sda bs=1M (dd of= overwrites it; read <a>; delete </dev/sda>)"],
  ],
  [
    "dd with an expansion",
    'dd if=a "$x"',
    ['destructive: dd if=a «"$x"» (dd "$x" may overwrite anything; read <a>)'],
  ],
  ["tee", "tee -a a b", ["write: tee -a a b (writes a; writes b; write <a>; write <b>)"]],
  ["truncate", "truncate -s 0 a", ["destructive: truncate -s 0 a (truncates a; delete <a>)"]],
  ["shred", "shred -u a", ["destructive: shred -u a (deletes a; delete <a>)"]],
  ["split", "split -l 5 a part", ["write: split -l 5 a part (writes part; read <a>; write <part>)"]],
  [
    "split --filter",
    "split --filter='rm x' a",
    [
      "execute: split --filter=rm x a (split --filter runs a command; split writes files; read <a>)",
      "destructive: rm x [split --filter] (deletes x; delete <x>)",
    ],
  ],
  ["mktemp", "mktemp -d", ["write: mktemp -d (mktemp makes a file)"]],
  ["tar t", "tar tzf a.tgz", ["read: tar tzf a.tgz (read <a.tgz>)"]],
  [
    "tar x",
    "tar xzf a.tgz -C out",
    [
      "write: tar xzf a.tgz -C out (writes out; tar writes the files of the archive; read <a.tgz>; write <out>)",
    ],
  ],
  [
    "tar c",
    "tar -czf a.tgz src",
    ["write: tar -czf a.tgz src (tar writes a.tgz; write <a.tgz>; read all below <src>)"],
  ],
  [
    "tar --to-command",
    "tar -xf a --to-command=evil",
    [
      "execute: tar -xf a --to-command=evil (tar --to-command runs a command; tar writes the files of the archive; read <a>)",
      "execute: evil [tar --to-command] (runs evil, which is not a known program)",
    ],
  ],
  [
    "tar --checkpoint-action",
    "tar -cf a --checkpoint=1 --checkpoint-action=exec=evil b",
    [
      "execute: tar -cf a --checkpoint=1 --checkpoint-action=exec=evil b (tar --checkpoint-action runs a program; tar --checkpoint=1 is not known to be harmless; tar writes a; write <a>; read all below <b>)",
    ],
  ],
  [
    "tar -I",
    "tar -I evil -xf a",
    [
      "execute: tar -I evil -xf a (tar -I runs a command; tar writes the files of the archive; read <a>)",
      "execute: evil [tar -I] (runs evil, which is not a known program)",
    ],
  ],
  [
    "tar --use-compress-program, abbreviated",
    "tar --use-compress=evil -xf a",
    [
      "execute: tar --use-compress=evil -xf a (tar --use-compress=evil is not known to be harmless; tar writes the files of the archive; read <a>)",
    ],
  ],
  [
    "tar with a remote archive",
    "tar -tf host:a",
    ["execute: tar -tf host:a (tar connects to host:a by a remote shell if it has a colon; read <host:a>)"],
  ],
  [
    "tar with a glob",
    "tar -cf a *",
    ["execute: tar -cf a «*» (* may become an option of tar; tar writes a; write <a>; read all below <*>)"],
  ],
  [
    "tar --transform",
    "tar -cf a --transform 's/a/b/e' b",
    [
      "execute: tar -cf a --transform s/a/b/e b (tar writes a; tar --transform runs a sed script; write <a>; read all below <b>)",
    ],
  ],
  ["tar -O", "tar -xOf a b", ["read: tar -xOf a b (read <a>)"]],
  [
    "zip",
    "zip -r a.zip src",
    ["write: zip -r a.zip src (writes a.zip; write <a.zip>; read all below <src>)"],
  ],
  [
    "zip -TT",
    "zip a.zip b -T -TT 'rm x'",
    [
      "execute: zip a.zip b -T -TT rm x (zip -T is not known to be harmless; zip -TT is not known to be harmless; writes a.zip; write <a.zip>; read all below <b>; read all below <rm x>)",
    ],
  ],
  ["unzip -l", "unzip -l a.zip", ["read: unzip -l a.zip (read <a.zip>)"]],
  [
    "unzip",
    "unzip a.zip -d out",
    ["write: unzip a.zip -d out (unzip -d writes a file; unzip writes files; write <out>; read <a.zip>)"],
  ],
  ["gzip", "gzip a", ["write: gzip a (writes a; write <a>)"]],
  ["gzip -c", "gzip -dc a", ["read: gzip -dc a (read <a>)"]],
  [
    "find",
    "find src -name '*.ts' -type f -newer a -print0",
    ["read: find src -name *.ts -type f -newer a -print0 (look at <src>; read <a>)"],
  ],
  [
    "find -fprint",
    "find . -fprint out",
    ["write: find . -fprint out (find -fprint writes out; look at <.>; write <out>)"],
  ],
  [
    "find -fprintf",
    "find . -fprintf out %p",
    ["write: find . -fprintf out %p (find -fprintf writes out; look at <.>; write <out>)"],
  ],
  [
    "find -fls",
    "find . -fls out",
    ["write: find . -fls out (find -fls writes out; look at <.>; write <out>)"],
  ],
  [
    "find with an unknown action",
    "find . -frobnicate",
    ["execute: find . -frobnicate (find -frobnicate is not known to be harmless; look at <.>)"],
  ],
  [
    "find with an expansion",
    'find "$x" -name a',
    ['execute: find «"$x"» -name a ("$x" may become an action of find; look at <"$x">)'],
  ],
  [
    "find with an option after an expansion",
    "find . -name $x",
    ["execute: find . -name «$x» ($x may become an action of find; look at <.>)"],
  ],
  ["find in the home directory", "find ~ -name a", ["read: find «~» -name a (look at <~>)"]],
  ["fd", "fd -e ts foo src", ["read: fd -e ts foo src (look at <src>)"]],
  ["fd -x", "fd foo -x rm", ["execute: fd foo -x rm (fd -x runs a program; look at <rm>)"]],
  ["du", "du -sh src", ["read: du -sh src (look at <src>)"]],
  ["stat", "stat -c %s a", ["read: stat -c %s a (look at <a>)"]],
  ["mkfs", "mkfs /dev/sda", ["destructive: mkfs /dev/sda (mkfs erases a file system)"]],
  ["patch", "patch -p1", ["execute: patch -p1 (patch writes the files its input names)"]],
];

it.each(cases)("interprets %s", (_name, command, lines) => {
  expect(outline(command)).toEqual(lines);
});
