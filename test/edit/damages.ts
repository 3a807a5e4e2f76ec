import { diffRuns } from "../../src/edit/diff-runs.ts";
import type { EditRequest } from "../../src/edit/edit-request.ts";
import {
  changeWord,
  type Hunk,
  type HunkLine,
  type Modification,
  newLines,
  oldLines,
} from "./modification.ts";
import type { Random } from "./random.ts";
import { asDiff, asPatch, asReplace, diffLines, patchLines } from "./render.ts";

/** A call, its file, and the expected result. */
export interface Task {
  readonly damage: string;
  readonly kind: EditRequest["kind"];
  /** `either`: the right result or a refusal. */
  readonly expectation: "applied" | "either" | "refused";
  readonly path: string;
  readonly file: Buffer;
  readonly request: EditRequest;
  readonly expected: Buffer;
}

/** A real modification that is to be damaged. */
export interface Subject {
  readonly modification: Modification;
  readonly hunks: readonly Hunk[];
  readonly random: Random;
  /** Another file's modification. */
  readonly foreign: { readonly modification: Modification; readonly hunks: readonly Hunk[] };
}

/** One class of mistake. Returns no task where the mistake is impossible or would have more than one right answer. */
export interface Damage {
  readonly name: string;
  readonly expectation: Task["expectation"];
  make(subject: Subject): readonly Made[];
}

interface Made {
  readonly file: string | Buffer;
  readonly expected: string | Buffer;
  readonly request: EditRequest;
}

export function tasksOf(subject: Subject, damages: readonly Damage[]): readonly Task[] {
  return damages.flatMap(({ name, expectation, make }) =>
    make(subject).map(({ file, expected, request }) => ({
      damage: name,
      kind: request.kind,
      expectation,
      path: subject.modification.path,
      file: Buffer.from(file as string),
      request,
      expected: Buffer.from(expected as string),
    })),
  );
}

function text(lines: readonly string[], lineEnd = "\n"): string {
  return lines.map((line) => line + lineEnd).join("");
}

/** The same hunks in all three forms. */
function threeWays(path: string, hunks: readonly Hunk[]): readonly EditRequest[] {
  // Replacing text with nothing leaves its line end.
  const hasText = hunks.every((hunk) => newLines(hunk).length > 0);
  return [
    ...(hasText ? [asReplace(path, hunks)] : []),
    asPatch(patchLines(path, hunks)),
    asDiff(diffLines(path, hunks)),
  ];
}

/** A mistake in the lines of the call; the file is unchanged. */
function inCall(
  { modification, hunks }: Subject,
  change: (line: HunkLine, hunk: Hunk) => string,
  options: { readonly mustChangeOld: boolean } = { mustChangeOld: true },
): readonly Made[] {
  if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
  const changed = hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => ({ ...line, text: change(line, hunk) })),
  }));
  const file = text(modification.before);
  if (options.mustChangeOld && !changed.every((hunk) => !file.includes(oldLines(hunk).join("\n")))) return [];
  const expected = text(modification.after);
  return threeWays(modification.path, changed).map((request) => ({ file, expected, request }));
}

/** A peculiarity of the file that the call does not show. `change` gets kept, removed and added lines. */
function inFile(
  { modification, hunks }: Subject,
  change: (line: string, sign: HunkLine["sign"], index: number) => string,
  lineEnd = "\n",
): readonly Made[] {
  if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
  const { before, after } = mapLines(modification, change);
  const file = text(before, lineEnd);
  if (file === text(modification.before)) return [];
  const expected = text(after, lineEnd);
  return threeWays(modification.path, hunks)
    .filter((request) => {
      const isFound = request.kind === "replace" && request.edits.some(({ find }) => file.includes(find));
      return request.kind !== "replace" || (!isFound && hunks.every(hasOneAlignment));
    })
    .map((request) => ({ file, expected, request }));
}

function changedWords(one: string, other: string): number {
  const words = other.split(/\W+/);
  return one.split(/\W+/).filter((word, index) => word !== words[index]).length;
}

/** Find and replace does not say which of two equal lines stays; here it makes no difference. */
function hasOneAlignment(hunk: Hunk): boolean {
  const before = oldLines(hunk);
  const after = newLines(hunk);
  const runs = diffRuns(before, after);
  const [backwards] = diffRuns([...before].reverse(), [...after].reverse());
  const [run] = runs;
  const isMeant = hunk.lines
    .filter(({ sign }) => sign !== "+")
    .every(({ sign }, index) => sign === " " || (index >= run!.oldStart && index < run!.oldEnd));
  return runs.length === 1 && isMeant && before.length - backwards!.oldEnd === run!.oldStart;
}

