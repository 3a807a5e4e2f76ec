import type { VariablePolicy } from "../contract/confinement.ts";
import { holdsSecret, namesSecret } from "../lib/secrets/withheld.ts";
import { wildcardRegex } from "../lib/text/escape-regex.ts";

/**
 * Selects the environment variables of a started program, so that no secret is passed by accident. Names and values that
 * look like secrets are passed only by "all", or when a rule spells the name out.
 */
export function allowedVariables(all: Variables, policy: VariablePolicy = core): Record<string, string> {
  const allowed: Record<string, string> = {};
  const isExtra = matcherOf(policy.extra);
  const isOfNpm = policy.base === "most" && all.npm_execpath !== undefined ? isSetByNpm : () => false;
  for (const [name, value] of Object.entries(all)) {
    if (value === undefined || isForeign(name)) continue;
    if ((isOfBase[policy.base](name, value) && !isOfNpm(name)) || isExtra(name)) allowed[name] = value;
  }
  return allowed;
}

/** Returns the names of the variables that a program does not get, but that it could use if a rule passed them on. */
export function withheldVariables(all: Variables, policy: VariablePolicy = core): readonly string[] {
  const allowed = allowedVariables(all, policy);
  return Object.keys(all).filter(
    (name) =>
      all[name] !== undefined && !Object.hasOwn(allowed, name) && !isForeign(name) && !isOfSession(name),
  );
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns variables for every command. They keep pagers and password prompts from waiting for input, and git from
 * starting programs that the repository names or that outlive the command.
 */
export function usualVariables(options: {
  /** The command's other variables. Their git settings are preserved. */
  readonly others: Readonly<Record<string, string>>;
  readonly terminal: boolean;
}): Record<string, string> {
  const first = Number.parseInt(options.others.GIT_CONFIG_COUNT ?? "0", 10) || 0;
  const settings = gitSettings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    TERM: options.terminal ? "xterm-256color" : "dumb",
    GIT_CONFIG_COUNT: String(first + gitSettings.length),
    ...Object.fromEntries(settings),
  };
}

/** Makes commands without network fail at once instead of retrying for minutes. */
export const offlineVariables: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: "0",
  npm_config_update_notifier: "false",
  // Without a retry, pip does not report the reason.
  PIP_RETRIES: "1",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  CARGO_NET_RETRY: "0",
};

/**
 * Keeps npm from retrying refused hosts for minutes when a command may connect to some hosts only, and from connecting to
 * look for a newer npm.
 */
export const someHostsVariables: Readonly<Record<string, string>> = {
  npm_config_update_notifier: "false",
  npm_config_fetch_retries: "1",
  npm_config_fetch_retry_mintimeout: "1000",
  npm_config_fetch_retry_maxtimeout: "1000",
};

/** Marks the processes of a run. The `toolcrib` command recognizes by this mark that a tool runs it, not the user. */
export const runVariable = "TOOLCRIB_RUN";

const core: VariablePolicy = { base: "core", extra: [] };

const gitSettings = [
  ["core.fsmonitor", "false"],
  ["gc.autoDetach", "false"],
  ["maintenance.autoDetach", "false"],
  // Only obsolete servers need these files, and git would write them to .git/info, which is protected.
  ["repack.updateServerInfo", "false"],
] as const;

const basics = ["PATH", "HOME", "USER", "SHELL", "LANG", "TERM", "TMPDIR", "TMP", "TEMP"];

/** Makes ripgrep and git use the same global ignore file as Toolcrib. */
const settings = ["XDG_CONFIG_HOME"];

/** Where toolchains are installed. Commands see these directories. */
export const toolChainHomes: readonly string[] = [
  ...[
    "GOPATH",
    "GOROOT",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "NVM_DIR",
    "NPM_CONFIG_PREFIX",
    "PNPM_HOME",
    "VOLTA_HOME",
  ],
  ...["PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "RBENV_ROOT", "JAVA_HOME", "SDKMAN_DIR", "DOTNET_ROOT"],
  ...["ANDROID_HOME", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR"],
];

const basicNames = new Set(basics);
const coreNames = new Set([...basics, ...settings, ...toolChainHomes]);

const isOfBase: Readonly<Record<VariablePolicy["base"], (name: string, value: string) => boolean>> = {
  none: (name) => basicNames.has(name),
  core: (name) => coreNames.has(name) || (name.startsWith("LC_") && !namesSecret(name)),
  most: (name, value) =>
    coreNames.has(name) || !(namesSecret(name) || holdsSecret(value) || isOfSession(name)),
  all: () => true,
};

/**
 * Recognizes variables that mean something only where Toolcrib itself was started: terminals, sockets, proxies of the
 * machine's network, a channel of Node, the npm script that started it, and libraries for every program.
 */
function isOfSession(name: string): boolean {
  return ofSession.test(name);
}

/** Recognizes the settings that npm exports to its scripts, and `npx` to this process. */
function isSetByNpm(name: string): boolean {
  return name.startsWith("npm_config_");
}

const ofSession = new RegExp(
  [
    "TMUX(_.*)?|STY|WINDOW(ID)?|DISPLAY|WAYLAND_.*|XAUTHORITY|XDG_(RUNTIME_DIR|SESSION_.*|SEAT.*|VTNR)|DBUS_.*",
    "SSH_.*|GPG_(TTY|AGENT_INFO)|VSCODE_.*|.*_IPC_.*|.*_SOCK(ET)?(_.*)?|.*ASKPASS|LISTEN_(FDS|PID|FDNAMES)",
    "DOCKER_HOST|CONTAINER_HOST|(npm_config_)?(http|https|ftp|all|no)_?proxy|npm_config_(proxy|cache|userconfig|prefix)",
    "NODE_CHANNEL_.*|NODE_UNIQUE_ID|npm_(lifecycle|package|command|execpath|node)_?.*|INIT_CWD",
    "LD_(PRELOAD|AUDIT)|DYLD_.*|OLDPWD|SHLVL|_",
  ]
    .map((names) => `^(${names})$`)
    .join("|"),
  "i",
);

/** Recognizes variables that change what bash runs, and Toolcrib's own, which include a token to answer for the user. */
function isForeign(name: string): boolean {
  return bashReads.has(name) || name.startsWith("BASH_FUNC_") || name.startsWith("TOOLCRIB_");
}

const bashReads = new Set([
  ...["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "CDPATH", "GLOBIGNORE"],
]);

function matcherOf(names: readonly string[]): (name: string) => boolean {
  const exact = new Set(names);
  const patterns = names.filter((name) => name.includes("*")).map((name) => wildcardRegex(name));
  return (name) => exact.has(name) || (!namesSecret(name) && patterns.some((pattern) => pattern.test(name)));
}
