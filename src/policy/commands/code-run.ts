import { posix } from "node:path";
import { ownRisk } from "../rules/command-risk.ts";
import { gitSubcommandAt, meaningOf, programName } from "../rules/spellings.ts";
import type { SimpleCommand } from "./analysis.ts";

/**
 * The program text that a command names: approvals that are remembered are bound to its content. Only the text itself:
 * the code that it uses in turn is the project's, which changes all the time.
 */
export interface NamedCode {
  /** Files as the command names them: relative to its directory, or absolute. The first ones are tried first. */
  readonly files: readonly string[];
  /** Scripts of the nearest package.json, looked up from this directory upwards. */
  readonly scripts: readonly PackageScripts[];
  /** Whether it also runs code that none of these contains. */
  readonly runsMore: boolean;
}

interface PackageScripts {
  readonly from: string;
  readonly names: readonly string[];
  /** Files in the same directory that decide how scripts run. */
  readonly settings: readonly string[];
}

/** Undefined for a command that runs no code. */
export function codeNamed(command: SimpleCommand): NamedCode | undefined {
  const [program, ...rest] = command.words.map(({ value }) => value);
  if (program === undefined) return undefined;
  if (command.program === undefined) return code([program]);
  if (!command.effects.some(({ risk }) => risk === "execute")) return undefined;
  if (wrappers.has(command.program)) return undefined;
  // Only the shell knows the other words.
  const words = rest.filter((word) => word !== undefined);
  const isKnown = words.length === rest.length;
  const name = programName(command.program);
  const named =
    (interpreters.get(name) && scriptOf(words, interpreters.get(name)!)) ?? readers[name]?.(words);
  if (named === undefined) return code([], [], true);
  return isKnown ? named : { ...named, runsMore: true };
}

/** Whether a command may change files that none of its words names. Code that it runs is not meant. */
export function changesUnnamed({ program, words, effects, accesses, ...rest }: SimpleCommand): boolean {
  const own = ownRisk({ program, words, effects, accesses, ...rest });
  if (own === "read" || effects.some(({ risk }) => risk === "execute")) return false;
  if (program === "git") {
    const values = words.map(({ value }) => value);
    const at = gitSubcommandAt(values);
    return at === undefined || !leavesTree.test(values[at] ?? "");
  }
  const spans = new Set(accesses.map(({ target }) => `${target.span.start} ${target.span.end}`));
  return effects.some(
    ({ risk, span }) =>
      (risk === "write" || risk === "destructive") &&
      program !== "mktemp" &&
      program !== "kill" &&
      !spans.has(`${span.start} ${span.end}`),
  );
}

/** git subcommands that do not change files of the working tree. */
const leavesTree =
  /^(?:add|stage|commit|push|fetch|tag|branch|remote|notes|config|status|diff|log|show|init|gc|update-index|update-ref|write-tree|commit-tree)$/;

/** Programs whose inner command is listed as one of its own. */
const wrappers: ReadonlySet<string> = new Set(
  "sudo doas pkexec parallel eval trap script flock strace env xargs find time timeout".split(" "),
);

function code(files: readonly string[], scripts: NamedCode["scripts"] = [], runsMore = false): NamedCode {
  return { files, scripts, runsMore };
}

interface Interpreter {
  /** Options after which the code is a word of the command. */
  readonly code?: RegExp;
  /** Options whose value is the next word. */
  readonly takesValue?: RegExp;
  /** Options whose value is a file with code, attached or in the next word. */
  readonly file?: RegExp;
  /** Options that make it find code by itself. */
  readonly finds?: RegExp;
  /** Other names that it tries for a file. */
  readonly tries?: (file: string) => readonly string[];
}