function mapLines(
  { before, after }: Modification,
  change: (line: string, sign: HunkLine["sign"], index: number) => string,
): { before: readonly string[]; after: readonly string[] } {
  const oldResult: string[] = [];
  const newResult: string[] = [];
  let oldLine = 0;
  let newLine = 0;
  const end = {
    oldStart: before.length,
    oldEnd: before.length,
    newStart: after.length,
    newEnd: after.length,
  };
  for (const run of [...diffRuns(before, after), end]) {
    for (; oldLine < run.oldStart; oldLine += 1, newLine += 1) {
      const kept = change(before[oldLine]!, " ", oldLine);
      oldResult.push(kept);
      newResult.push(kept);
    }
    for (; oldLine < run.oldEnd; oldLine += 1) oldResult.push(change(before[oldLine]!, "-", oldLine));
    for (; newLine < run.newEnd; newLine += 1) newResult.push(change(after[newLine]!, "+", newLine));
  }
  return { before: oldResult, after: newResult };
}

/** The letters, without blanks and in plain glyphs, occur once, so no tolerance can find another position. */
function isLoneInFile(lines: readonly string[], wanted: readonly string[]): boolean {
  const squeezed = squeeze(lines.join("\n"));
  const block = squeeze(wanted.join("\n"));
  if (block.length < 6) return false;
  const first = squeezed.indexOf(block);
  return first !== -1 && squeezed.indexOf(block, first + 1) === -1;
}

function squeeze(value: string): string {
  return value
    .replace(/\s+/g, "")
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[–—−]/g, "-")
    .replace(/…/g, "...")
    .normalize("NFC");
}

const indentationOf = (line: string) => /^[ \t]*/.exec(line)![0];
const isBlank = (line: string) => line.trim() === "";

/** One level of the file's indentation, if it is regular. */
function levelOf(lines: readonly string[]): number {
  const widths = lines.map((line) => /^ +(?=\S)/.exec(line)?.[0].length ?? 0).filter((width) => width > 0);
  if (widths.length < 3) return 0;
  for (const size of [4, 2])
    if (widths.filter((width) => width % size === 0).length > widths.length * 0.9) return size;
  return 0;
}

/** Whether the old lines show enough of the indentation for the new ones. */
function teachesIndentation(hunk: Hunk): boolean {
  const seen = new Set(
    oldLines(hunk)
      .filter((line) => !isBlank(line))
      .map(indentationOf),
  );
  const wanted = hunk.lines
    .filter(({ sign, text }) => sign === "+" && !isBlank(text))
    .map((line) => indentationOf(line.text));
  return (
    wanted.every((indentation) => seen.has(indentation)) || [...seen].filter((each) => each !== "").length > 1
  );
}

const toTabs = (size: number) => (line: string) =>
  line.replace(/^ +/, (blanks) => "\t".repeat(blanks.length / size) + " ".repeat(blanks.length % size));

const clean: readonly Damage[] = [
  {
    name: "clean",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      const file = text(modification.before);
      const requests = threeWays(modification.path, hunks);
      const isFound = hunks.every((hunk) => count(file, oldLines(hunk).join("\n")) === 1);
      return requests
        .filter(({ kind }) => kind !== "replace" || isFound)
        .map((request) => ({ file, expected: text(modification.after), request }));
    },
  },
  {
    name: "clean, line by line",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      const file = text(modification.before);
      if (hunks.some((hunk) => count(file, text(oldLines(hunk))) !== 1)) return [];
      const edits = hunks.map((hunk) => ({ find: text(oldLines(hunk)), replace: text(newLines(hunk)) }));
      const request = { kind: "replace" as const, path: modification.path, edits };
      return [{ file, expected: text(modification.after), request }];
    },
  },
];

function count(file: string, part: string): number {
  let found = 0;
  for (let at = file.indexOf(part); at !== -1; at = file.indexOf(part, at + 1)) found += 1;
  return found;
}

