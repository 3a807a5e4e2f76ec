/** What a started program sees of our environment variables: an allow-list, so that no secret passes unnamed. */
export function allowedVariables(all: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined && isAllowed(name)) allowed[name] = value;
  }
  return allowed;
}

/** Tells our own command line that a tool runs it, and not the person: then it loosens no rules. */
export const runByTool = "TOOLCRIB_RUN_BY_TOOL";

const basics = ["PATH", "HOME", "USER", "SHELL", "LANG", "TERM", "TMPDIR", "TMP", "TEMP"];

/** Where programs look for their settings: ripgrep and git must find the user's ignore file where we do. */
const settings = ["XDG_CONFIG_HOME"];

const toolChainHomes = [
  "GOPATH",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "NVM_DIR",
  "NPM_CONFIG_PREFIX",
  "PNPM_HOME",
  "PYENV_ROOT",
  "VIRTUAL_ENV",
];

const names = new Set([...basics, ...settings, ...toolChainHomes]);

const secretName = /(^|_)(API_?KEY|SECRET|TOKEN|PASSWORD|CREDENTIALS?)$/i;

function isAllowed(name: string): boolean {
  return names.has(name) || (name.startsWith("LC_") && !secretName.test(name));
}
