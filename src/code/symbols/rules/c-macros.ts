import { blankOut } from "../second-reading.ts";

/** Blanks out macros of C and C++ that the grammar cannot parse, so that it can parse the code around them. */
export function withoutMacros(text: string): string {
  return misplaced.reduce(blankOut, text);
}

// Every repetition is bounded, because a text may contain anything.
const string = String.raw`"(?:[^"\\\n]|\\.){0,500}"|'(?:[^'\\\n]|\\.){0,500}'`;
const inner = nested(nested(nested("(?!)")));
const macro = "[A-Z][A-Z0-9]*_[A-Z0-9_]*\\b|[A-Z]{4,}\\b";
const called = `(?:[ \\t]*${nested(inner)})`;
const keyword =
  "inline|static|const|constexpr|explicit|virtual|extern|friend|typename|unsigned|signed|struct|class|enum|void|int|bool|char|long|short|float|double|auto|size_t|template";
const afterParameters = "const|noexcept|override|final";
const lineStart = "(?<=^[ \\t]{0,80})";
const typeAndName = "[\\w:]+(?:<[^;{}()]*>)?(?:[ \\t*&]+)[\\w:~]+[ \\t]*\\(";

/** Returns a pattern for parentheses with their content, in which inner parentheses match `deeper`. */
function nested(deeper: string): string {
  return `\\((?:[^()"']|${string}|${deeper}){0,1000}\\)`;
}

const misplaced: readonly RegExp[] = [
  // #ifdef __cplusplus } #endif
  `${lineStart}#[ \\t]*if(?:def[ \\t]+|[ \\t]+defined[ \\t]*\\(?[ \\t]*)__cplusplus\\b.*\\n(?:[ \\t]*(?:extern[ \\t]*"C"[ \\t]*\\{|\\}).*\\n)+[ \\t]*#[ \\t]*endif`,
  // class EXPORT Name
  `(?<=\\b(?:class|struct|union|enum)\\s+)(?:(?:${macro})${called}?\\s+)+(?=\\w)`,
  // NAMESPACE_BEGIN, alone on its line
  `${lineStart}(?:${macro})(?=[ \\t]*(?:\\/\\/.*)?$)`,
  // DEFINE_FLAG(int, size, 8); FORMAT_ATTRIBUTE(3, 4), not the head of a block
  `${lineStart}(?:${macro})${called}(?:(?:[ \\t]*(?:->|\\.)[ \\t]*\\w+${called})*[ \\t]*;|(?=[ \\t]*$(?!\\s*[{:])))`,
  // MATCHER(name, "text") {
  `(?<=${lineStart}(?:${macro})\\(\\w+[ \\t]*),(?:[^()"']|${string}){0,200}"(?:[^()"']|${string}){0,200}(?=\\)\\s*\\{)`,
  // f() LOCKS_REQUIRED(mutex) {
  `(?<=\\)(?:\\s{0,80}(?:${afterParameters})\\b){0,4}\\s{0,200})(?:${macro})${called}?(?=\\s*(?:${afterParameters}|[{;:]|= ))`,
  // int count GUARDED_BY(mutex);
  `(?<=[\\w>][ \\t*&]{1,80}\\w{1,80}\\s{1,80})(?:${macro})${called}(?=\\s*[;={])`,
  // MUST_USE_RESULT inline f()
  `(?<=^[ \\t]{0,80}(?:template[ \\t]*<[^;{}]{0,200}>\\s{0,80})?)(?:(?:${macro})${called}?[ \\t]+)+(?=(?:${keyword})\\b|${typeAndName})`,
  // inline ALWAYS_INLINE static f(), explicit CONSTEXPR Name()
  `(?<=\\b(?:inline|static|extern|virtual|extern[ \\t]+"C")[ \\t]+)(?:${macro})${called}?[ \\t]+(?=(?:${keyword})\\b|${typeAndName})`,
  `(?<=\\bexplicit[ \\t]+)(?:${macro})[ \\t]+(?=\\w)`,
  // int CALL f()
  `(?<=(?:[*&>]|\\b(?!(?:${keyword}|return|else)\\b)\\w+|\\b(?:void|int|bool|char|long|size_t))[ \\t]+)(?:${macro})[ \\t]+(?=\\w+[ \\t]*\\()`,
  // (CALL *name)
  `(?<=\\([ \\t]*)(?:${macro})(?=[ \\t]*\\*[ \\t]*\\w+[ \\t]*\\))`,
  // typedef int CALLBACK(name)(
  `(?<=^[ \\t]{0,80}typedef\\b[^;()\\n]{0,200})(?:${macro})(?=[ \\t]*\\([ \\t]*\\w+[ \\t]*\\)[ \\t]*\\()`,
  // typedef MACRO(Type) Name;
  `(?<=\\btypedef[ \\t]+(?:const[ \\t]+)?(?:${macro}))${called}(?=[ \\t*&]+\\w+[ \\t]*;)`,
  // CONSTEXPR Name(int x) : x_(x)
  `${lineStart}[A-Z]+_[A-Z_]+[ \\t]+(?=[a-zA-Z]\\w*${called}\\s*(?:noexcept|:(?!:)|\\{))`,
  // void printflike(1, 2) f(
  "(?<=\\w[ \\t]+)[a-z]+\\([ \\t]*\\d+(?:,[ \\t]*\\d+)*[ \\t]*\\)(?=\\s*\\*?\\w+\\()",
  // { PyVarObject_HEAD_INIT(type, 0) "name"
  "\\bPy(?:Var)?Object_HEAD_INIT[ \\t]*\\([^()]*\\)",
  // private slots:
  "(?<=\\b(?:public|protected|private)[ \\t]+)(?:slots|Q_SLOTS)(?=[ \\t]*:)",
  // Not macros, but unknown to the grammar too: template class Name<4>; template <enable<T>* = nullptr>
  `${lineStart}(?:extern[ \\t]+)?template[ \\t]+(?![ \\t]*<)[^;{}]{0,500};`,
  "(?<=>)[ \\t]*\\*+[ \\t]*=[ \\t]*nullptr(?=[ \\t]*[,>])",
].map((pattern) => new RegExp(pattern, "gm"));