const whitespace: readonly Damage[] = [
  {
    name: "trailing blanks in the call",
    expectation: "applied",
    make: (subject) => {
      const blanks = subject.random.pick([" ", "  ", "\t", "    "]);
      const marked = new Set(
        subject.hunks.map(({ lines }) => subject.random.pick(lines.filter(({ sign }) => sign !== "+"))),
      );
      return inCall(subject, (line) => (marked.has(line) ? line.text + blanks : line.text), {
        mustChangeOld: false,
      });
    },
  },
  {
    name: "trailing blanks in the file",
    expectation: "applied",
    make: (subject) =>
      inFile(subject, (line, sign, index) =>
        sign !== "+" && (index * 7) % 3 === 0 && !isBlank(line) ? `${line}  ` : line,
      ),
  },
  {
    name: "blank lines with blanks in the file",
    expectation: "applied",
    make: (subject) => inFile(subject, (line, sign) => (sign !== "+" && line === "" ? "    " : line)),
  },
  {
    name: "block shifted to the right",
    expectation: "applied",
    make: (subject) => {
      const shift = " ".repeat(1 + subject.random.below(8));
      return inCall(subject, ({ text }) => (isBlank(text) ? text : shift + text));
    },
  },
  {
    name: "block shifted to the left",
    expectation: "applied",
    make: (subject) =>
      inCall(subject, ({ text }, hunk) => {
        const widths = hunk.lines
          .filter((line) => !isBlank(line.text))
          .map((line) => indentationOf(line.text).length);
        return isBlank(text) ? text : text.slice(Math.min(...widths));
      }),
  },
  {
    name: "tabs in the file, spaces in the call",
    expectation: "applied",
    make: (subject) => {
      const size = levelOf(subject.modification.before);
      if (size === 0 || !subject.hunks.every(showsIndentation) || !subject.hunks.every(teachesIndentation))
        return [];
      return inFile(subject, toTabs(size));
    },
  },
  {
    name: "spaces in the file, tabs in the call",
    expectation: "applied",
    make: (subject) => {
      const size = levelOf(subject.modification.before);
      if (size === 0 || !subject.hunks.every(showsIndentation) || !subject.hunks.every(teachesIndentation))
        return [];
      return inCall(subject, ({ text }) => toTabs(size)(text));
    },
  },
  {
    name: "levels of another size",
    expectation: "applied",
    make: (subject) => {
      const size = levelOf(subject.modification.before);
      if (size === 0 || !subject.hunks.every(teachesIndentation)) return [];
      const scale = (line: string) =>
        line.replace(/^ +/, (blanks) => (size === 4 ? " ".repeat(blanks.length / 2) : blanks + blanks));
      const isRegular = subject.hunks.every(({ lines }) =>
        lines.every((line) => indentationOf(line.text).length % size === 0),
      );
      return isRegular ? inCall(subject, ({ text }) => scale(text)) : [];
    },
  },
  {
    name: "tabs inside lines of the file",
    expectation: "applied",
    make: (subject) =>
      inFile(subject, (line, sign) => (sign === " " ? line.replace(/(?<=\S) +(?==|\/\/|\{)/, "\t") : line)),
  },
];

/** At least one old line of every hunk is indented; otherwise the mistake would not show. */
function showsIndentation(hunk: Hunk): boolean {
  return oldLines(hunk).some((line) => /^\s+\S/.test(line));
}

const glyphs: readonly Damage[] = [
  ...(
    [
      [
        "typographic quotes in the file",
        (line: string) => line.replace(/"([^"]*)"/g, "“$1”").replace(/'/g, "’"),
      ],
      ["dashes in the file", (line: string) => line.replace(/ - /g, " – ").replace(/(?<=\w)-(?=\w)/g, "‑")],
      ["odd spaces in the file", (line: string) => line.replace(/(?<=\S) (?=\S)/g, "\u00a0")],
      ["ellipsis in the file", (line: string) => line.replace(/\.\.\./g, "…")],
      ["decomposed accents in the file", (line: string) => line.replace(/[aeiou](?=\w)/, "e\u0301")],
    ] as const
  ).flatMap(([name, change]): Damage[] => [
    {
      name,
      expectation: "applied",
      make: (subject) => {
        const composed = name.startsWith("decomposed");
        if (composed) return decomposed(subject);
        return inFile(subject, (line, sign) => (sign === " " ? change(line) : line));
      },
    },
    {
      name: `${name}, on a changed line`,
      expectation: "applied",
      make: (subject) => (name.startsWith("decomposed") ? [] : onChangedLines(subject, change)),
    },
  ]),
  {
    name: "typographic quotes in the call",
    expectation: "applied",
    make: (subject) =>
      inCall(subject, ({ sign, text }) =>
        sign === " " ? text.replace(/"([^"]*)"/g, "“$1”").replace(/'/g, "’") : text,
      ),
  },
];

/** The file has é as two characters, the call as one. */
function decomposed({ modification, hunks, random }: Subject): readonly Made[] {
  const accent = (form: "NFC" | "NFD") => (line: string) =>
    line.replace(/(?<=\w)e(?=\w)/g, "é".normalize(form));
  const both = (form: "NFC" | "NFD") =>
    mapLines(modification, (line, sign) => (sign === " " ? accent(form)(line) : line));
  const [fileForm, callForm] = random.chance(0.5) ? (["NFD", "NFC"] as const) : (["NFC", "NFD"] as const);
  const inFileForm = both(fileForm);
  const called = hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) =>
      line.sign === " " ? { ...line, text: accent(callForm)(line.text) } : line,
    ),
  }));
  const changed = hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)));
  if (!changed || !called.every((hunk) => isLoneInFile(inFileForm.before, oldLines(hunk)))) return [];
  return threeWays(modification.path, called).map((request) => ({
    file: text(inFileForm.before),
    expected: text(inFileForm.after),
    request,
  }));
}

