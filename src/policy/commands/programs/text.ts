import { splits, type Word } from "../analysis.ts";
import type { CommandReport, ProgramRule } from "../command-report.ts";
import { interpretAwk, interpretSed } from "./awk-and-sed.ts";
import { each, prints, reads, readsAtFiles, readsTrees, runs, scans, searches } from "./rows.ts";

const summing = reads("*");
const grep = searches(
  "* r R e=text f=read m=text A=text B=text C=text d=text D=text --recursive --dereference-recursive --directories=text --regexp=text --file=read --exclude-from=read",
  {
    pattern: /^(?:-[ef]|--regexp|--file)=/,
    deep: /^(?:-[rR]|--recursive|--dereference-recursive)$|^(?:-d|--directories)=(?!read|skip)/,
  },
);

export const textPrograms: Record<string, ProgramRule> = {
  ...each("awk gawk mawk nawk", interpretAwk),
  ...each(
    "base32 basenc cat cksum comm md5sum rev sha1sum sha224sum sha256sum sha384sum sha512sum b2sum sum tsort zcat",
    summing,
  ),
  base64: reads("* w=text --wrap=text"),
  bat: reads(
    "n p A l=text r=text H=text --plain --number --color=text --paging=text --style=text --language=text --line-range=text --decorations=text --version",
  ),
  bzcat: reads("* o=write"),
  ...each("cmp look", reads("*")),
  column: reads("* s=text t N=text"),
  cut: reads("* d=text f=text c=text b=text"),
  diff: readsTrees(
    "* r N --recursive --new-file --unidirectional-new-file U=text C=text I=text x=text L=text X=read --exclude-from=read --from-file=read --to-file=read",
  ),
  diff3: reads("A e E 3 m T a L=text --label=text --show-all --text --version --diff-program=run"),
  ...each("egrep fgrep", grep),
  ...each("expand unexpand", reads("* t=text")),
  file: reads(
    "b i L h k N n r s v 0 F=text e=text P=text --brief --mime --mime-type --mime-encoding --dereference --version",
  ),
  ...each("fmt fold", reads("* w=text")),
  grep,
  head: reads("* n=text c=text --lines=text --bytes=text"),
  hexdump: reads("* n=text s=text e=text f=read --format-file=read"),
  iconv: reads("f=text t=text c l s --from-code=text --to-code=text --list --silent o=write --output=write"),
  join: reads("* t=text 1=text 2=text j=text o=text a=text v=text e=text"),
  // `--rawfile name file` takes two words, so every operand may be a file.
  jq: scans(
    "* f=read L=read --arg=text --argjson=text --slurpfile=text --rawfile=text --from-file=read --indent=text --run-tests",
    ({ operands, has }, report) => {
      const allFiles = has(/^(?:-f|--from-file|--slurpfile|--rawfile|--run-tests)$/);
      for (const file of operands.slice(allFiles ? 0 : 1)) report.reads(file);
      interpretLoading(operands, /import|include|modulemeta/, report);
    },
  ),
  // A word with a plus sign is a command of less, which can run others.
  less: scans(
    "E F N R S X n i s e f r # --quit-if-one-screen --RAW-CONTROL-CHARS --no-init --LINE-NUMBERS --chop-long-lines --version",
    ({ operands }, report) => {
      for (const file of operands) {
        report.reads(file);
        if (file.value?.startsWith("+"))
          report.has("execute", `less ${file.text} is a command of less`, file);
      }
    },
  ),
  more: reads("d f l p c u s # n=text"),
  nl: reads("* b=text s=text w=text"),
  ...each("numfmt tr", prints("*")),
  od: reads("* A=text j=text N=text t=text w?text"),
  paste: reads("* d=text"),
  pr: reads("* w=text l=text h=text"),
  rg: searches(
    "i v w x n N l c o F s S H I L q u U P p a . 0 # e=text f=read g=text t=text T=text A=text B=text C=text m=text M=text r=text j=text d=text E=text --ignore-case --invert-match --word-regexp --line-regexp --line-number --no-line-number --files-with-matches --files-without-match --files --count --count-matches --only-matching --fixed-strings --case-sensitive --smart-case --with-filename --no-filename --follow --quiet --unrestricted --multiline --multiline-dotall --pcre2 --pretty --text --hidden --no-ignore --no-ignore-vcs --no-heading --heading --null --json --vimgrep --column --trim --stats --type-list --no-messages --no-config --version --glob=text --iglob=text --type=text --type-not=text --after-context=text --before-context=text --context=text --max-count=text --max-columns=text --max-depth=text --max-filesize=text --replace=text --threads=text --sort=text --sortr=text --color=text --colors=text --regexp=text --file=read --encoding=text --ignore-file=read --context-separator=text --pre=run --hostname-bin=run",
    {
      pattern: /^(?:-[ef]=|--regexp=|--file=|--files$|--type-list$)/,
      deep: /^(?:-[u.]|--hidden|--unrestricted|--no-ignore|--no-ignore-vcs)$|^(?:-g|--i?glob)=(?:.*[/{,])?\./,
      // rg skips hidden files by default.
      otherwise: "visible",
    },
  ),
  sdiff: reads("* o=write --output=write --diff-program=run"),
  sed: interpretSed,
  shuf: reads(
    "e i=text n=text r z --echo --input-range=text --head-count=text --repeat --random-source=read o=write --output=write",
  ),
  sort: reads(
    "b c C d f g h i m M n R r s u V z k=text t=text S=text o=write T=write --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --random-source=read --reverse --sort=text --version-sort --batch-size=text --check --debug --files0-from=read --key=text --merge --output=write --stable --buffer-size=text --field-separator=text --temporary-directory=write --parallel=text --unique --zero-terminated --version --compress-program=command",
  ),
  strings: readsAtFiles("* n=text t=text e=text"),
  tac: reads("* s=text"),
  tail: reads("* n=text c=text s=text --lines=text --bytes=text --pid=text"),
  // `uniq in out` writes its second operand.
  uniq: scans(
    "* f=text s=text w=text --skip-fields=text --skip-chars=text --check-chars=text --group?text",
    ({ operands }, report) => interpretInAndOut(operands, report),
  ),
  wc: reads("* --files0-from=read"),
  xmllint: runs("follows addresses and writes files"),
  xxd: interpretXxd,
  xzcat: reads("* --files=read --files0=read"),
  yq: scans(
    "e r o=text p=text P C M N n i --yaml-output --raw-output --output-format=text --input-format=text --prettyPrint --version --inplace",
    ({ operands, has }, report) => {
      // Some calls have no expression, and a file as the first operand.
      for (const file of operands) report.reads(file);
      if (has(/^(?:-i|--inplace)$/)) for (const file of operands.slice(1)) report.writes(file);
      interpretLoading(operands, /load|\$?__|import|include|system/, report);
    },
  ),
  zstdcat: reads(
    "* o=write --filelist=read --trace=write --output-dir-flat=write --output-dir-mirror=write --rm!delete --train!write --train-cover!write --train-fastcover!write --train-legacy!write",
  ),
};

const xxdFlag =
  /^-(?:a|autoskip|b|bits|C|capitalize|d|E|EBCDIC|e|i|include|p|ps|plain|postscript|r|revert|u|v|version)$/;
const xxdValue = /^-(?:c|cols|g|groupsize|l|len|n|name|o|offset|R|s|seek)$/;

/** Interprets xxd, which writes its second operand. Its options are words with one dash. */
function interpretXxd(words: readonly Word[], report: CommandReport) {
  const operands: Word[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const value = word.value ?? "";
    if (operands.length > 0) operands.push(word);
    else if (xxdValue.test(value)) index++;
    else if (/^-./.test(value) && !xxdFlag.test(value))
      report.has("execute", `xxd ${word.text} is not known to be harmless`, word);
    else if (!/^-./.test(value)) operands.push(word);
  }
  interpretInAndOut(operands, report);
}

function interpretInAndOut([input, ...outputs]: readonly Word[], report: CommandReport) {
  if (input !== undefined) report.reads(input);
  for (const output of outputs) report.writes(output);
  if (input !== undefined && splits(input))
    report.has("write", `${input.text} may become two files, of which the second is written`, input);
}

/** Reports that a program of jq or yq may read other files. */
function interpretLoading(operands: readonly Word[], loading: RegExp, report: CommandReport) {
  for (const word of operands)
    if (loading.test(word.value ?? "")) report.has("execute", `${report.program} may load other files`, word);
}
