/**
 * Returns the options with which git reads a repository that is not trusted: git starts no program that the settings
 * name, does not look into submodules, and does not replace objects. `settings` are added, such as "core.ignoreCase=false".
 */
export function gitReadingOptions(settings: readonly string[] = []): readonly string[] {
  const all = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "protocol.allow=never",
    "submodule.recurse=false",
    ...settings,
  ];
  return [...all.flatMap((setting) => ["-c", setting]), "--no-pager", "--no-replace-objects"];
}

/**
 * Git fetches nothing: a partial clone would get missing objects with any program that its settings name, and no protocol
 * is called "none". Git does not ask for passwords.
 */
export const gitVariables = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
} as const;

/** Git also writes nothing, not even the index, so that the user's own git never finds it locked. */
export const gitReadingVariables = { ...gitVariables, GIT_OPTIONAL_LOCKS: "0" } as const;