/** Glyphs in the common beginning of a removed line and its replacement. */
function onChangedLines(subject: Subject, change: (line: string) => string): readonly Made[] {
  const { before, after } = subject.modification;
  const oldPrefixes = new Map<number, string>();
  const newPrefixes = new Map<number, string>();
  for (const run of diffRuns(before, after)) {
    if (run.oldEnd - run.oldStart !== run.newEnd - run.newStart) continue;
    for (let index = 0; index < run.oldEnd - run.oldStart; index += 1) {
      const prefix = commonWords(before[run.oldStart + index]!, after[run.newStart + index]!);
      oldPrefixes.set(run.oldStart + index, prefix);
      newPrefixes.set(run.newStart + index, prefix);
    }
  }
  return inFile(subject, (line, sign, index) => {
    const prefix = sign === " " ? "" : ((sign === "-" ? oldPrefixes : newPrefixes).get(index) ?? "");
    return change(prefix) + line.slice(prefix.length);
  });
}

/** The common beginning of two lines, up to the end of a word, at least three words long. */
function commonWords(left: string, right: string): string {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  const common = /^.*\w(?=\W)/.exec(left.slice(0, same))?.[0] ?? "";
  return (common.match(/\w+/g)?.length ?? 0) >= 3 ? common : "";
}

const lineEnds: readonly Damage[] = [
  {
    name: "CRLF in the file",
    expectation: "applied",
    make: (subject) => inFile(subject, (line) => line, "\r\n"),
  },
  {
    name: "CR in the file",
    expectation: "applied",
    make: (subject) =>
      subject.modification.before.some((line) => line.includes("\r"))
        ? []
        : inFile(subject, (line) => line, "\r"),
  },
  {
    name: "CRLF in the call",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
      const file = text(modification.before);
      const expected = text(modification.after);
      return threeWays(modification.path, hunks).map((request) => ({
        file,
        expected,
        request: withCarriageReturns(request),
      }));
    },
  },
  {
    name: "mixed line ends in the file",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
      // New lines end like the line they replace, else like the line above: only then is there one right answer.
      const mixed = mapLines(modification, (line, sign, index) =>
        sign === "+" ? line : `${line}${index % 3 === 0 ? "\r" : ""}`,
      );
      const before = mixed.before;
      const after: string[] = [];
      let oldLine = 0;
      const runs = diffRuns(modification.before, modification.after);
      // A removed line that equals its neighbour could also be the one that stays.
      const isUnclear = ({ oldStart, oldEnd }: (typeof runs)[number]) => {
        const removed = modification.before.slice(oldStart, oldEnd);
        return [modification.before[oldStart - 1], modification.before[oldEnd]].some(
          (kept) => kept !== undefined && removed.includes(kept),
        );
      };
      if (runs.some(isUnclear)) return [];
      for (const run of [
        ...runs,
        { oldStart: before.length, oldEnd: before.length, newStart: 0, newEnd: 0 },
      ]) {
        after.push(...before.slice(oldLine, run.oldStart));
        for (let index = run.newStart; index < run.newEnd; index += 1) {
          const above =
            run.oldStart === run.oldEnd
              ? Math.max(run.oldStart - 1, 0)
              : Math.min(run.oldStart + index - run.newStart, run.oldEnd - 1);
          after.push(modification.after[index]! + (before[above]!.endsWith("\r") ? "\r" : ""));
        }
        oldLine = run.oldEnd;
      }
      const endsWithContext = hunks.every(({ lines }) => lines.at(-1)!.sign === " ");
      return threeWays(modification.path, hunks)
        .filter(({ kind }) => kind !== "replace" || (endsWithContext && hunks.every(hasOneAlignment)))
        .map((request) => ({ file: text(before), expected: text(after), request }));
    },
  },
  {
    name: "byte-order mark in the file",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
      const file = `\ufeff${text(modification.before)}`;
      return threeWays(modification.path, hunks).map((request) => ({
        file,
        expected: `\ufeff${text(modification.after)}`,
        request,
      }));
    },
  },
  {
    name: "no final line end in the file",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
      const cut = (lines: readonly string[]) => text(lines).slice(0, -1);
      // A blank last line would not be a line any more.
      if (
        modification.before.at(-1) === "" ||
        modification.after.at(-1) === "" ||
        modification.after.length === 0
      )
        return [];
      const requests = threeWays(modification.path, hunks);
      const edits = hunks.map((hunk) => ({ find: text(oldLines(hunk)), replace: text(newLines(hunk)) }));
      return [...requests, { kind: "replace" as const, path: modification.path, edits }].map((request) => ({
        file: cut(modification.before),
        expected: cut(modification.after),
        request,
      }));
    },
  },
  {
    name: "UTF-16",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
      const encode = (lines: readonly string[]) => Buffer.from(`\ufeff${text(lines)}`, "utf16le");
      return threeWays(modification.path, hunks).map((request) => ({
        file: encode(modification.before),
        expected: encode(modification.after),
        request,
      }));
    },
  },
  {
    name: "Latin-1",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      const isPlain = !/[^\0-\x7f]/.test(text(modification.before) + text(modification.after));
      if (!isPlain || !hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
      const encode = (lines: readonly string[]) => Buffer.from(`// Größe\n${text(lines)}// é ü\n`, "latin1");
      return threeWays(modification.path, hunks).map((request) => ({
        file: encode(modification.before),
        expected: encode(modification.after),
        request,
      }));
    },
  },
];

