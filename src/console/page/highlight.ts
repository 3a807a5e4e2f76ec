/** A highlighted range: start, end, and a class of the style sheet without its prefix. */
type Span = readonly [start: number, end: number, kind: string];

/**
 * Finds comments, strings, numbers, keywords, calls and types in a line of code, for diffs that arrive without highlights. A
 * line is read alone, so a comment or text over several lines is only found where it begins.
 */
export function highlightLine(line: string, path: string): readonly Span[] {
  const extension = /\.(\w+)$/.exec(path)?.[1] ?? "";
  const language = languages.find(({ files }) => files.test(extension));
  if (language === undefined || line.length > 1_000) return [];
  return [...line.matchAll(language.pattern)].flatMap(({ index, 0: text, groups = {} }): readonly Span[] => {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
    const found = kind === "word" ? kindOfWord(text, line, index, language) : kind;
    return found === undefined ? [] : [[index, index + text.length, found]];
  });
}

interface Language {
  readonly files: RegExp;
  readonly pattern: RegExp;
  readonly keywords: ReadonlySet<string>;
  /** Whether calls and types can be told from the spelling. */
  readonly isCode: boolean;
}

function kindOfWord(word: string, line: string, index: number, { keywords, isCode }: Language) {
  const isMember = /(?<!\.)\.$/.test(line.slice(0, index));
  if (keywords.has(word) && !isMember) return "keyword";
  if (!isCode) return undefined;
  if (/^!?\(/.test(line.slice(index + word.length, index + word.length + 2))) return "function";
  if (/^[A-Z][A-Z0-9_]+$/.test(word)) return "constant";
  return /^[A-Z]/.test(word) && !isMember ? "type" : undefined;
}

const slashes = /(?<comment>\/\/.*|\/\*.*?(?:\*\/|$)|^\s*\*(?:\s.*|\/)?$)/;
const hash = /(?<comment>(?<!\S)#.*)/;
const strings = /(?<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)/;
/** A quote also begins a lifetime. */
const rustStrings = /(?<string>"(?:\\.|[^"\\])*"|'(?:\\[^']+|[^'\\])')|(?<type>'[a-z]\w*)/;
const numbers = /(?<number>\b\d[\w.]*)/;
const words = /(?<word>\b[a-zA-Z_]\w*)/;

function language(
  files: RegExp,
  patterns: readonly RegExp[],
  keywords: string,
  { isCode = true } = {},
): Language {
  const pattern = new RegExp(patterns.map(({ source }) => source).join("|"), "g");
  return { files, pattern, keywords: new Set(keywords.split(" ")), isCode };
}

const common =
  "break case class const continue default do else enum false for if import in let new return static struct super switch this " +
  "throw true try type while";

const languages: readonly Language[] = [
  language(
    /^[cm]?[jt]sx?$/,
    [slashes, strings, numbers, words],
    `${common} abstract any as async await boolean catch declare delete export extends finally from function get implements ` +
      "infer instanceof interface is keyof never null number of override private protected public readonly satisfies set " +
      "string symbol typeof undefined unknown using var void yield",
  ),
  language(
    /^pyi?$/,
    [hash, strings, /(?<attribute>^\s*@[\w.]+)/, numbers, words],
    "and as assert async await break case class continue def del elif else except False finally for from global if import in " +
      "is lambda match None nonlocal not or pass raise return self True try while with yield",
  ),
  language(
    /^rs$/,
    [slashes, rustStrings, /(?<attribute>#!?\[.*?\])/, numbers, words],
    "as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i32 i64 if impl in let loop " +
      "match mod move mut pub ref return self Self static str struct super trait true type u8 u32 u64 unsafe use usize where while",
  ),
  language(
    /^go$/,
    [slashes, strings, numbers, words],
    "any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import " +
      "int int64 interface iota map nil package range return rune select string struct switch true type uint var",
  ),
  language(
    /^(?:ba|z)?sh$/,
    [hash, strings, /(?<constant>\$(?:\w+|\{[^}]*\}|[@#?*!$]))/, words],
    "case do done elif else esac exit export fi for function if in local readonly return set shift then unset until while",
    { isCode: false },
  ),
  language(
    /^(?:jsonc?|ya?ml|toml)$/,
    [
      /(?<property>"(?:\\.|[^"\\])*"(?=\s*:)|^[\s-]*[\w./-]+(?=\s*(?::(?:\s|$)|=)))/,
      ...[hash, strings, numbers, words],
    ],
    "true false null",
    { isCode: false },
  ),
  language(
    /^(?:md|markdown)$/,
    [/(?<keyword>^#{1,6}\s.*)/, /(?<string>`[^`]+`|^```.*)/, /(?<type>\*\*[^*]+\*\*|\[[^\]]*\]\([^)]*\))/],
    "",
    { isCode: false },
  ),
  language(
    /^(?:java|kt|swift|c|h|cc|cpp|hpp|cs|php|css|scss|lua|zig|dart|scala|proto)$/,
    [slashes, strings, numbers, words],
    `${common} abstract auto bool boolean catch char double extends final finally float foreach fun func function guard ` +
      "implements include int interface internal long match namespace nil null object override package private protected " +
      "public sealed string unsigned using val var virtual void when where with",
  ),
  language(
    /^(?:rb|sql|r|ex|exs)$/,
    [hash, strings, numbers, words],
    "and begin class def do else elsif end ensure false if in module nil not or require rescue return self then true unless " +
      "when while yield SELECT FROM WHERE INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE INDEX JOIN LEFT ON AS AND OR NOT NULL " +
      "ORDER BY GROUP LIMIT PRIMARY KEY",
  ),
];
