import type { ChangedVariable, Effect, NotUnderstood, SimpleCommand } from "./analysis.ts";
import { highest } from "./interpret-command.ts";
import type { Reading, VariableChange } from "./syntax/scope.ts";

/**
 * Returns the commands, each with the effects of changed variables. A lasting change counts for every command, because
 * loops, functions and traps may run earlier ones again (docs/decisions/0032-lasting-variables.md).
 */
export function withVariableEffects(reading: Reading): SimpleCommand[] {
  const lasting: DecisiveChange[] = [];
  const passing = new Map<number, DecisiveChange[]>();
  for (const change of decisiveChanges(reading)) {
    const { only } = change;
    if (only === undefined) lasting.push(change);
    else
      for (let index = only.first; index < only.end; index++) {
        const changes = passing.get(index);
        if (changes === undefined) passing.set(index, [change]);
        else changes.push(change);
      }
  }
  return reading.commands.map((command, index) => {
    if (command.words.length === 0) return command;
    const changes = [...lasting, ...(passing.get(index) ?? [])];
    const reaching = changes.filter(({ affects }) => affects(command.program));
    const effects = [...command.effects, ...reaching.map((change) => effectOf(change, command))];
    return { ...command, effects, risk: highest(effects) };
  });
}

/** Returns the changed variables that affect commands read later. */
export function lastingChanges(reading: Reading): ChangedVariable[] {
  const lasting = decisiveChanges(reading).filter(({ only }) => only === undefined);
  const passedOn = new Set(reading.variables.filter((change) => change.passedOn).map(({ name }) => name));
  return [...new Set(lasting.map(({ name }) => name))].map((name) => ({
    name,
    passedOn: passedOn.has(name),
  }));
}

interface DecisiveChange extends VariableChange {
  readonly affects: Affects;
}

/**
 * Finds the changes that affect programs. Keeps one lasting change per variable, and at most eight per kind of effect.
 */
function decisiveChanges({ variables }: Reading): DecisiveChange[] {
  const seen = new Set<string>();
  const perKind = new Map<Affects, number>();
  return variables.flatMap((change) => {
    const affects = affectedPrograms(change.name, change.passedOn);
    if (affects === undefined) return [];
    if (change.only !== undefined) return [{ ...change, affects }];
    const sameKind = perKind.get(affects) ?? 0;
    if (seen.has(change.name) || sameKind === 8) return [];
    seen.add(change.name);
    perKind.set(affects, sameKind + 1);
    return [{ ...change, affects }];
  });
}

/**
 * Returns the effect of a change on a command. If a script has no exact positions, as in `eval`, a lasting change and
 * the command have the same span. The effect then gets an empty span, so that no rule takes it for a word of the
 * command.
 */
function effectOf({ name, passedOn, span, only }: VariableChange, command: SimpleCommand): Effect {
  const reason =
    affectedPrograms(name, false) === undefined && passedOn
      ? `${name} is passed to it, and may change what it does`
      : `${name} was changed, and decides what it runs`;
  const isBlurred = only === undefined && span.start === command.span.start && span.end === command.span.end;
  return { risk: "execute", reason, span: isBlurred ? { start: span.start, end: span.start } : span };
}

/**
 * Finds the variables whose text is evaluated and may not be a number: all except those that this command sets only to
 * numbers. Also finds those that bash evaluates when they are set, or before it reads the next command.
 */
export function unsafeTexts({ evaluated, variables }: Reading): NotUnderstood[] {
  const numeric = new Map<string, boolean>();
  for (const variable of variables)
    numeric.set(variable.name, (numeric.get(variable.name) ?? true) && variable.numeric);
  const assigned = variables
    .filter((variable) => evaluatedByBash.has(variable.name) && !variable.numeric)
    .map(({ name, span }) => ({
      reason: `bash evaluates what ${name} is assigned, which may contain a command`,
      span,
    }));
  const used = evaluated
    .filter(({ name }) => !(numeric.get(name) ?? alwaysNumbers.has(name)))
    .map(({ name, by, span }) => ({
      reason: `${by} evaluates the text of ${name}, which may contain a command`,
      span,
    }));
  const run = variables
    .filter(({ name }) => runByBash.test(name))
    .map(({ name, span }) => ({ reason: `bash runs what ${name} contains between commands`, span }));
  return [...assigned, ...run, ...used];
}

/** Variables that bash runs in a persistent shell. */
const runByBash = /^(?:PROMPT_COMMAND|PS[0-2]|MAIL|MAILPATH)$/;

/** Variables that bash stores as numbers, after evaluating the assigned text. */
const evaluatedByBash: ReadonlySet<string> = new Set(
  "RANDOM SRANDOM SECONDS OPTIND HISTCMD BASHPID LINENO EPOCHSECONDS UID EUID PPID BASH_SUBSHELL SHLVL".split(
    " ",
  ),
);

