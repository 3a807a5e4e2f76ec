import { splits, type Word, wordAt } from "../analysis.ts";
import type { CommandReport } from "../command-report.ts";
import { runWords } from "./run-inner.ts";

/** Tests and actions of find that take no word and are harmless. */
const alone = new Set(
  "-true -false -print -print0 -ls -prune -quit -depth -d -mount -xdev -follow -daystart -noleaf -empty -executable -readable -writable -nogroup -nouser -not -and -or -a -o ! ( ) , -warn -nowarn -ignore_readdir_race -noignore_readdir_race -L -P -H --version -version -help --help".split(
    " ",
  ),
);
/** Tests that take one word, which is only compared. */
const withText = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -maxdepth -mindepth -perm -user -group -uid -gid -inum -links -used -fstype -printf -context -D".split(
    " ",
  ),
);

const choosing = /^-(?:i?(?:name|path|regex|wholename)|size|[acm](?:time|min)|newer)/;

export function interpretFind(words: readonly Word[], report: CommandReport) {
  let started = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const value = word.value;
    if (value === undefined && mayBeAction(word)) {
      unclear(word, report);
      if (!started) report.looksAt(word);
    } else if (value === undefined || !/^[-(!),]/.test(value)) {
      if (started) report.has("execute", `find ${word.text} is not understood`, word);
      else report.looksAt(word);
      continue;
    }
    if (!/^-[LPHD]$|^-O\d$/.test(value ?? "-")) started = true;
    if (value === undefined || alone.has(value) || /^-O\d$/.test(value)) continue;
    const next = words[index + 1];
    if (withText.has(value)) index++;
    else if (value === "-delete")
      removeFound(
        report,
        word,
        words.some((one) => choosing.test(one.value ?? "")),
      );
    else if (/^-(?:a|c|m|B)?newer(?:[aBcmt]{2})?$|^-(?:samefile|files0-from)$/.test(value)) {
      if (next !== undefined) report.reads(next);
      index++;
    } else if (/^-f(?:print0?|ls|printf)$/.test(value)) {
      if (next !== undefined) report.writes(next, `find ${value} writes ${next.text}`);
      index += value === "-fprintf" ? 2 : 1;
    } else if (/^-(?:exec|execdir|ok|okdir)$/.test(value)) index = runAction(words, index, value, report);
    else report.has("execute", `find ${word.text} is not known to be harmless`, word);
    if (withText.has(value) && next !== undefined && splits(next)) unclear(next, report);
  }
}

function removeFound(report: CommandReport, word: Word, chooses: boolean): void {
  report.has("destructive", "find -delete removes what it finds", word);
  const starts = report.accesses.filter(({ kind }) => kind === "read").map(({ target }) => target);
  const all = starts.length > 0 ? starts : [wordAt(word, ["."])];
  // A test chooses among what is below.
  const below = { unknown: "glob", text: "**", splits: false } as const;
  for (const target of all) {
    const found = chooses ? wordAt(target, [...target.parts, "/", below]) : target;
    report.accesses.push({ kind: "delete", target: found });
  }
}

/** Analyses `-exec program words ;` or `… {} +`. Words with `{}` are known only at run time. */
function runAction(words: readonly Word[], index: number, action: string, report: CommandReport): number {
  const end = words.findIndex(
    ({ value }, at) => at > index && (value === ";" || (value === "+" && words[at - 1]?.value === "{}")),
  );
  const stop = end < 0 ? words.length : end;
  const inner = words.slice(index + 1, stop).map(fillIn);
  if (end < 0 || inner.length === 0) report.doubts(`find ${action} without an end`, words[index]);
  runWords(inner, `find ${action}`, report, action.endsWith("dir") ? "unknown" : "own");
  return stop;
}

function fillIn(word: Word): Word {
  if (!word.text.includes("{}") && !word.value?.includes("{}")) return word;
  return wordAt(word, [{ unknown: "input", text: word.text, splits: word.value === "{}" }]);
}

/** Returns whether a word may become an action. A quoted "$directory" may become "-delete". */
function mayBeAction(word: Word): boolean {
  const [start] = word.parts;
  if (splits(word)) return true;
  return typeof start === "string" ? /^[-(!),]/.test(start) : start?.unknown !== "home";
}

function unclear(word: Word, report: CommandReport): void {
  report.has("execute", `${word.text} may become an action of find`, word);
}
