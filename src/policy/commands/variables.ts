import type { Effect, LeftVariable, NotUnderstood, SimpleCommand } from "./analysis.ts";
import { highest } from "./interpret-command.ts";
import type { Reading, VariableChange } from "./syntax/scope.ts";

/** The commands found, each with what assignments make of it. */
export function commandsTouched(reading: Reading): SimpleCommand[] {
  const added = new Map<number, Effect[]>();
  for (const change of decisiveChanges(reading)) {
    for (const place of placesReached(change, reading)) {
      const { program, words } = reading.commands[place]!;
      if (words.length === 0 || !change.touches(program)) continue;
      const effects = added.get(place);
      if (effects === undefined) added.set(place, [effectOf(change)]);
      else effects.push(effectOf(change));
    }
  }
  return reading.commands.map(({ deferred: _, ...command }, place) => {
    const effects = [...command.effects, ...(added.get(place) ?? [])];
    return { ...command, effects, risk: highest(effects) };
  });
}

/** The changed variables that would touch commands read later. */
export function lastingVariables(reading: Reading): LeftVariable[] {
  const lasting = decisiveChanges(reading).filter(({ end }) => end === undefined);
  const passedOn = new Set(reading.variables.filter((change) => change.passedOn).map(({ name }) => name));
  return [...new Set(lasting.map(({ name }) => name))].map((name) => ({
    name,
    passedOn: passedOn.has(name),
  }));
}

interface DecisiveChange extends VariableChange {
  readonly touches: Touches;
}

/** Of changes that last, the first of each variable says it all; of one family, the first few do. */
function decisiveChanges({ variables }: Reading): DecisiveChange[] {
  const seen = new Set<string>();
  const perFamily = new Map<Touches, number>();
  return variables.flatMap((change) => {
    const touches = touchedPrograms(change.name, change.passedOn);
    if (touches === undefined) return [];
    if (change.end !== undefined) return [{ ...change, touches }];
    const sameFamily = perFamily.get(touches) ?? 0;
    if (seen.has(change.name) || sameFamily === 8) return [];
    seen.add(change.name);
    perFamily.set(touches, sameFamily + 1);
    return [{ ...change, touches }];
  });
}

/**
 * A change reaches what follows it, in a loop also what comes before it in the loop, and always what functions and
 * traps hold, which may run at any time.
 */
function* placesReached({ first, end }: VariableChange, { commands, loops }: Reading): Iterable<number> {
  const around = end === undefined ? loops.filter((loop) => first >= loop.first && first - 1 < loop.end) : [];
  const start = around.reduce((least, loop) => Math.min(least, loop.first), first);
  for (let place = start; place < (end ?? commands.length); place++) yield place;
  if (end !== undefined) return;
  for (let place = 0; place < start; place++) if (commands[place]!.deferred) yield place;
}

function effectOf({ name, passedOn, span }: VariableChange): Effect {
  const reason =
    touchedPrograms(name, false) === undefined && passedOn
      ? `${name} is handed to it, and may change what it does`
      : `${name} was changed, and decides what it runs`;
  return { risk: "execute", reason, span };
}

/**
 * The variables whose text would be evaluated and that are not sure to hold a number: all but those that this command
 * sets, and sets to numbers only; and those that bash evaluates when they are set, or whenever it is about to read on.
 */
export function unsafeTexts({ evaluated, variables }: Reading): NotUnderstood[] {
  const numeric = new Map<string, boolean>();
  for (const variable of variables)
    numeric.set(variable.name, (numeric.get(variable.name) ?? true) && variable.numeric);
  const assigned = variables
    .filter((variable) => evaluatedByBash.has(variable.name) && !variable.numeric)
    .map(({ name, span }) => ({
      reason: `bash evaluates what ${name} is given, which may hold a command`,
      span,
    }));
  const used = evaluated
    .filter(({ name }) => !(numeric.get(name) ?? alwaysNumbers.has(name)))
    .map(({ name, by, span }) => ({
      reason: `${by} evaluates the text of ${name}, which may hold a command`,
      span,
    }));
  const run = variables
    .filter(({ name }) => runByBash.test(name))
    .map(({ name, span }) => ({ reason: `bash runs what ${name} holds between commands`, span }));
  return [...assigned, ...run, ...used];
}

/** Of a shell that stays. */
const runByBash = /^(?:PROMPT_COMMAND|PS[0-2]|MAIL|MAILPATH)$/;

/** Variables that bash keeps as numbers: it works out what they are given. */
const evaluatedByBash: ReadonlySet<string> = new Set(
  "RANDOM SRANDOM SECONDS OPTIND HISTCMD BASHPID LINENO EPOCHSECONDS UID EUID PPID BASH_SUBSHELL SHLVL".split(
    " ",
  ),
);

/** Variables that bash itself fills with numbers. */
const alwaysNumbers: ReadonlySet<string> = new Set(
  "RANDOM SRANDOM SECONDS EPOCHSECONDS LINENO UID EUID PPID BASHPID SHLVL COLUMNS LINES OPTIND".split(" "),
);

/** Whether a program, undefined if it is a file of the workspace, does something else when the variable is changed. */
type Touches = (program: string | undefined) => boolean;

/**
 * Which programs do something else when a variable is changed; undefined if none is known. One that programs are handed on
 * purpose touches them all, unless it is known to be harmless.
 */
function touchedPrograms(name: string, passedOn: boolean): Touches | undefined {
  if (harmless.test(name)) return undefined;
  const known = table.find(([names]) => names.test(name))?.[1];
  return passedOn && known !== everything ? everyProgram : known;
}

