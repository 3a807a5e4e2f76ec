import { type Word, wordAt } from "../analysis.ts";
import type { CommandReport, ProgramRule } from "../command-report.ts";
import { interpretFind } from "./find.ts";
import {
  changes,
  copies,
  deletes,
  destroys,
  each,
  interpretOptions,
  looksAt,
  prints,
  reads,
  runs,
  scans,
  writeInto,
  writes,
} from "./rows.ts";

const listing = looksAt("*");

export const filePrograms: Record<string, ProgramRule> = {
  ...each("basename dirname locate pathchk pwd", prints("*")),
  // These replace files by their packed or unpacked form, or only print it.
  ...each(
    "bunzip2 bzip2 gunzip gzip unxz xz",
    scans(
      "c d e f k l n N q r t v z # S=text T=text --stdout --to-stdout --compress --decompress --uncompress --force --keep --list --test --quiet --recursive --verbose --best --fast --rsyncable --threads=text --version",
      ({ operands, has }, report) => {
        const shows = has(/^(?:-[clt]|--(?:to-)?stdout|--list|--test)$/);
        for (const file of operands) shows ? report.reads(file) : report.writes(file);
      },
    ),
  ),
  chgrp: changes("* --reference=read"),
  chmod: changes("* --reference=read", /^--reference\b|^-[^-]*[rwxXstugoa0-7]/),
  chown: changes("* --reference=read --from=text"),
  cp: copies("* l --link r R a --recursive --archive t=write --target-directory=write S=text --suffix=text"),
  csplit: runs("writes files that no word names"),
  dd: interpretDd,
  ...each("df dir exa eza ls namei readlink vdir", listing),
  du: looksAt("* d=text t=text --max-depth=text --files0-from=read --exclude-from=read X=read"),
  ...each(
    "fd fdfind",
    scans(
      "H I u s i g F a l L p 0 1 q d=text t=text e=text E=text S=text c=text j=text --hidden --no-ignore --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth=text --min-depth=text --exact-depth=text --type=text --extension=text --exclude=text --size=text --color=text --changed-within=text --changed-before=text --owner=text --max-results=text --quiet --version x!run X!run --exec!run --exec-batch!run",
      ({ operands }, report) => {
        for (const directory of operands.slice(1)) report.looksAt(directory);
      },
    ),
  ),
  find: interpretFind,
  install: copies(
    "b c C d D g=text m=text o=text p s S=text t=write T v --mode=text --owner=text --group=text --directory --target-directory=write --verbose",
  ),
  ...each("link tee", writes("*")),
  ln: interpretLink,
  ...each("mkdir mkfifo", writes("* m=text --mode=text")),
  mknod: runs("makes device files"),
  mktemp: scans("* p=write --tmpdir=write --suffix=text", ({ operands }, report) => {
    for (const template of operands) report.writes(template);
    report.has("write", "mktemp makes a file");
  }),
  mv: interpretMove,
  patch: runs("writes the files its input names"),
  realpath: looksAt("* --relative-to=text --relative-base=text"),
  rename: runs("evaluates its expression"),
  ...each("rm rmdir unlink", deletes("*")),
  shred: deletes("* n=text s=text u"),
  split: scans(
    "a=text b=text C=text d e l=text n=text t=text u x --additional-suffix=text --bytes=text --lines=text --number=text --verbose --filter=command",
    ({ operands: [file, prefix] }, report) => {
      if (file !== undefined) report.reads(file);
      if (prefix !== undefined) report.writes(prefix);
      else report.has("write", "split writes files");
    },
  ),
  stat: looksAt("* c=text f --format=text --printf=text"),
  tar: interpretTar,
  touch: writes("* d=text t=text r=read --date=text --reference=read"),
  tree: looksAt(
    "a d f i l x p s u g h D q Q N r t c U C n A S J X L=text P=text I=text --noreport --dirsfirst --gitignore --prune --du --sort=text --filelimit=text --charset=text --version o=write",
  ),
  truncate: scans("* s=text r=read --size=text --reference=read", ({ operands }, report) => {
    for (const file of operands) report.deletes(file, `truncates ${file.text}`);
  }),
  unzip: scans("l t p c v Z q n o j a C L d=write x=text", ({ operands: [archive], has }, report) => {
    if (archive !== undefined) report.reads(archive);
    if (!has(/^-[ltpcvZ]$/)) report.has("write", "unzip writes files");
  }),
  zip: scans(
    "r q v u f m!delete j l D y e # X x=text i=text --recurse-paths --quiet --exclude=text",
    ({ operands: [archive, ...files] }, report) => {
      if (archive !== undefined) report.writes(archive);
      for (const file of files) report.readsBelow(file);
    },
  ),
  zipinfo: reads("*"),
  zstd: writes(
    "d c k f q v t l r T=text o=write # --rm!delete --keep --stdout --decompress --ultra --long --threads=text",
  ),
  ...each("fdisk parted", destroys("changes disks")),
  ...each("mkfs wipefs", destroys("erases a file system")),
  mkswap: destroys("erases a disk"),
};

