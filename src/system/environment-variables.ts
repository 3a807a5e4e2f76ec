import type { VariablePolicy } from "../contract/confinement.ts";
import { wildcardRegex } from "../lib/text/escape-regex.ts";

/**
 * Selects the environment variables of a started program by an allow-list, so that no secret is passed by accident.
 * Names that look like secrets are passed only by "all", or when a rule spells them out.
 */
export function allowedVariables(
  all: Readonly<Record<string, string | undefined>>,
  policy: VariablePolicy = core,
): Record<string, string> {
  const allowed: Record<string, string> = {};
  const isExtra = matcherOf(policy.extra);
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined && !isForeign(name) && (isOfBase[policy.base](name) || isExtra(name)))
      allowed[name] = value;
  }
  return allowed;
}

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

/** Keeps npm from retrying refused hosts for minutes when a command may connect to some hosts only. */
export const someHostsVariables: Readonly<Record<string, string>> = {
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

const toolChainHomes = [
  ...["GOPATH", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "NPM_CONFIG_PREFIX", "PNPM_HOME"],
  ...["PYENV_ROOT", "VIRTUAL_ENV"],
];

const basicNames = new Set(basics);
const coreNames = new Set([...basics, ...settings, ...toolChainHomes]);

const isOfBase: Readonly<Record<VariablePolicy["base"], (name: string) => boolean>> = {
  none: (name) => basicNames.has(name),
  core: (name) => coreNames.has(name) || (name.startsWith("LC_") && !looksSecret(name)),
  all: () => true,
};

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
  return (name) => exact.has(name) || (!looksSecret(name) && patterns.some((pattern) => pattern.test(name)));
}

function looksSecret(name: string): boolean {
  return secretWord.test(name);
}

const secretWord =
  /(^|_)(\w*API_?KEY|KEY|SECRETS?|\w*TOKENS?|PASS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIES?)(_|$)/i;