/** What only changes how much is said, in which language or colours, or for which kind of run. */
const harmless =
  /^(?:LANG|LC_(?!ALL_)\w+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|COLORTERM|CI|DEBUG|VERBOSE|LOG_LEVEL|RUST_LOG|RUST_BACKTRACE|NODE_ENV|NODE_DISABLE_COLORS|RAILS_ENV|RACK_ENV|APP_ENV|ENVIRONMENT|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|PORT|HOST|TIMEOUT|SEED|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT|SOURCE_DATE_EPOCH)$/;

/** Also what the shell itself does. */
const everything: Touches = () => true;
const everyProgram: Touches = (program) => program === undefined || !builtins.has(program);

function programs(...starts: readonly string[]): Touches {
  return (program) => program !== undefined && starts.some((start) => program.startsWith(start));
}

const editors = programs(
  "git",
  "crontab",
  "fc",
  "visudo",
  "sudoedit",
  "less",
  "man",
  "svn",
  "hg",
  "gh",
  "kubectl",
  "psql",
  "mysql",
);
const pagers = programs(
  "git",
  "man",
  "less",
  "more",
  "bat",
  "psql",
  "mysql",
  "systemctl",
  "journalctl",
  "gh",
  "aws",
);

/** One line a family of variables; the first that fits counts. */
const table: readonly (readonly [RegExp, Touches])[] = [
  // What `read` cuts into words is only data.
  [/^SHELL$/, everyProgram],
  [/^IFS$/, (program) => program !== "read"],
  [
    /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_.*|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|FPATH)$/,
    everything,
  ],
  [/^(?:POSIXLY_CORRECT|BASH_FUNC_.*|TEXTDOMAIN.*|LANGUAGE|HISTFILE|EXECIGNORE|INPUTRC)$/, everything],
  [/^(?:PATH|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|GLIBC_TUNABLES)$/, everyProgram],
  [/^(?:HOME|XDG_CONFIG_.*|XDG_DATA_.*|TERMINFO.*|TERMCAP|TERMPATH)$/, everyProgram],
  [/^(?:OPENSSL_.*|SSL_CERT_.*|.*_[pP][rR][oO][xX][yY]|RES_OPTIONS|LOCALDOMAIN|HOSTALIASES)$/, everyProgram],
  [/^GIT_.*$/, programs("git", "gh", "tig")],
  [/^(?:PAGER|.*_PAGER|MANPAGER|LESS.*|MORE|LV|MANOPT|MANROFF.*|MANPATH|MANLESS)$/, pagers],
  [/^(?:EDITOR|VISUAL|FCEDIT|.*_EDITOR|SUDO_EDITOR)$/, editors],
  [
    /^(?:SSH_.*|SUDO_ASKPASS|RSYNC_.*|CVS_RSH|SVN_SSH)$/,
    programs("ssh", "scp", "sftp", "git", "rsync", "sudo", "svn", "cvs"),
  ],
  [
    /^(?:NODE_.*|NPM_.*|npm_.*|YARN_.*|PNPM_.*|COREPACK_.*|BUN_.*|DENO_.*)$/,
    programs("node", "npm", "npx", "yarn", "pnpm", "bun", "deno", "corepack"),
  ],
  [
    /^(?:PYTHON.*|PIP_.*|VIRTUAL_ENV|CONDA_.*|UV_.*|POETRY_.*)$/,
    programs("python", "pip", "uv", "poetry", "pipx", "conda"),
  ],
  [
    /^(?:PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|LUA_.*|PHP.*|R_.*|TCL.*)$/,
    programs("perl", "ruby", "gem", "bundle", "lua", "php", "R", "tclsh"),
  ],
  [
    /^(?:JAVA.*|_JAVA_.*|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|KOTLIN_.*|SBT_.*)$/,
    programs("java", "mvn", "gradle", "kotlin", "sbt", "scala"),
  ],
  [
    /^(?:CARGO_.*|RUST.*|GO.*|CGO_.*|CC|CXX|CPP|LD|AS|AR|CFLAGS|LDFLAGS|MAKE.*|GNUMAKEFLAGS|GCC_.*|COMPILER_PATH)$/,
    programs(
      "cargo",
      "rust",
      "go",
      "make",
      "cmake",
      "ninja",
      "gcc",
      "g++",
      "clang",
      "cc",
      "c++",
      "ld",
      "meson",
    ),
  ],
  [
    /^(?:RIPGREP_CONFIG_PATH|GREP_.*|ACK_.*|ACKRC|AG_.*|FZF_.*|FD_.*)$/,
    programs("rg", "grep", "egrep", "fgrep", "ack", "ag", "fzf", "fd"),
  ],
  [
    /^(?:TAR_.*|TAPE|RSH|ZIP.*|UNZIP.*|GZIP|BZIP.*|XZ_.*|ZSTD_.*)$/,
    programs("tar", "zip", "unzip", "gzip", "gunzip", "bzip2", "xz", "zstd", "zcat", "xzcat"),
  ],
  [
    /^(?:BAT_.*|AWK.*|GAWK_.*|JQ_.*|DELTA_.*|LS_COLORS|TREE_.*|MAGIC)$/,
    programs("bat", "awk", "gawk", "jq", "delta", "tree", "file"),
  ],
  [/^(?:CURL_.*|WGETRC|SYSTEM_WGETRC|NETRC)$/, programs("curl", "wget")],
  [
    /^(?:DOCKER_.*|KUBECONFIG|AWS_.*|BROWSER)$/,
    programs("docker", "kubectl", "aws", "gh", "xdg-open", "man"),
  ],
];

const builtins: ReadonlySet<string> = new Set(
  "alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait . : [".split(
    " ",
  ),
);
