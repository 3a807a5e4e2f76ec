import type { Word } from "../analysis.ts";
import type { Judge, Verdict } from "../verdict.ts";
import { wordAt } from "../word.ts";
import { judgeFind } from "./find.ts";
import {
  changes,
  copies,
  deletes,
  destroys,
  judgeOptions,
  looksAt,
  prints,
  reads,
  runs,
  writeInto,
  writes,
} from "./rows.ts";
import { judgeTar } from "./tar.ts";

const listing = looksAt("*");

/** Programs that list, copy, change and remove files. */
export const filePrograms: Record<string, Judge> = {
  basename: prints("*"),
  bunzip2: judgePack,
  bzip2: judgePack,
  chgrp: changes("* --reference=read"),
  chmod: changes("* --reference=read", /^--reference\b|^-[^-]*[rwxXstugoa0-7]/),
  chown: changes("* --reference=read --from=text"),
  cp: copies("* l --link r R a --recursive --archive t=write --target-directory=write S=text --suffix=text"),
  csplit: runs("writes files whose names only it knows"),
  dd: judgeDd,
  df: listing,
  dir: listing,
  dirname: prints("*"),
  du: looksAt("* d=text t=text --max-depth=text --files0-from=read --exclude-from=read X=read"),
  exa: listing,
  eza: listing,
  fd: judgeFd,
  fdfind: judgeFd,
  find: judgeFind,
  gunzip: judgePack,
  gzip: judgePack,
  install: copies(
    "b c C d D g=text m=text o=text p s S=text t=write T v --mode=text --owner=text --group=text --directory --target-directory=write --verbose",
  ),
  link: writes("*"),
  ln: judgeLink,
  locate: prints("*"),
  ls: listing,
  mkdir: writes("* m=text --mode=text"),
  mkfifo: writes("* m=text --mode=text"),
  mknod: runs("makes device files"),
  mktemp: judgeMktemp,
  mv: judgeMove,
  namei: listing,
  patch: runs("writes the files its input names"),
  pathchk: prints("*"),
  pwd: prints("*"),
  readlink: listing,
  realpath: looksAt("* --relative-to=text --relative-base=text"),
  rename: runs("evaluates its expression"),
  rm: deletes("*"),
  rmdir: deletes("*"),
  shred: deletes("* n=text s=text u"),
  split: judgeSplit,
  stat: looksAt("* c=text f --format=text --printf=text"),
  tar: judgeTar,
  tee: writes("*"),
  touch: writes("* d=text t=text r=read --date=text --reference=read"),
  tree: looksAt(
    "a d f i l x p s u g h D q Q N r t c U C n A S J X L=text P=text I=text --noreport --dirsfirst --gitignore --prune --du --sort=text --filelimit=text --charset=text --version o=write",
  ),
  truncate: judgeTruncate,
  unlink: deletes("*"),
  unxz: judgePack,
  unzip: judgeUnzip,
  vdir: listing,
  xz: judgePack,
  zip: judgeZip,
  zipinfo: reads("*"),
  zstd: writes(
    "d c k f q v t l r T=text o=write # --rm!delete --keep --stdout --decompress --ultra --long --threads=text",
  ),
  fdisk: destroys("changes disks"),
  mkfs: destroys("erases a file system"),
  mkswap: destroys("erases a disk"),
  parted: destroys("changes disks"),
  wipefs: destroys("erases a file system"),
};

function judgeDd(words: readonly Word[], verdict: Verdict) {
  for (const word of words) {
    const [name, ...value] = (word.value ?? "").split("=");
    const target = { ...word, parts: [value.join("=")], value: value.join("=") };
    if (word.value === undefined) verdict.has("destructive", `dd ${word.text} may overwrite anything`, word);
    else if (name === "if") verdict.reads(target);
    else if (name === "of") verdict.deletes(target, "dd of= overwrites what stands there");
  }
}

/** Sources go away, the target is written. */
function judgeMove(words: readonly Word[], verdict: Verdict) {
  const { options, operands } = judgeOptions("* t=write --target-directory=write S=text", words, verdict);
  const into = options.some(({ meaning }) => meaning === "write");
  const sources = into ? operands : operands.slice(0, -1);
  for (const target of sources) verdict.accesses.push({ kind: "delete", target });
  for (const target of sources) verdict.has("write", `moves ${target.text} away`, target);
  const target = into ? undefined : operands.at(-1);
  if (target !== undefined) verdict.writes(target);
  writeInto(options.find(({ meaning }) => meaning === "write")?.value ?? target, sources, verdict);
}