function interpretDd(words: readonly Word[], report: CommandReport) {
  for (const word of words) {
    const [name, ...value] = (word.value ?? "").split("=");
    const target = { ...word, parts: [value.join("=")], value: value.join("=") };
    if (word.value === undefined) report.has("destructive", `dd ${word.text} may overwrite anything`, word);
    else if (name === "if") report.reads(target);
    else if (name === "of") report.deletes(target, "dd of= overwrites it");
  }
}

function interpretMove(words: readonly Word[], report: CommandReport) {
  const { options, operands } = interpretOptions("* t=write --target-directory=write S=text", words, report);
  const into = options.some(({ meaning }) => meaning === "write");
  const sources = into ? operands : operands.slice(0, -1);
  for (const target of sources) report.accesses.push({ kind: "delete", target });
  for (const target of sources) report.has("write", `moves ${target.text} away`, target);
  const target = into ? undefined : operands.at(-1);
  if (target !== undefined) report.writes(target);
  writeInto(options.find(({ meaning }) => meaning === "write")?.value ?? target, sources, report);
}

/** Interprets ln. With one operand, the link is created in the current directory under the operand's last name. */
function interpretLink(words: readonly Word[], report: CommandReport) {
  const list = "* s --symbolic t=write --target-directory=write S=text --suffix=text";
  const { operands, has } = interpretOptions(list, words, report);
  const [only, ...more] = operands;
  // A hard link makes the source writable under the new name.
  if (!has(/^(?:-s|--symbolic)$/))
    for (const source of operands.slice(0, Math.max(1, operands.length - 1)))
      report.accesses.push({ kind: "write", target: source });
  if (only === undefined || more.length > 0) return copies(list)(words, report);
  report.reads(only);
  const name = only.value?.replace(/\/+$/, "").split("/").at(-1);
  report.writes(name === undefined ? only : wordAt(only, [name]));
}

/** Interprets tar. Only the listed options are known not to run programs. */
function interpretTar(words: readonly Word[], report: CommandReport) {
  const list =
    "c x t r u d v z j J a p k m O o h l w W B i s n f=text C=text b=text X=read --create --extract --get --list --append --update --diff --compare --verbose --gzip --bzip2 --xz --zstd --auto-compress --preserve-permissions --keep-old-files --to-stdout --dereference --numeric-owner --no-same-owner --no-recursion --wildcards --exclude=text --exclude-vcs --exclude-from=read --strip-components=text --transform=text --file=text --directory=text --owner=text --group=text --mtime=text --sort=text --totals --version --delete!delete --remove-files!delete --to-command=command --use-compress-program=command I=command --checkpoint-action=run";
  const { options, operands, has } = interpretOptions(list, dashed(words), report);
  const archives = options.flatMap(({ name, value }) =>
    /^(?:-f|--file)$/.test(name) && value ? [value] : [],
  );
  const listing = has(/^(?:-t|--list|-d|--diff|--compare)$/);
  const extracting = has(/^(?:-x|--extract|--get)$/);
  for (const archive of archives) {
    if (archive.value === undefined || archive.value.includes(":"))
      report.has("execute", `tar connects to ${archive.text} by a remote shell if it has a colon`, archive);
    listing || extracting ? report.reads(archive) : report.writes(archive, `tar writes ${archive.text}`);
  }
  for (const { name, value } of options)
    if (/^(?:-C|--directory)$/.test(name) && value !== undefined && extracting) report.writes(value);
  if (extracting && !has(/^(?:-O|--to-stdout)$/)) report.has("write", "tar writes the files of the archive");
  if (has(/^--transform$/)) report.has("execute", "tar --transform runs a sed script");
  const moves = options.filter(({ name }) => /^(?:-C|--directory)$/.test(name));
  if (!extracting && !listing)
    for (const file of operands) report.readsBelow(moves.length === 0 ? file : below(moves, file));
}

/** Resolves a file from the directory of `-C`. With several `-C` the directory is unknown. */
function below(moves: readonly { readonly value: Word | undefined }[], file: Word): Word {
  const [from, ...more] = moves.map(({ value }) => value?.value);
  const known = from !== undefined && more.length === 0 && file.value !== undefined;
  if (known) return wordAt(file, [file.value!.startsWith("/") ? file.value! : `${from}/${file.value}`]);
  return wordAt(file, [{ unknown: "variable", text: file.text, splits: false }]);
}

/**
 * Rewrites a first word without a dash, as in `tar xzf a.tar`, as separate options. Its letters take values in order.
 */
function dashed(words: readonly Word[]): readonly Word[] {
  const [first, ...rest] = words;
  if (first?.value === undefined || !/^[a-zA-Z]+$/.test(first.value)) return words;
  const letters = [...first.value];
  const ordered: Word[] = [];
  let used = 0;
  for (const letter of letters) {
    ordered.push({ ...first, parts: [`-${letter}`], value: `-${letter}` });
    const value = /[fCbX]/.test(letter) ? rest[used++] : undefined;
    if (value !== undefined) ordered.push(value);
  }
  return [...ordered, ...rest.slice(used)];
}