const interpreters: ReadonlyMap<string, Interpreter> = new Map(
  Object.entries({
    node: {
      code: /^(?:-[ep]|-pe|--eval|--print)(?:=|$)/,
      takesValue: /^(?:-C|--conditions|--input-type|--title|--test-reporter|--test-reporter-destination)$/,
      file: /^(?:-r|--require|--import|--loader|--experimental-loader|--env-file|--experimental-config-file)(?:=|$)/,
      finds: /^(?:--test|--run|-i|--interactive)(?:=|$)/,
      tries: (file: string) => [
        ...[".js", ".json", ".cjs", ".mjs"].map((end) => file + end),
        `${file}/package.json`,
        `${file}/index.js`,
      ],
    },
    python: {
      code: /^-[A-Za-z]*c/,
      takesValue: /^-[A-Za-z]*[WX]$/,
      finds: /^-[A-Za-z]*[im]/,
      tries: (file: string) => [`${file}/__main__.py`],
    },
    ...each("bash sh dash ash zsh ksh fish csh tcsh", {
      code: /^-[a-zA-Z]*c/,
      takesValue: /^[-+][a-zA-Z]*[oO]$/,
      file: /^--(?:rcfile|init-file)(?:=|$)/,
      finds: /^(?:-[a-zA-Z]*[sil][a-zA-Z]*|--login)$/,
    }),
    perl: { code: /^-[a-zA-Z]*[eE]/, takesValue: /^-[IMm]$/ },
    ruby: { code: /^-[a-zA-Z]*e/, takesValue: /^-[IE]$/, file: /^-r/ },
    php: { code: /^-[rRBE]$/, takesValue: /^-[dczS]$/, file: /^-[fF]$/ },
    lua: { code: /^-e/, file: /^-l/ },
    Rscript: { code: /^-e$/ },
    ...each("tsx ts-node", { code: /^-[ep]$/, file: /^(?:-r|--require|--import)(?:=|$)/ }),
    ...each(". source", {}),
    ...each("awk gawk mawk nawk", { code: /^[^-]/, takesValue: /^-[vFE]$/, file: /^(?:-f|--file)(?:=|$)/ }),
    sed: { code: /^(?:[^-]|-e|--expression)/, takesValue: /^-l$/, file: /^(?:-f|--file)(?:=|$)/ },
  }),
);

/** The script of an interpreter: its first operand. After an unlisted option, which may take a value, also the second. */
function scriptOf(words: readonly string[], known: Interpreter): NamedCode | undefined {
  const files: string[] = [];
  let wanted = 1;
  for (let at = 0; at < words.length && wanted > 0; at++) {
    const word = words[at]!;
    if (known.finds?.test(word)) return undefined;
    if (known.file?.test(word)) {
      const [, attached] = /^(?:--[\w-]+=|-\w(?==?[^-]))=?(.*)$/s.exec(word) ?? [];
      const file = attached ?? words[++at];
      if (file !== undefined) files.push(file, ...(known.tries?.(file) ?? []));
    } else if (known.code?.test(word)) return code(files);
    else if (known.takesValue?.test(word)) at += 1;
    else if (word === "-" || /^\/(?:dev|proc)\//.test(word)) return code(files, [], true);
    else if (!word.startsWith("-")) {
      files.push(word, ...(known.tries?.(word) ?? []));
      wanted -= 1;
    } else if (/^--./.test(word) && !word.includes("=")) wanted = 2;
  }
  // Without a script it reads code from its input, or finds some.
  return code(files, [], files.length === 0);
}

type CodeReader = (words: readonly string[]) => NamedCode | undefined;

const readers: Readonly<Record<string, CodeReader | undefined>> = {
  python: moduleOf,
  node: (words) => {
    const at = words.findIndex((word) => /^--run(?:=|$)/.test(word));
    if (at < 0) return undefined;
    const name = words[at]!.split("=")[1] ?? words[at + 1];
    return name === undefined ? undefined : code([], [{ from: ".", names: [name], settings: [] }]);
  },
  make: makefilesOf,
  gmake: makefilesOf,
  npm: npmScripts,
  pnpm: otherScripts([".npmrc", "pnpm-workspace.yaml", ".pnpmfile.cjs"]),
  yarn: otherScripts([".npmrc", ".yarnrc", ".yarnrc.yml"]),
  bun: otherScripts(["bunfig.toml"]),
  deno: (words) => {
    const [act, ...rest] = words;
    const file = rest.find((word) => !word.startsWith("-"));
    if (file === undefined) return undefined;
    if (act === "run") return code([file, "deno.json", "deno.jsonc"], [], false);
    return act === "task"
      ? code([], [{ from: ".", names: [file], settings: ["deno.json", "deno.jsonc"] }])
      : undefined;
  },
  just: () => code(["justfile", "Justfile", ".justfile"]),
  rake: () => code(["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"]),
  task: () => code(["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"]),
  ant: () => code(["build.xml"]),
};

/** `python -m a.b`: modules are first looked up in the current directory. */
function moduleOf(words: readonly string[]): NamedCode | undefined {
  const at = words.findIndex((word) => /^-[A-Za-z]*m/.test(word));
  const module = words[at]?.replace(/^-[A-Za-z]*?m/, "") || words[at + 1];
  if (at < 0 || module === undefined) return undefined;
  const names = module.split(".");
  const packages = names.slice(0, -1).map((_name, end) => `${names.slice(0, end + 1).join("/")}/__init__.py`);
  const path = names.join("/");
  return code([`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`, ...packages]);
}

/** `make -C directory -f file` */
function makefilesOf(words: readonly string[]): NamedCode {
  let directory = ".";
  const files: string[] = [];
  let runsMore = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const [, option, attached] = /^(-[fC]|--(?:file|makefile|directory)(?==|$))=?(.*)$/s.exec(word) ?? [];
    if (option !== undefined) {
      const value = attached || words[++at];
      if (value === undefined || value === "-") runsMore = true;
      else if (/^(?:-C|--directory)$/.test(option)) directory = posix.join(directory, value);
      else files.push(value);
    } else if (/^(?:-[IoWE]|--(?:include-dir|old-file|new-file|eval))$/.test(word)) at += 1;
    else if (/^(?:-[^-]*[fC]|--(?:f|m|d))/.test(word)) runsMore = true;
  }
  const named = files.length > 0 ? files : ["GNUmakefile", "makefile", "Makefile"];
  return code(
    named.map((file) => posix.join(file.startsWith("/") ? "" : directory, file)),
    [],
    runsMore,
  );
}

