import type { Word } from "../analysis.ts";
import type { Judge } from "../verdict.ts";
import { wordAt } from "../word.ts";
import { judgeOptions } from "./rows.ts";

/** tar reads with `t`, writes with all else, and has many options that run programs: only those listed are known. */
export const judgeTar: Judge = (words, verdict) => {
  const list =
    "c x t r u d v z j J a p k m O o h l w W B i s n f=text C=text b=text X=read --create --extract --get --list --append --update --diff --compare --verbose --gzip --bzip2 --xz --zstd --auto-compress --preserve-permissions --keep-old-files --to-stdout --dereference --numeric-owner --no-same-owner --no-recursion --wildcards --exclude=text --exclude-vcs --exclude-from=read --strip-components=text --transform=text --file=text --directory=text --owner=text --group=text --mtime=text --sort=text --totals --version --delete!delete --remove-files!delete --to-command=command --use-compress-program=command I=command --checkpoint-action=run";
  const { options, operands } = judgeOptions(list, dashed(words), verdict);
  const has = (pattern: RegExp) => options.some(({ name }) => pattern.test(name));
  const archives = options.flatMap(({ name, value }) =>
    /^(?:-f|--file)$/.test(name) && value ? [value] : [],
  );
  const listing = has(/^(?:-t|--list|-d|--diff|--compare)$/);
  const extracting = has(/^(?:-x|--extract|--get)$/);
  for (const archive of archives) {
    if (archive.value === undefined || archive.value.includes(":"))
      verdict.has("execute", `tar reaches ${archive.text} by a remote shell if it has a colon`, archive);
    listing || extracting ? verdict.reads(archive) : verdict.writes(archive, `tar writes ${archive.text}`);
  }
  for (const { name, value } of options)
    if (/^(?:-C|--directory)$/.test(name) && value !== undefined && extracting) verdict.writes(value);
  if (extracting && !has(/^(?:-O|--to-stdout)$/)) verdict.has("write", "tar writes the files of the archive");
  if (has(/^--transform$/)) verdict.has("execute", "tar --transform runs a sed script");
  const moves = options.filter(({ name }) => /^(?:-C|--directory)$/.test(name));
  if (!extracting && !listing)
    for (const file of operands) verdict.readsBelow(moves.length === 0 ? file : below(moves, file));
};

/** A file that is named from the place of `-C`; of several such places nobody knows which. */
function below(moves: readonly { readonly value: Word | undefined }[], file: Word): Word {
  const [from, ...more] = moves.map(({ value }) => value?.value);
  const known = from !== undefined && more.length === 0 && file.value !== undefined;
  if (known) return wordAt(file, [file.value!.startsWith("/") ? file.value! : `${from}/${file.value}`]);
  return wordAt(file, [{ unknown: "variable", text: file.text, splits: false }]);
}

/** `tar xzf a.tar`: the first word may come without its dash, and then takes its values in order. */
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
