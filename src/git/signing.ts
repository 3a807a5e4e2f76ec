import { type Setting, settingOf } from "./settings-by-owner.ts";

/** How a commit is signed, or why it is not although settings ask for it. */
export type Signing =
  | { readonly isSigned: true; readonly settings: Readonly<Record<string, undefined>> }
  | { readonly isSigned: false; readonly note?: string };

/**
 * A signature is the person's: that there is one, its program and its key are for their own settings to say, not for the
 * repository's. It needs their keys, which no sandbox has: beside hooks, which run in one, nothing is signed.
 */
export function signingBy(
  settings: readonly Setting[],
  { areHooksRun }: { readonly areHooksRun: boolean },
): Signing {
  const asked = settingOf(settings, "commit.gpgsign");
  if (asked === undefined || !isTrue(asked.value)) return { isSigned: false };
  const foreign = settings.find(({ key, from }) => from === "repository" && isAboutSigning(key));
  if (foreign !== undefined)
    return {
      isSigned: false,
      note: `Not signed: ${foreign.key} is set by the repository, and signing is only for the person's own settings.`,
    };
  if (areHooksRun)
    return {
      isSigned: false,
      note: "Not signed: hooks ran in the sandbox, where no key is. `git commit --amend --no-edit -S` signs it.",
    };
  return { isSigned: true, settings: asTheFilesSay };
}

function isAboutSigning(key: string): boolean {
  return key === "commit.gpgsign" || key === "user.signingkey" || key.startsWith("gpg.");
}

/** What is else turned off for every command. */
const asTheFilesSay = {
  "commit.gpgSign": undefined,
  "gpg.program": undefined,
  "gpg.openpgp.program": undefined,
  "gpg.x509.program": undefined,
  "gpg.ssh.program": undefined,
  "gpg.ssh.defaultKeyCommand": undefined,
} as const;

function isTrue(value: string): boolean {
  return /^(?:true|yes|on|[1-9]\d*)$/i.test(value);
}
