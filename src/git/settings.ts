/**
 * What a repository's own settings could run or lead to, and how that is turned off: settings on the command line win over
 * those of every file. Drivers have free names, and are looked up (drivers.ts); options of single commands stand with them.
 */
export const heldSettings: Readonly<Record<string, string>> = {
  // Programs that git starts by itself.
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "core.editor": "false",
  "core.askPass": "",
  "core.sshCommand": "false",
  "core.gitProxy": "",
  "core.alternateRefsCommand": "false",
  "credential.helper": "",
  "diff.external": "",
  "sequence.editor": "false",
  "interactive.diffFilter": "",
  // Signing and checking of signatures run a program that settings name.
  "commit.gpgSign": "false",
  "tag.gpgSign": "false",
  "log.showSignature": "false",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.x509.program": "false",
  "gpg.ssh.program": "false",
  "gpg.ssh.defaultKeyCommand": "false",
  // To use a remembered resolution is a merge, for which drivers have free names.
  "rerere.enabled": "false",
  // Cleaning up starts hooks and goes on when the call has ended.
  "gc.auto": "0",
  "maintenance.auto": "false",
  // Git in a submodule obeys the settings of that repository.
  "submodule.recurse": "false",
  "status.submoduleSummary": "false",
  "diff.submodule": "short",
  // A diff would write the index, whatever the variable says: what only looks changed is left out by us.
  "diff.autoRefreshIndex": "false",
  "diff.suppressBlankEmpty": "false",
  // Comparing takes five times the memory of a file: larger ones are told of like binary ones.
  "core.bigFileThreshold": "100m",
  // Nothing is fetched.
  "protocol.allow": "never",
  // Files anywhere, whose lines would be shown.
  "mailmap.file": "",
  "commit.template": "",
  // A folder that only looks like a repository is none.
  "safe.bareRepository": "explicit",
  // What we read must look the same everywhere.
  "color.ui": "false",
  "core.quotePath": "false",
  "core.abbrev": "auto",
  "i18n.logOutputEncoding": "UTF-8",
  "log.showRoot": "true",
  "diff.noprefix": "false",
  "diff.mnemonicPrefix": "false",
  "advice.detachedHead": "false",
};

/**
 * None of our own `GIT_` variables reach git. No protocol has the name "none": a partial clone would else fetch what it lacks
 * with whatever program its settings name. Paths are paths, never patterns.
 */
export const heldVariables: Readonly<Record<string, string>> = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ASKPASS: "",
  SSH_ASKPASS: "",
  GIT_LITERAL_PATHSPECS: "1",
  LC_ALL: "C",
};

/** Reading leaves the index as it is, so that the person's own git never finds it locked by us. */
export const readingVariables: Readonly<Record<string, string>> = { GIT_OPTIONAL_LOCKS: "0" };

/** Options for every command that shows a diff. */
export const heldDiffOptions: readonly string[] = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--submodule=short",
  "--ignore-submodules=dirty",
  // Cancels diff.orderFile, which would be read.
  "-O/dev/null",
];
