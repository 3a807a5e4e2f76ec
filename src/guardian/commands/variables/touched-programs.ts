/** Which programs do something else when a variable is changed; undefined if none is known. */
export function touchedPrograms(name: string): ((program: string | undefined) => boolean) | undefined {
  for (const [names, touched] of table) {
    if (!names.test(name)) continue;
    if (touched === everything) return () => true;
    if (touched === everyProgram) return (program) => program === undefined || !builtins.has(program);
    const listed = touched.split(" ");
    return (program) => program !== undefined && listed.some((one) => program.startsWith(one));
  }
  return undefined;
}

/** Also what the shell itself does. */
const everything = "everything";
const everyProgram = "every program";

const editors = "git crontab fc visudo sudoedit less man svn hg gh kubectl psql mysql";
const pagers = "git man less more bat psql mysql systemctl journalctl gh aws";

/** One line a family of variables; the first that fits counts. */
const table: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_.*|PS[0-4]|PROMPT_COMMAND|IFS|CDPATH|GLOBIGNORE|FPATH)$/,
    everything,
  ],
  [/^(?:POSIXLY_CORRECT|BASH_FUNC_.*|TEXTDOMAIN.*|LANGUAGE|HISTFILE|EXECIGNORE|INPUTRC)$/, everything],
  [/^(?:PATH|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|GLIBC_TUNABLES)$/, everyProgram],
  [/^(?:HOME|XDG_CONFIG_.*|XDG_DATA_.*|TERMINFO.*|TERMCAP|TERMPATH)$/, everyProgram],
  [/^(?:OPENSSL_.*|SSL_CERT_.*|.*_[pP][rR][oO][xX][yY]|RES_OPTIONS|LOCALDOMAIN|HOSTALIASES)$/, everyProgram],
  [/^GIT_.*$/, "git gh tig"],
  [/^(?:PAGER|.*_PAGER|MANPAGER|LESS.*|MORE|LV|MANOPT|MANROFF.*|MANPATH|MANLESS)$/, pagers],
  [/^(?:EDITOR|VISUAL|FCEDIT|.*_EDITOR|SUDO_EDITOR)$/, editors],
  [/^(?:SSH_.*|SUDO_ASKPASS|RSYNC_.*|CVS_RSH|SVN_SSH)$/, "ssh scp sftp git rsync sudo svn cvs"],
  [
    /^(?:NODE_.*|NPM_.*|npm_.*|YARN_.*|PNPM_.*|COREPACK_.*|BUN_.*|DENO_.*)$/,
    "node npm npx yarn pnpm bun deno corepack",
  ],
  [/^(?:PYTHON.*|PIP_.*|VIRTUAL_ENV|CONDA_.*|UV_.*|POETRY_.*)$/, "python pip uv poetry pipx conda"],
  [/^(?:PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|LUA_.*|PHP.*|R_.*|TCL.*)$/, "perl ruby gem bundle lua php R tclsh"],
  [
    /^(?:JAVA.*|_JAVA_.*|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|KOTLIN_.*|SBT_.*)$/,
    "java mvn gradle kotlin sbt scala",
  ],
  [
    /^(?:CARGO_.*|RUST.*|GO.*|CGO_.*|CC|CXX|CPP|LD|AS|AR|CFLAGS|LDFLAGS|MAKE.*|GNUMAKEFLAGS|GCC_.*|COMPILER_PATH)$/,
    "cargo rust go make cmake ninja gcc g++ clang cc c++ ld meson",
  ],
  [/^(?:RIPGREP_CONFIG_PATH|GREP_.*|ACK_.*|ACKRC|AG_.*|FZF_.*|FD_.*)$/, "rg grep egrep fgrep ack ag fzf fd"],
  [
    /^(?:TAR_.*|TAPE|RSH|ZIP.*|UNZIP.*|GZIP|BZIP.*|XZ_.*|ZSTD_.*)$/,
    "tar zip unzip gzip gunzip bzip2 xz zstd zcat xzcat",
  ],
  [/^(?:BAT_.*|AWK.*|GAWK_.*|JQ_.*|DELTA_.*|LS_COLORS|TREE_.*|MAGIC)$/, "bat awk gawk jq delta tree file"],
  [/^(?:CURL_.*|WGETRC|SYSTEM_WGETRC|NETRC)$/, "curl wget"],
  [/^(?:DOCKER_.*|KUBECONFIG|AWS_.*|BROWSER)$/, "docker kubectl aws gh xdg-open man"],
];

const builtins: ReadonlySet<string> = new Set(
  "alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait . : [".split(
    " ",
  ),
);