function npmScripts(words: readonly string[]): NamedCode | undefined {
  let from = ".";
  let runsMore = false;
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === "--") break;
    const [, attached] = /^(?:--prefix|-C)(?:=(.*))?$/s.exec(word) ?? [];
    if (/^(?:--prefix|-C)(?:=|$)/.test(word)) from = attached ?? words[++at] ?? from;
    else if (/^(?:-w|--workspaces?|-ws|-g|--global|--location)(?:=|$)/.test(word)) {
      runsMore = true;
      if (/^(?:-w|--workspace)$/.test(word)) at += 1;
    } else if (!word.startsWith("-")) operands.push(word);
    else if (
      !/=|^--?(?:silent|s|q|d|dd|ddd|if-present|ignore-scripts|yes|y|no-\w+|json|foreground-scripts)$/.test(
        word,
      )
    )
      runsMore = true;
  }
  const [act = "", name] = operands;
  const { names, sure } = meaningOf("npm", act) ?? { names: [], sure: false };
  const scripts = !sure
    ? []
    : names.flatMap((usual) => (usual === "run" ? (name ?? []) : (lifecycle.get(usual) ?? [])));
  if (scripts.length === 0) return undefined;
  const hasMore = runsMore || !names.every((usual) => /^(?:run|test|start|stop|restart)$/.test(usual));
  const server = scripts.includes("start") ? [posix.join(from, "server.js")] : [];
  return code(server, [{ from, names: scripts, settings: [".npmrc"] }], hasMore);
}

const installing = ["install", "prepublish", "prepare", "dependencies"];
const packing = ["prepack", "prepare", "postpack"];

/** The scripts that a subcommand of npm runs, each with its `pre` and `post` scripts. */
const lifecycle: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    test: ["test"],
    start: ["start"],
    stop: ["stop"],
    restart: ["restart", "stop", "start"],
    install: installing,
    ci: installing,
    "install-test": [...installing, "test"],
    "install-ci-test": [...installing, "test"],
    rebuild: ["install", "prepare"],
    pack: packing,
    publish: ["prepublishOnly", ...packing, "publish"],
    version: ["version"],
  }),
);

/** `yarn test`, `pnpm run x`, `bun x`: the first operand after `run` is a script, or a file. */
function otherScripts(settings: readonly string[]): CodeReader {
  return (words) => {
    const operands = words.filter((word) => !word.startsWith("-"));
    const [name] = /^(?:run|run-script)$/.test(operands[0] ?? "") ? operands.slice(1) : operands;
    if (name === undefined) return undefined;
    const isPlain = !words.slice(0, words.indexOf(name)).some((word) => word.startsWith("-"));
    return code([name], [{ from: ".", names: [name], settings }], !isPlain || ownCommands.test(name));
  };
}

const ownCommands = /^(?:install|i|add|remove|up|update|upgrade|exec|dlx|x|test|create|init|workspaces?)$/;

function each<Value>(names: string, value: Value): Record<string, Value> {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]));
}
