/** A highlighted range: start, end, and a class of the style sheet without its prefix. */
type Span = readonly [start: number, end: number, kind: string];

/**
 * Finds comments, strings, numbers and keywords in a line of code, for diffs that arrive without highlights. A line is read
 * alone, so a comment or text over several lines is only found where it begins.
 */
export function highlightLine(line: string, path: string): readonly Span[] {
  const extension = /\.(\w+)$/.exec(path)?.[1] ?? "";
  if (!isCode.test(extension) || line.length > 1_000) return [];
  const pattern = hashComments.test(extension) ? withHash : withSlashes;
  return [...line.matchAll(pattern)].flatMap(({ index, 0: text, groups = {} }): readonly Span[] => {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
    if (kind === "word" && !keywords.has(text)) return [];
    return [[index, index + text.length, kind === "word" ? "keyword" : kind]];
  });
}

const isCode =
  /^(?:[cm]?[jt]sx?|json|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|bash|toml|ya?ml|css|scss|sql|lua|zig|dart|scala)$/;
const hashComments = /^(?:py|rb|sh|bash|toml|ya?ml)$/;
const rest =
  /(?<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|(?<number>\b\d[\w.]*)|(?<word>\b[a-zA-Z_]\w*)/
    .source;
const withHash = new RegExp(`(?<comment>(?<!\\S)#.*)|${rest}`, "g");
const withSlashes = new RegExp(`(?<comment>//.*|/\\*.*?(?:\\*/|$)|^\\s*\\*(?:\\s.*|/)?$)|${rest}`, "g");
const keywords = new Set(
  (
    "abstract and as async await bool boolean break case catch class const continue def default defer del do elif else enum " +
    "except export extends false final finally fn for from func function if impl implements import in interface is let " +
    "match mod module mut namespace new nil None not null number object or package private protected pub public raise " +
    "readonly return self static string struct super switch this throw trait true True False try type typeof undefined " +
    "use using val var void where while with yield"
  ).split(" "),
);
