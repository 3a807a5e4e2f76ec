import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const repository = join(import.meta.dirname, "../..");
const built = join(repository, "dist/cli.cjs");
const lock = join(repository, "node_modules/.cache/toolcrib-test-build");

/**
 * The command line as users get it: built, which starts five times as fast as its source. Builds it when a source file is
 * newer than the build.
 */
export const builtProgram: string = await ensureBuilt();

/** Starts that program as tests do some thousand times. */
export const launcher: string = join(import.meta.dirname, "launcher.cjs");

async function ensureBuilt(): Promise<string> {
  if (!isStale()) return built;
  await takeLock();
  try {
    if (isStale()) execFileSync(process.execPath, [join(repository, "scripts/build.ts"), "--quick"]);
  } finally {
    rmdirSync(lock);
  }
  return built;
}

function isStale(): boolean {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync(["src/**/*.{ts,tsx,css,html,pl,sh,json}", "scripts/*.ts", "package.json"], {
    cwd: repository,
  });
  return sources.some(
    (path) => !path.endsWith(".test.ts") && statSync(join(repository, path)).mtimeMs > builtAt,
  );
}

/** Test files run in several processes, and one of them builds. A lock that is older than a build takes was left behind. */
async function takeLock(): Promise<void> {
  mkdirSync(join(lock, ".."), { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      return;
    } catch {
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > 300_000) rmdirSync(lock);
      await wait(200);
    }
  }
}
