import { languages } from "./languages.ts";

const xmlOrNone = [{ language: "xml", sign: /^\uFEFF?\s*</ }, { language: undefined }];

/** Languages that share an extension: the first whose pattern is in the text, else the last. */
export const sharedExtensions: Readonly<Record<string, readonly Claim[]>> = {
  h: [
    {
      language: "objective-c",
      sign: /^[ \t]*(?:@(?:interface|protocol|class|end|property)\b|#\s*import\b)/m,
    },
    {
      language: "cpp",
      sign: /^[ \t]*(?:namespace\b|template\s*<|using\s+(?:namespace\b|\w+\s*=)|class\s+\w[^;{]*[{:]|(?:public|private|protected)\s*:|#\s*include\s*<(?:algorithm|array|atomic|chrono|cstd\w+|functional|initializer_list|iostream|iosfwd|limits|list|map|memory|mutex|optional|set|sstream|stdexcept|string|string_view|thread|tuple|type_traits|unordered_map|utility|variant|vector)>|(?:constexpr|virtual|explicit|friend)\b)|\b\w+::\w|\bstatic_cast<|\bnoexcept\b|-\*-\s*(?:mode:\s*)?[Cc]\+\+/m,
    },
    { language: "c" },
  ],
  m: [
    {
      language: "objective-c",
      sign: /^[ \t]*(?:@(?:interface|implementation|protocol|class|import|end)\b|#\s*(?:import|include|define|ifdef)\b|\/\/|\/\*)/m,
    },
    { language: undefined, sign: /^[ \t]*(?::-|\(\*)/m },
    { language: "matlab" },
  ],
  pl: [
    {
      language: "perl",
      sign: /^#!.*perl|^[ \t]*(?:use\s+[\w:]+|my\s|sub\s+\w|package\s+[\w:]+|our\s|require\s)/m,
    },
    { language: undefined, sign: /^[ \t]*(?::-|\w+(?:\(.*\))?\s*:-)|^%/m },
    { language: "perl" },
  ],
  t: [
    { language: "perl", sign: /^#!.*perl|^[ \t]*(?:use\s+[\w:]+|my\s|sub\s+\w|package\s+[\w:]+)/m },
    { language: undefined },
  ],
  // Qt translations and subtitle files share the extension of TypeScript.
  ts: [
    { language: "xml", sign: /^\uFEFF?\s*<(?:\?xml|!DOCTYPE TS|TS\b)/ },
    { language: undefined, sign: /^G[^\n]{0,200}\0/ },
    { language: "typescript" },
  ],
  d: [{ language: "make", sign: /^[^\n:{};]+\.o\s*:/ }, { language: "d" }],
  cls: [{ language: "latex", sign: /^[ \t]*(?:%|\\\w+)/ }, { language: undefined }],
  cl: [{ language: "common-lisp", sign: /^[ \t]*(?:;|\(|#\|)/ }, { language: "c" }],
  scm: [{ language: "tree-sitter-query", sign: /(?:^|[\s)\]])@[\w.]+(?:\s|\)|$)/m }, { language: "scheme" }],
  inc: [
    { language: "php", sign: /^[ \t]*<\?php/ },
    { language: "cpp", sign: /^[ \t]*(?:namespace\b|template\s*<)/m },
    { language: "c", sign: /^[ \t]*#\s*(?:include|define|ifndef|ifdef)\b/m },
    { language: undefined },
  ],
  prettierrc: [{ language: "json", sign: /^[ \t]*\{/ }, { language: "yaml" }],
  conf: [
    { language: "nginx", sign: /^[ \t]*(?:server|http|upstream|location|events)\b[^=\n]*\{/m },
    { language: "ini", sign: /^[ \t]*\[[^\]\n]+\]\s*$/m },
    { language: undefined },
  ],
  cfg: [{ language: "ini", sign: /^[ \t]*\[[^\]\n]+\]\s*$/m }, { language: undefined }],
  tab: [{ language: "tsv", sign: /\t/ }, { language: undefined }],
  config: xmlOrNone,
  props: xmlOrNone,
  ui: xmlOrNone,
};

interface Claim {
  readonly language: string | undefined;
  readonly sign?: RegExp;
}

/** Returns the language of a file by its name and the beginning of its text, or undefined if there is no grammar. */
export function languageOf(path: string, text: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const byName = byFileName.get(name) ?? patterns.find(([pattern]) => pattern.test(path))?.[1];
  if (byName) return byName;
  for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    const extension = name.slice(dot + 1);
    const shared = byShared.get(extension.toLowerCase());
    if (shared && extension !== "H") {
      const beginning = text.slice(0, lookedAt);
      return shared.find(({ sign }) => !sign || sign.test(beginning))?.language;
    }
    const known = byExtension.get(extension) ?? byExtension.get(extension.toLowerCase());
    if (known) return known;
  }
  return byFirstLine(text);
}

const byFileName = new Map(languages.flatMap(({ name, files }) => files.map((file) => [file, name])));
const byExtension = new Map(
  languages.flatMap(({ name, extensions }) => extensions.map((extension) => [extension, name])),
);
const byShared = new Map(Object.entries(sharedExtensions));
const byInterpreter = new Map(
  languages.flatMap(({ name, interpreters }) => interpreters.map((program) => [program, name])),
);
const byWord = new Map(
  languages.flatMap(({ name, aliases }) => [name, ...aliases].map((word) => [word, name])),
);

const patterns: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)(?:Dockerfile|Containerfile)\.[^/]+$/, "dockerfile"],
  [/(?:^|\/)(?:GNU)?[Mm]akefile\.[^/]+$/, "make"],
  [/(?:^|\/)requirements[-_./][^/]*\.txt$/, "requirements"],
  [/(?:^|\/)\.ssh\/config$/, "ssh-config"],
  [/(?:^|\/)\.git\/config$/, "git-config"],
  [/(?:^|\/)\.git\/info\/exclude$/, "gitignore"],
];

const lookedAt = 16_000;

function byFirstLine(text: string): string | undefined {
  const line = text.slice(0, 300).split("\n", 1)[0]!;
  const program = /^#!\s*(?:\S*\/)?(\S+)(?:\s+(.*))?/.exec(line);
  if (program) {
    const words = (program[2] ?? "").split(/\s+/);
    // `env` runs the first word that is not an option or a variable.
    const called = program[1] === "env" ? words.find((word) => !/^-|=/.test(word)) : program[1];
    const plain = called?.replace(/^.*\//, "").trim();
    return byInterpreter.get(plain ?? "") ?? byInterpreter.get(plain?.replace(/[\d.]+$/, "") ?? "");
  }
  const mode = /-\*-\s*(?:.*\bmode:\s*)?([\w+#-]+?)\s*(?:;.*)?-\*-/i.exec(line)?.[1];
  return mode === undefined ? undefined : byWord.get(mode.toLowerCase());
}
