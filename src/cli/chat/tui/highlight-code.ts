/** Paints one kind of token. */
interface CodeTones {
  readonly dim: (text: string) => string;
  readonly green: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly magenta: (text: string) => string;
}

/** Returns the lines of a piece of code, with comments, strings, numbers and keywords painted. */
export function highlightCode(code: string, language: string | undefined, tones: CodeTones): string[] {
  const name = language?.trim().toLowerCase() ?? "";
  if (name === "diff" || name === "patch") return code.split("\n").map((line) => paintDiffLine(line, tones));
  if (plainLanguages.has(name)) return code.split("\n");
  const comment = hashComments.has(name) ? hashComment : dashComments.has(name) ? dashComment : slashComment;
  const token = new RegExp(`(${comment})|(${strings})|(${number})|([A-Za-z_$][\\w$]*)`, "g");
  const painted = code.replace(token, (whole, isComment, isString, isNumber) => {
    const paint = isComment ? tones.dim : isString ? tones.green : isNumber ? tones.yellow : undefined;
    if (paint) return whole.split("\n").map(paint).join("\n");
    return keywords.has(whole) ? tones.magenta(whole) : whole;
  });
  return painted.split("\n");
}

export function paintDiffLine(line: string, { green, red, dim }: CodeTones): string {
  if (line.startsWith("+")) return green(line);
  if (line.startsWith("-")) return red(line);
  return line.startsWith("@@") ? dim(line) : line;
}

const plainLanguages = new Set([
  "",
  "text",
  "txt",
  "plain",
  "plaintext",
  "console",
  "output",
  "markdown",
  "md",
]);

const hashComments = new Set([
  ...["python", "py", "ruby", "rb", "sh", "bash", "shell", "zsh", "fish", "perl", "pl", "r"],
  ...["yaml", "yml", "toml", "ini", "makefile", "make", "dockerfile", "elixir", "ex", "nix", "powershell"],
]);

const dashComments = new Set(["sql", "lua", "haskell", "hs", "ada", "elm"]);

const hashComment = "#[^\\n]*";
const dashComment = "--[^\\n]*";
const slashComment = "//[^\\n]*|/\\*[^]*?(?:\\*/|$)";

const strings =
  '"""[^]*?(?:"""|$)|"(?:\\\\.|[^"\\\\\\n])*"|\'(?:\\\\.|[^\'\\\\\\n])*\'|`(?:\\\\.|[^`\\\\])*`';

const number = "\\b\\d[\\w.]*";

/** The keywords of the common languages together: a wrong one is only painted. */
const keywords = new Set(
  [
    "abstract and as assert async await begin bool break case catch chan char class const constexpr continue def",
    "default defer del delete do done double elif else elsif end enum esac except export extends extern false fi",
    "final finally float fn for foreach from func function global go goto if impl implements import in include int",
    "interface is lambda let local long loop map match mod module mut namespace new nil none None not null of",
    "operator or override package pass private protected public pub raise range readonly ref return self Self short",
    "static string struct super switch template then this throw throws trait true True False try type typedef typeof",
    "union unless unsafe unsigned until use using var virtual void when where while with yield",
    "SELECT FROM WHERE INSERT INTO UPDATE SET DELETE CREATE TABLE JOIN LEFT INNER ON GROUP ORDER BY LIMIT AND OR NOT",
  ].flatMap((line) => line.split(" ")),
);