function judgeTruncate(words: readonly Word[], verdict: Verdict) {
  const { operands } = judgeOptions("* s=text r=read --size=text --reference=read", words, verdict);
  for (const file of operands) verdict.deletes(file, `cuts off what ${file.text} holds`);
}

function judgeFd(words: readonly Word[], verdict: Verdict) {
  const list =
    "H I u s i g F a l L p 0 1 q d=text t=text e=text E=text S=text c=text j=text --hidden --no-ignore --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth=text --min-depth=text --exact-depth=text --type=text --extension=text --exclude=text --size=text --color=text --changed-within=text --changed-before=text --owner=text --max-results=text --quiet --version x!run X!run --exec!run --exec-batch!run";
  const { operands } = judgeOptions(list, words, verdict);
  for (const place of operands.slice(1)) verdict.looksAt(place);
}

function judgeUnzip(words: readonly Word[], verdict: Verdict) {
  const list = "l t p c v Z q n o j a C L d=write x=text";
  const { options, operands } = judgeOptions(list, words, verdict);
  if (operands[0] !== undefined) verdict.reads(operands[0]);
  if (!options.some(({ name }) => /^-[ltpcvZ]$/.test(name))) verdict.has("write", "unzip writes files");
}

/** Replaces files by their packed or unpacked form, or shows that form only. */
function judgePack(words: readonly Word[], verdict: Verdict) {
  const list =
    "c d e f k l n N q r t v z # S=text T=text --stdout --to-stdout --compress --decompress --uncompress --force --keep --list --test --quiet --recursive --verbose --best --fast --rsyncable --threads=text --version";
  const { options, operands } = judgeOptions(list, words, verdict);
  const shows = options.some(({ name }) => /^(?:-[clt]|--(?:to-)?stdout|--list|--test)$/.test(name));
  for (const file of operands) shows ? verdict.reads(file) : verdict.writes(file);
}

function judgeMktemp(words: readonly Word[], verdict: Verdict) {
  const { operands } = judgeOptions("* p=write --tmpdir=write --suffix=text", words, verdict);
  for (const template of operands) verdict.writes(template);
  verdict.has("write", "mktemp makes a file");
}

/** With one operand the link is made here, under its last name. */
function judgeLink(words: readonly Word[], verdict: Verdict) {
  const list = "* s --symbolic t=write --target-directory=write S=text --suffix=text";
  const { options, operands } = judgeOptions(list, words, verdict);
  const [only, ...more] = operands;
  // Whoever has another name of a file can write it.
  const isSymbolic = options.some(({ name }) => name === "-s" || name === "--symbolic");
  if (!isSymbolic)
    for (const source of operands.slice(0, Math.max(1, operands.length - 1)))
      verdict.accesses.push({ kind: "write", target: source });
  if (only === undefined || more.length > 0) return copies(list)(words, verdict);
  verdict.reads(only);
  const name = only.value?.replace(/\/+$/, "").split("/").at(-1);
  verdict.writes(name === undefined ? only : wordAt(only, [name]));
}

/** `split file prefix` writes files whose names begin with the prefix. */
function judgeSplit(words: readonly Word[], verdict: Verdict) {
  const list =
    "a=text b=text C=text d e l=text n=text t=text u x --additional-suffix=text --bytes=text --lines=text --number=text --verbose --filter=command";
  const [file, prefix] = judgeOptions(list, words, verdict).operands;
  if (file !== undefined) verdict.reads(file);
  if (prefix !== undefined) verdict.writes(prefix);
  else verdict.has("write", "split writes files");
}

function judgeZip(words: readonly Word[], verdict: Verdict) {
  const list = "r q v u f m!delete j l D y e # X x=text i=text --recurse-paths --quiet --exclude=text";
  const [archive, ...files] = judgeOptions(list, words, verdict).operands;
  if (archive !== undefined) verdict.writes(archive);
  for (const file of files) verdict.readsBelow(file);
}