function withCarriageReturns(request: EditRequest): EditRequest {
  const convert = (value: string) => value.replaceAll("\n", "\r\n");
  switch (request.kind) {
    case "replace":
      return {
        ...request,
        edits: request.edits.map(({ find, replace }) => ({ find: convert(find), replace: convert(replace) })),
      };
    case "patch":
      return { kind: "patch", patch: convert(request.patch) };
    case "diff":
      return { kind: "diff", diff: convert(request.diff) };
    case "anchored":
      return request;
  }
}

/** Mistakes of models in the lines of a whole patch or diff. */
type Slip = (lines: readonly string[]) => readonly string[];

function slipsIn(
  ask: (path: string, hunks: readonly Hunk[], slip: Slip) => EditRequest,
  slips: readonly (readonly [name: string, slip: Slip])[],
): readonly Damage[] {
  return slips.map(([name, slip]) => ({
    name,
    expectation: "applied",
    make: ({ modification, hunks }) => {
      if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
      const request = ask(modification.path, hunks, slip);
      return [{ file: text(modification.before), expected: text(modification.after), request }];
    },
  }));
}

const wrappings: readonly Damage[] = [
  ...(["12 | ", "12→", "12: ", "12:", "    12\t", "L12: ", "12|"] as const).map(
    (form): Damage => ({
      name: `line numbers as in ${JSON.stringify(form)}`,
      expectation: "applied",
      make: (subject) => {
        const numbered = numberLines(subject.hunks, form, subject.random.chance(0.5));
        return inCall(subject, (line) => numbered.get(line) ?? line.text);
      },
    }),
  ),
  {
    name: "quotes escaped once too often",
    expectation: "applied",
    make: (subject) => inCall(subject, ({ text }) => text.replace(/"/g, '\\"')),
  },
  {
    name: "quotes and backslashes escaped once too often",
    expectation: "applied",
    make: (subject) => inCall(subject, ({ text }) => text.replace(/[\\"]/g, "\\$&")),
  },
  {
    name: "everything escaped once too often",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
      if (hunks.some((hunk) => newLines(hunk).length === 0)) return [];
      const encode = (value: string) => JSON.stringify(value).slice(1, -1);
      const edits = hunks.map((hunk) => ({
        find: encode(oldLines(hunk).join("\n")),
        replace: encode(newLines(hunk).join("\n")),
      }));
      const file = text(modification.before);
      if (edits.some(({ find }) => file.includes(find))) return [];
      return [
        {
          file,
          expected: text(modification.after),
          request: { kind: "replace", path: modification.path, edits },
        },
      ];
    },
  },
  {
    name: "code fence around find and replace",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
      if (hunks.some((hunk) => newLines(hunk).length === 0)) return [];
      const fence = (lines: readonly string[]) => `\`\`\`ts\n${lines.join("\n")}\n\`\`\``;
      const edits = hunks.map((hunk) => ({ find: fence(oldLines(hunk)), replace: fence(newLines(hunk)) }));
      const request = { kind: "replace" as const, path: modification.path, edits };
      return [{ file: text(modification.before), expected: text(modification.after), request }];
    },
  },
  ...slipsIn(
    (path, hunks, slip) => asPatch(slip(patchLines(path, hunks))),
    [
      ["code fence around the patch", (lines) => ["```diff", ...lines, "```"]],
      ["here-document around the patch", (lines) => ["apply_patch <<'PATCH'", ...lines, "PATCH"]],
      ["bare here-document around the patch", (lines) => ["<<EOF", ...lines, "EOF"]],
      ["prose around the patch", (lines) => ["Here is the patch:", "", ...lines, "", "This should do it."]],
      [
        "padded end of the patch",
        (lines) => lines.map((line) => (line === "*** End Patch" ? "  *** End Patch  " : line)),
      ],
      ["padded headers", (lines) => lines.map((line) => (line.startsWith("*** ") ? `  ${line}  ` : line))],
      ["no envelope", (lines) => lines.slice(1, -1)],
      ["no first @@", (lines) => lines.filter((line, index) => !(line === "@@" && index === 2))],
      ["blank context without its space", (lines) => lines.map((line) => (line === " " ? "" : line))],
      ["a blank line before the end", (lines) => [...lines.slice(0, -1), "", lines.at(-1)!]],
      [
        "headers of a unified diff in the patch",
        (lines) => [...lines.slice(0, 2), "--- a/file", "+++ b/file", ...lines.slice(2)],
      ],
      [
        "numbers of a unified diff in the patch",
        (lines) => lines.map((line) => (line === "@@" ? "@@ -7,9 +7,11 @@" : line)),
      ],
      ["the whole patch in one line", (lines) => [JSON.stringify(lines.join("\n")).slice(1, -1)]],
    ],
  ),
  ...slipsIn(
    (path, hunks, slip) => asDiff(slip(diffLines(path, hunks))),
    [
      ["code fence around the diff", (lines) => ["```diff", ...lines, "```"]],
      ["prose around the diff", (lines) => ["Here is the change:", "", ...lines]],
      [
        "wrong counts",
        (lines) =>
          lines.map((line) =>
            line.replace(
              /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/,
              (_, a, b, c, d) => `@@ -${a},${Number(b) + 1} +${c},${Math.max(0, Number(d) - 2)} @@`,
            ),
          ),
      ],
      [
        "wrong numbers",
        (lines) =>
          lines.map((line) =>
            line.replace(
              /^@@ -(\d+)(,\d+) \+(\d+)(,\d+) @@$/,
              (_, a, b, c, d) => `@@ -${Number(a) + 40}${b} +${Number(c) + 40}${d} @@`,
            ),
          ),
      ],
      ["no numbers", (lines) => lines.map((line) => (/^@@ -\d/.test(line) ? "@@" : line))],
      [
        "no prefixes",
        (lines) => lines.map((line, index) => (index < 2 ? line.replace(/ [ab]\//, " ") : line)),
      ],
      [
        "time stamps",
        (lines) => lines.map((line, index) => (index < 2 ? `${line}\t2026-11-01 10:00:00` : line)),
      ],
      [
        "blank context without its space in the diff",
        (lines) => lines.map((line) => (line === " " ? "" : line)),
      ],
      [
        "git header",
        (lines) => [
          `diff --git ${lines[0]!.slice(4)} ${lines[1]!.slice(4)}`,
          "index 123abcd..456ef01 100644",
          ...lines,
        ],
      ],
    ],
  ),
  {
    name: "hunks out of order",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      if (hunks.length < 2 || !hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk))))
        return [];
      const reversed = [...hunks].reverse();
      return threeWays(modification.path, reversed).map((request) => ({
        file: text(modification.before),
        expected: text(modification.after),
        request,
      }));
    },
  },
  {
    name: "hunks without @@ between them",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      if (hunks.length < 2 || !hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk))))
        return [];
      const lines = patchLines(modification.path, hunks);
      const request = asPatch(lines.filter((line, index) => line !== "@@" || index === 2));
      return [{ file: text(modification.before), expected: text(modification.after), request }];
    },
  },
  {
    name: "header above every hunk",
    expectation: "applied",
    make: ({ modification, hunks }) => {
      const { before } = modification;
      const headed = hunks.map((hunk) => headersOf(before, hunk));
      if (headed.some((headers) => headers.length === 0)) return [];
      if (!hunks.every((hunk) => isLoneInFile(before, oldLines(hunk)))) return [];
      const lines = [
        ...patchLines(modification.path, []).slice(0, 2),
        ...hunks.flatMap((hunk, index) => [
          ...headed[index]!.map((header) => `@@ ${header.trim()}`),
          ...hunk.lines.map(({ sign, text }) => sign + text),
        ]),
        "*** End Patch",
      ];
      return [{ file: text(before), expected: text(modification.after), request: asPatch(lines) }];
    },
  },
];

