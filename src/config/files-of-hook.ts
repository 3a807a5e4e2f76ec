import { resolve } from "node:path";
import type { Environment } from "../contract/environment.ts";
import type { CommandHook } from "../contract/hooks.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";

/** Returns the hashes of the workspace files that a project's hook names. Trust in the hook covers them. */
export async function filesOfHook(
  { command }: CommandHook,
  environment: Environment,
): Promise<Readonly<Record<string, string>>> {
  const words = command
    .split(/[\s=:;,'"()|&<>`]+/)
    .map((word) => word.replace(/^\$\{?\w+_PROJECT_DIR\}?\//, ""));
  const found: [string, string][] = [];
  for (const word of new Set(words.filter((each) => each !== "").slice(0, maxWords))) {
    const path = resolve(environment.workspace, word);
    const file = await environment.readFile(path, { maxBytes }).catch(() => undefined);
    if (file !== undefined) found.push([path, contentHash(file.bytes)]);
  }
  return Object.fromEntries(found);
}

const maxWords = 200;
const maxBytes = 16 * 1024 * 1024;
