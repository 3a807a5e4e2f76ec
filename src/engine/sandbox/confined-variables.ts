import type { Confinement } from "../../contract/confinement.ts";
import { withPrivateInstalls } from "./private-installs.ts";

type Variables = Readonly<Record<string, string>>;

/** Sets what programs need in a sandbox. `home`: the private home, as commands see it. */
export function confinedVariables(
  env: Variables,
  home: string,
  { readsOnly }: Pick<Confinement, "readsOnly">,
): Variables {
  return {
    ...withPrivateInstalls(env, home),
    // A command that runs unasked because of its name finds no program that a command has installed.
    ...(readsOnly && { PATH: env.PATH ?? "" }),
    // The search for leaks traces the program itself, which the sandbox refuses.
    LSAN_OPTIONS: appended(env.LSAN_OPTIONS, "detect_leaks=0", ":"),
    // Root cannot give files to other users inside, and tar tries to.
    ...(process.getuid?.() === 0 && { TAR_OPTIONS: appended(env.TAR_OPTIONS, "--no-same-owner", " ") }),
  };
}

function appended(value: string | undefined, added: string, separator: string): string {
  return value ? `${value}${separator}${added}` : added;
}