/** Variables that bash itself fills with numbers. */
const alwaysNumbers: ReadonlySet<string> = new Set(
  "RANDOM SRANDOM SECONDS EPOCHSECONDS LINENO UID EUID PPID BASHPID SHLVL COLUMNS LINES OPTIND".split(" "),
);

/** Whether a program behaves differently when the variable is changed. Undefined stands for a file of the workspace. */
type Affects = (program: string | undefined) => boolean;

/**
 * Returns the programs that behave differently when a variable is changed; undefined if none is known. A variable that
 * is set for a program on purpose counts for every program, unless it is known to be harmless. The analysis does not
 * distinguish which program obeys which variable (docs/decisions/0029-variable-inference.md).
 */
function affectedPrograms(name: string, passedOn: boolean): Affects | undefined {
  if (harmless.test(name)) return undefined;
  if (obeyedByShell.test(name)) return everything;
  if (passedOn) return everyProgram;
  if (name === "IFS") return allButRead;
  return obeyedByPrograms.test(name) ? everyProgram : undefined;
}

/** The change affects every program and the shell itself. */
const everything: Affects = () => true;
const everyProgram: Affects = (program) => program === undefined || !builtins.has(program);
/** The change affects everything except `read`, which only splits data into words. */
const allButRead: Affects = (program) => program !== "read";

/** Variables that change only how much is printed, the language or colours, or the kind of run. */
const harmless =
  /^(?:LANG|LC_(?!ALL_)\w+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|COLORTERM|CI|DEBUG|VERBOSE|LOG_LEVEL|RUST_LOG|RUST_BACKTRACE|NODE_ENV|NODE_DISABLE_COLORS|RAILS_ENV|RACK_ENV|APP_ENV|ENVIRONMENT|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|PORT|HOST|TIMEOUT|SEED|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT|SOURCE_DATE_EPOCH)$/;

const obeyedByShell =
  /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_.*|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|FPATH|POSIXLY_CORRECT|TEXTDOMAIN.*|LANGUAGE|HISTFILE|EXECIGNORE|INPUTRC)$/;

const obeyedByPrograms = new RegExp(
  `^(?:${[
    // The loader, the C library and every program obey these.
    "SHELL|PATH|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|GLIBC_TUNABLES",
    "HOME|XDG_CONFIG_.*|XDG_DATA_.*|TERMINFO.*|TERMCAP|TERMPATH",
    "OPENSSL_.*|SSL_CERT_.*|.*_[pP][rR][oO][xX][yY]|RES_OPTIONS|LOCALDOMAIN|HOSTALIASES",
    // Git, pagers, editors and remote shells obey these.
    "GIT_.*|PAGER|.*_PAGER|MANPAGER|LESS.*|MORE|LV|MANOPT|MANROFF.*|MANPATH|MANLESS",
    "EDITOR|VISUAL|FCEDIT|.*_EDITOR|SUDO_EDITOR|SSH_.*|SUDO_ASKPASS|RSYNC_.*|CVS_RSH|SVN_SSH",
    // Interpreters, package managers and compilers obey these.
    "NODE_.*|NPM_.*|npm_.*|YARN_.*|PNPM_.*|COREPACK_.*|BUN_.*|DENO_.*",
    "PYTHON.*|PIP_.*|VIRTUAL_ENV|CONDA_.*|UV_.*|POETRY_.*",
    "PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|LUA_.*|PHP.*|R_.*|TCL.*",
    "JAVA.*|_JAVA_.*|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|KOTLIN_.*|SBT_.*",
    "CARGO_.*|RUST.*|GO.*|CGO_.*|CC|CXX|CPP|LD|AS|AR|CFLAGS|LDFLAGS|MAKE.*|GNUMAKEFLAGS|GCC_.*|COMPILER_PATH",
    // Programs that search, pack, show and fetch obey these.
    "RIPGREP_CONFIG_PATH|GREP_.*|ACK_.*|ACKRC|AG_.*|FZF_.*|FD_.*",
    "TAR_.*|TAPE|RSH|ZIP.*|UNZIP.*|GZIP|BZIP.*|XZ_.*|ZSTD_.*",
    "BAT_.*|AWK.*|GAWK_.*|JQ_.*|DELTA_.*|LS_COLORS|TREE_.*|MAGIC",
    "CURL_.*|WGETRC|SYSTEM_WGETRC|NETRC|DOCKER_.*|KUBECONFIG|AWS_.*|BROWSER",
  ].join("|")})$`,
);

const builtins: ReadonlySet<string> = new Set(
  "alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait . : [".split(
    " ",
  ),
);
