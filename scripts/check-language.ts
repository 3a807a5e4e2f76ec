/**
 * Checks that the prose of this repository is plain: the documents, and the comments and texts in the source. It looks for the
 * words that the glossary in docs/architecture.md replaced, and for habits of speech that are hard to read. `npm run lint`
 * runs it.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const repository = join(import.meta.dirname, "..");

/** The patterns to find, and the replacement to suggest. */
const tics: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bif not (?:said|given|told)\b/i, 'write "Default: …"'],
  [/\b(?:what |that )?stands? there\b|\bwhat stands\b/i, "name the thing"],
  [/\b(?:nobody|whoever|somebody)\b/i, 'write "the user", "the caller", or name the subject'],
  [/\bthe person\b|\ba person's\b|\bpeople's\b/i, 'write "the user"'],
  [/\b(?:is|are|was|were|be) told of\b/i, "say who reports what"],
  [/\bto be had\b/i, 'write "available"'],
  [/\bmend(?:s|ed|ing)?\b/i, 'write "fix", "repair" or "restore"'],
  [/\banew\b/i, 'write "again"'],
  [/\bgo(?:es|ing)? on with\b/i, 'write "continue" or "resume"'],
  [/\bbeside it\b/i, 'write "next to it" or "also"'],
  [/\bof (?:ours|yours)\b/i, 'write "our …" or "your …"'],
  [/\b(?:the|a|no) way out\b/i, 'write "the fix" or "the hint"'],
  [/\bleads? elsewhere\b/i, "say where it leads"],
  [/\bwhat it says\b/i, "name the text"],
  [/\bone word too many\b/i, 'write "Unexpected argument: …"'],
  [/\b(?:tool |the )?guardian\b/i, 'write "policy"'],
  [/\bthe counter\b|\bone counter\b|\bsame counter\b/i, 'write "pipeline"'],
  [/\bkept questions?\b/i, 'write "pending approval"'],
  [/\b(?:tool|open|this|the|a|own) rooms?\b|\brooms\b/i, 'write "instance" or "workspace"'],
  [/\bat the door\b|\bthe door\b/i, "name the module"],
  [/\bshel(?:f|ves)\b/i, 'write "toolset"'],
  [/\bhold(?:s|ing)? still\b/i, 'write "freeze"'],
  [/(?<!there )\bis no (?:[a-z]+)(?:[.,;:]|$)/i, 'write "is not a …"'],
];

/** A sentence that begins with Who or What and is not a question. */
const elliptical = /(?:^|[.!:] )(?:Who|What|Whoever|Whatever) [a-z][^?]*(?:[.;]|$)/;

/** Texts that may stay, each with its reason. */
const exceptions: readonly (readonly [file: RegExp, text: RegExp])[] = [
  // The ordinary user of Unix systems.
  [/./, /\bnobody(?::|\b.*\bnogroup|")|user nobody|as nobody|"nobody"/],
  // Figures and quotations of other programs.
  [/^docs\/(?:benchmarks|mcp-conformance)\.md$/, /./],
  // Texts of the source systems, byte for byte.
  [/^src\/(?:dialects|compat)\//, /guardian/i],
  [/^scripts\/check-language\.ts$/, /./],
  // A generated file with the descriptions of tools for models.
  [/^src\/toolcrib\/dialect-inputs\.ts$/, /./],
];

const found = [
  ...[
    "README.md",
    "CONTRIBUTING.md",
    "website/landing.mdx",
    ...globSync("docs/**/*.md", { cwd: repository }),
  ].flatMap((file) => checkLines(file, readLines(file))),
  ...globSync("{{src,scripts}/**,website}/*.{ts,tsx}", { cwd: repository })
    .filter((file) => !file.endsWith(".test.ts") && !/\/(?:fixtures|conformance)\//.test(file))
    .flatMap((file) => checkLines(file, readProse(file))),
];

for (const { file, line, text, instead } of found)
  console.log(`${file}:${line}: ${text.trim()}\n    ${instead}`);
if (found.length > 0) {
  console.log(`\n${found.length} texts are not plain. Rewrite them, subject first, in ordinary words.`);
  process.exitCode = 1;
}

interface Line {
  readonly line: number;
  readonly text: string;
  readonly isComment: boolean;
}

function checkLines(file: string, lines: readonly Line[]) {
  return lines.flatMap(({ line, text, isComment }) => {
    if (exceptions.some(([where, what]) => where.test(file) && what.test(text))) return [];
    const [, instead] = tics.find(([pattern]) => pattern.test(text)) ?? [];
    if (instead !== undefined) return [{ file, line, text, instead }];
    return isComment && elliptical.test(text)
      ? [{ file, line, text, instead: "begin with the subject" }]
      : [];
  });
}

/** The lines of a document, without its code blocks: tests run those. */
function readLines(file: string): readonly Line[] {
  let isCode = false;
  return readFileSync(join(repository, file), "utf8")
    .split("\n")
    .flatMap((text, index) => {
      if (text.startsWith("```")) isCode = !isCode;
      return isCode ? [] : [{ line: index + 1, text, isComment: false }];
    });
}

/** The comments and the texts of a source file. */
function readProse(file: string): readonly Line[] {
  const source = readFileSync(join(repository, file), "utf8");
  const pieces = source.matchAll(
    /\/\*[\s\S]*?\*\/|(?<![:\w])\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g,
  );
  return [...pieces].flatMap(({ 0: piece, index }) => {
    const first = source.slice(0, index).split("\n").length;
    const isComment = piece.startsWith("/");
    return piece.split("\n").map((text, offset) => ({
      line: first + offset,
      text: isComment ? text.replace(/^\s*(?:\/\*\*?|\*\/?|\/\/)\s?/, "") : text,
      isComment,
    }));
  });
}
