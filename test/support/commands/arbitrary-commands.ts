import fc from "fast-check";

/**
 * Pieces of the language in random order: mostly nonsense, sometimes text that a parser and the shell read
 * differently.
 */
export const pieces: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(..."p0 p1 p2 x E".split(" "), ...signs(), ...keywords(), ...expansions(), ...documents()),
    {
      minLength: 1,
      maxLength: 14,
    },
  )
  .map((list) => list.join(""));

/** The same inside other constructs. Bash writes substitutions in substitutions again before they run. */
export const wrappedPieces: fc.Arbitrary<string> = fc
  .tuple(
    pieces,
    fc.constantFrom<(text: string) => string>(
      (text) => `: $(${text})`,
      (text) => `: "$(: "$(${text})")"`,
      (text) => `: $(: $(: <(${text})))`,
      (text) => `x=\`${text}\``,
      (text) => `: $(f() { ${text}\n}; f)`,
      (text) => `: $(if :; then ${text}\nfi)`,
      (text) => `: $(case x in x) ${text}\n;; esac)`,
      (text) => `[[ ${text} ]]`,
      (text) => `(( ${text} ))`,
      (text) => `: $(( ${text} ))`,
      (text) => `a=(${text})`,
      (text) => `a[${text}]=1`,
      (text) => `: "\${y:-${text}}"`,
      (text) => `: <<E\n${text}\nE\n`,
      (text) => `: {${text},}`,
      (text) => `eval "${text}"`,
    ),
  )
  .map(([text, wrap]) => wrap(text));

function signs(): string[] {
  const blanks = [" ", " ", " ", "\n", "\t", "\r", "\\\n", "\\", "é"];
  const operators = "; & && || | |& ( ) { } ;; ! # 2>&1 >f &>f <&- <>f <<< = ~ * ? [ ] @( !( 1 - % $".split(
    " ",
  );
  return [...blanks, ...operators, " #", "{ ", " ]]", "[[ "];
}

function keywords(): string[] {
  const words = "if then fi else while until do time coproc in eval exec command builtin trap declare local";
  const others = [
    "for x in ",
    "case x in ",
    "x)",
    "select x in ",
    "function f ",
    "f()",
    "export x=",
    "printf -v ",
  ];
  return [...words.split(" ").map((word) => `${word} `), "done", "esac", "fi", ...others];
}

function expansions(): string[] {
  const opening = "$( ` \" ' $' $\" <( (( $(( $[ ${ ${x:- ${x// ${# ${!x ${x[ a[".split(" ");
  const closing = ")) ] } @P} \\` $x $@ \"$x\" {p0,p1} $'\\x70' (p0) [0]= a= b+= x=1".split(" ");
  return [...opening, ...closing, "x=p0 "];
}

function documents(): string[] {
  return ["<<E\n", "\nE\n", "<<'E'\n", "<<-E\n"];
}

const words = fc.array(
  fc.constantFrom(
    ..."a 'b' \"c\" d\\$ $'h\\ti' '' --j=k l'm'\"n\" \\$o '$(p9)' r#s {} é 'f'\\''g'".split(" "),
    "'b  c'",
    '"d  e"',
    "f\\ g",
    "t\\\nu",
  ),
  { maxLength: 3 },
);
const starts = fc.constantFrom(
  "p0",
  "'p1'",
  "p\\2",
  '"p"3',
  "x=1 p4",
  ">f p5",
  "p6 2>&1",
  "command p7",
  "\\p8",
  "builtin command -p p1",
);
const simple = fc.tuple(starts, words).map(([start, rest]) => [start, ...rest].join(" "));

interface Grammar {
  readonly list: string;
  readonly command: string;
}

/** Constructs around a list of commands that run it once and succeed. */
const around: readonly ((list: unknown) => string)[] = [
  (list) => `( ${list} )`,
  (list) => `{ ${list}\n}`,
  (list) => `{ ${list}; } >f 2>&1`,
  (list) => `if ${list}; then :; fi`,
  (list) => `if ! :; then p9; elif :; then ${list}\nelse p9; fi`,
  (list) => `for x in 1; do ${list}; done`,
  (list) => `for ((i = 0; i < 1; i++)); do ${list}; done`,
  (list) => `while ${list}; break; do :; done`,
  (list) => `case x in y) p9;; (x) ${list};; esac`,
  (list) => `{ f() { ${list}; }; f; }`,
  (list) => `{ function f { ${list}\n}\nf; }`,
  (list) => `: $( ${list})`,
  (list) => `: "a $( ${list} ) b"`,
  (list) => `: \${y:-$( ${list})}`,
  (list) => `: "\${y:-"$( ${list})"}"`,
  (list) => `x=$( ${list})`,
  (list) => `[[ -z $( ${list}) ]]`,
  (list) => `eval '${String(list).replaceAll("'", "'\\''")}'`,
  (list) => `: <<< "$( ${list})"`,
];

/** Here-documents. In a quoted one, nothing runs. */
const documentsWith: readonly ((command: string) => string)[] = [
  () => "",
  (command) => `\n: <<E && p3\na $(${command})\nE`,
  (command) => `\n: <<-'E'\n$(p9 ${command})\n\tE\np4`,
  (command) => `\n: "$(: <<E\n$(${command})\nE\n)"`,
  (command) => `\n: "$(: <<'E'\n$(p9 ${command})\nE\n)"`,
];

const lists = fc.letrec<Grammar>((tie) => ({
  list: fc
    .tuple(
      fc.array(tie("command"), { minLength: 1, maxLength: 3 }),
      fc.constantFrom("; ", " && ", "\n", " ;\n ", " &&\n", " && # p9 ;\n"),
    )
    .map(([commands, sign]) => commands.join(sign)),
  command: fc.oneof(
    { depthSize: "small" },
    simple,
    simple.map((command) => `time ${command}`),
    simple.map((command) => `! ! ${command}`),
    fc.constantFrom(...around).chain((shape) => tie("list").map(shape)),
  ),
})).list;

/**
 * Well-formed commands in which every part runs exactly once, with plain words: an analysis must report exactly what
 * runs. Only `p9` never runs.
 */
export const plainCommands: fc.Arbitrary<string> = fc
  .tuple(lists, fc.constantFrom(...documentsWith), simple)
  .map(([list, document, command]) => list + document(command));
