/** Whether a program, undefined if it is a file of the workspace, does something else when the variable is changed. */
export type Touches = (program: string | undefined) => boolean;

/**
 * Which programs do something else when a variable is changed; undefined if none is known. One that programs are handed on
 * purpose touches them all, unless it is known to be harmless.
 */
export function touchedPrograms(name: string, passedOn: boolean): Touches | undefined {
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