/** The lines that enclose a hunk by indentation, outermost first. */
function headersOf(before: readonly string[], hunk: Hunk): readonly string[] {
  const first = oldLines(hunk).find((line) => !isBlank(line));
  let depth = indentationOf(first ?? "").length;
  const headers: string[] = [];
  for (let line = hunk.start - 1; line >= 0 && depth > 0; line -= 1) {
    const candidate = before[line]!;
    const width = indentationOf(candidate).length;
    if (isBlank(candidate) || width >= depth || !/^\s*[A-Za-z]/.test(candidate)) continue;
    headers.unshift(candidate);
    depth = width;
  }
  return headers;
}

function numberLines(
  hunks: readonly Hunk[],
  form: string,
  numbersAdded: boolean,
): ReadonlyMap<HunkLine, string> {
  const numbered = new Map<HunkLine, string>();
  for (const { start, lines } of hunks) {
    let number = start + 1;
    for (const line of lines) {
      if (line.sign === "+" && !numbersAdded) continue;
      const gutter = form.replace("12", String(number));
      numbered.set(
        line,
        line.text === "" ? gutter.trimEnd() + (form.endsWith("\t") ? "\t" : "") : gutter + line.text,
      );
      if (line.sign !== "+") number += 1;
    }
  }
  return numbered;
}

