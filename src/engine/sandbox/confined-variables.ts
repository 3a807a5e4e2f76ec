import { join } from "node:path";
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
    ...(process.getuid?.() === 0 && variablesOfRoot(env, home)),
  };
}

function variablesOfRoot(env: Variables, home: string): Variables {
  return {
    // Root cannot give files to other users inside, and tar tries to.
    TAR_OPTIONS: appended(env.TAR_OPTIONS, "--no-same-owner", " "),
    // For root, yarn 1 has its cache in /usr/local.
    YARN_PREFERRED_CACHE_FOLDER: join(home, ".cache/yarn"),
  };
}

function appended(value: string | undefined, added: string, separator: string): string {
  return value ? `${value}${separator}${added}` : added;
}
