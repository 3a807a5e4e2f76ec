import { languages } from "./languages.ts";
import { sharedExtensions } from "./shared-extensions.ts";

/**
 * The language of a file, by its name, its first line, and where several languages share an extension by what stands in
 * it. The beginning of the text is enough. Undefined when we cannot parse it.
 */
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

/** A sign may stand below a long licence. */
const lookedAt = 16_000;

function byFirstLine(text: string): string | undefined {
  const line = text.slice(0, 300).split("\n", 1)[0]!;
  const program = /^#!\s*(?:\S*\/)?(\S+)(?:\s+(.*))?/.exec(line);
  if (program) {
    const words = (program[2] ?? "").split(/\s+/);
    // What `env` starts is the first word that is no option and sets no variable.
    const called = program[1] === "env" ? words.find((word) => !/^-|=/.test(word)) : program[1];
    const plain = called?.replace(/^.*\//, "").trim();
    return byInterpreter.get(plain ?? "") ?? byInterpreter.get(plain?.replace(/[\d.]+$/, "") ?? "");
  }
  const mode = /-\*-\s*(?:.*\bmode:\s*)?([\w+#-]+?)\s*(?:;.*)?-\*-/i.exec(line)?.[1];
  return mode === undefined ? undefined : byWord.get(mode.toLowerCase());
}