const stale: readonly Damage[] = [
  {
    name: "one word of context is behind the file",
    expectation: "either",
    make: (subject) => {
      const { modification, hunks, random } = subject;
      if (!hunks.every((hunk) => isLoneInFile(modification.before, oldLines(hunk)))) return [];
      const chosen = hunks.map((hunk) => {
        const context = hunk.lines.filter(({ sign, text }) => sign === " " && /[A-Za-z_]{3,}/.test(text));
        const telling = oldLines(hunk).filter((line) => /\w.*\w.*\w.*\w/.test(line));
        return context.length > 0 && telling.length > 2 ? random.pick(context) : undefined;
      });
      if (chosen.includes(undefined)) return [];
      return inCall(subject, (line) => (chosen.includes(line) ? changeWord(line.text, random) : line.text), {
        mustChangeOld: true,
      });
    },
  },
];

const filler = ["// ---- another part ----", "", "filler one two three;", ""];

const refused: readonly Damage[] = [
  {
    name: "text that occurs twice",
    expectation: "refused",
    make: ({ modification, hunks, random }) => {
      const hunk = random.pick(hunks);
      if (squeeze(oldLines(hunk).join("")).length < 3) return [];
      const file = text([...modification.before, ...filler, ...oldLines(hunk)]);
      return threeWays(modification.path, [hunk])
        .filter(({ kind }) => kind !== "diff")
        .map((request) => ({ file, expected: "", request }));
    },
  },
  {
    name: "a bare removed line that occurs twice",
    expectation: "refused",
    make: ({ modification, hunks, random }) => {
      const lines = hunks.flatMap((hunk) =>
        hunk.lines.filter(({ sign, text }) => sign === "-" && !isBlank(text)),
      );
      const often = lines.filter(
        (line) => modification.before.filter((each) => each === line.text).length > 1,
      );
      if (often.length === 0) return [];
      const line = random.pick(often);
      const hunk = { start: 0, lines: [line, { sign: "+" as const, text: `${line.text} // changed` }] };
      const file = text(modification.before);
      return threeWays(modification.path, [hunk])
        .filter(({ kind }) => kind !== "diff")
        .map((request) => ({ file, expected: "", request }));
    },
  },
  {
    name: "a removed line that is not what the call says",
    expectation: "refused",
    make: (subject) => {
      const { modification, hunks, random } = subject;
      const hunk = random.pick(hunks);
      const removed = hunk.lines.filter(({ sign, text }) => sign === "-" && /[A-Za-z_]{3,}/.test(text));
      if (removed.length === 0) return [];
      const line = random.pick(removed);
      const changed = changeWord(line.text, random);
      const drifted = {
        ...hunk,
        lines: hunk.lines.map((each) => (each === line ? { ...each, text: changed } : each)),
      };
      // The stale line may equal another line, or one of the added lines.
      if (newLines(hunk).includes(changed) || isLoneInFile(modification.before, oldLines(drifted))) return [];
      const file = text(modification.before);
      return threeWays(modification.path, [drifted]).map((request) => ({ file, expected: "", request }));
    },
  },
  {
    name: "text of another file",
    expectation: "refused",
    make: ({ modification, foreign }) => {
      const file = text(modification.before);
      const squeezed = squeeze(file);
      // All lines of a foreign hunk, or all but one, must not be in this file by chance.
      const isForeign = foreign.hunks.some(
        (hunk) =>
          oldLines(hunk).filter((line) => squeeze(line).length > 8 && !squeezed.includes(squeeze(line)))
            .length > 1,
      );
      if (!isForeign) return [];
      return threeWays(modification.path, foreign.hunks).map((request) => ({ file, expected: "", request }));
    },
  },
  {
    name: "blocks that differ only in indentation",
    expectation: "refused",
    make: ({ modification, hunks, random }) => {
      const hunk = random.pick(hunks);
      const shifted = (width: number) => (line: string) => (isBlank(line) ? line : " ".repeat(width) + line);
      const file = text([...modification.before, ...filler, ...oldLines(hunk).map(shifted(4))]);
      const wrong = random.pick([1, 2, 3, 6, 8]);
      const call = {
        ...hunk,
        lines: hunk.lines.map((line) => ({ ...line, text: shifted(wrong)(line.text) })),
      };
      if (file.includes(oldLines(call).join("\n")) || squeeze(oldLines(hunk).join("")).length < 3) return [];
      return threeWays(modification.path, [call]).map((request) => ({ file, expected: "", request }));
    },
  },
  {
    name: "two places equally close",
    expectation: "refused",
    make: ({ modification, hunks, random }) => {
      const hunk = random.pick(hunks);
      const context = hunk.lines.filter(({ sign, text }) => sign === " " && /[A-Za-z_]{3,}/.test(text));
      if (context.length === 0) return [];
      const line = random.pick(context);
      const variant = (each: HunkLine) =>
        each === line ? { ...each, text: changeWord(each.text, random) } : each;
      const call = { ...hunk, lines: hunk.lines.map(variant) };
      const copy = { ...hunk, lines: hunk.lines.map(variant) };
      if (oldLines(call).join() === oldLines(copy).join()) return [];
      // The copy is as close as the original only when both changes are in the same word.
      const changed = [call, copy].map(({ lines }) => lines[hunk.lines.indexOf(line)]!.text);
      if (changedWords(changed[0]!, changed[1]!) > 1) return [];
      if (isLoneInFile([...modification.before, ...oldLines(copy)], oldLines(call))) return [];
      const file = text([...modification.before, ...filler, ...oldLines(copy)]);
      return threeWays(modification.path, [call]).map((request) => ({ file, expected: "", request }));
    },
  },
  {
    name: "a lookalike of a place whose removed line has drifted",
    expectation: "refused",
    make: ({ modification, hunks, random }) => {
      const hunk = random.pick(hunks);
      const context = hunk.lines.filter(({ sign, text }) => sign === " " && /[A-Za-z_]{3,}/.test(text));
      const removed = hunk.lines.filter(({ sign, text }) => sign === "-" && /[A-Za-z_]{3,}/.test(text));
      if (context.length < 2 || removed.length === 0) return [];
      const staleLine = random.pick(context);
      const driftedLine = random.pick(removed);
      const changedIn = (chosen: HunkLine) => ({
        ...hunk,
        lines: hunk.lines.map((each) =>
          each === chosen ? { ...each, text: changeWord(each.text, random) } : each,
        ),
      });
      const target = oldLines(changedIn(driftedLine));
      const lookalike = oldLines(changedIn(staleLine));
      const { before } = modification;
      const lines = [
        ...before.slice(0, hunk.start),
        ...target,
        ...before.slice(hunk.start + target.length),
        ...filler,
        ...lookalike,
      ];
      if (
        isLoneInFile(lines, oldLines(hunk)) ||
        target.join() === oldLines(hunk).join() ||
        lookalike.join() === oldLines(hunk).join()
      )
        return [];
      if (newLines(hunk).some((line) => target.includes(line) && !oldLines(hunk).includes(line))) return [];
      return threeWays(modification.path, [hunk]).map((request) => ({
        file: text(lines),
        expected: "",
        request,
      }));
    },
  },
  {
    name: "a patch that is cut off",
    expectation: "refused",
    make: ({ modification, hunks }) => {
      const lines = patchLines(modification.path, hunks);
      return [{ file: text(modification.before), expected: "", request: asPatch(lines.slice(0, -1)) }];
    },
  },
  {
    name: "a call that changes nothing",
    expectation: "refused",
    make: ({ modification, hunks }) => {
      const idle = hunks.map((hunk) => ({
        ...hunk,
        lines: hunk.lines.filter(({ sign }) => sign !== "+").map((line) => ({ ...line, sign: " " as const })),
      }));
      return threeWays(modification.path, idle).map((request) => ({
        file: text(modification.before),
        expected: "",
        request,
      }));
    },
  },
];

export const allDamages: readonly Damage[] = [
  ...clean,
  ...whitespace,
  ...glyphs,
  ...lineEnds,
  ...wrappings,
  ...stale,
  ...refused,
];
