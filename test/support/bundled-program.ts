import { execFile } from "node:child_process";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { oncePerRun } from "./once-per-run.ts";

const repository = join(import.meta.dirname, "../..");
const bundler = fileURLToPath(new URL("bundle-programs.ts", import.meta.url));

/** Programs that open a Toolcrib. All of them are bundled together, which takes as long as one. */
const withToolcrib: ReadonlySet<string> = new Set(
  [
    "attacks/attack-toolcrib.ts",
    "code-tools/dies-at-check.ts",
    "few-descriptors.ts",
    "fleet/killed-worker-program.ts",
    "git-tools/call-as.ts",
    "journal-scan/full-disk.ts",
    "journal-scan/run-and-wait.ts",
    "journal/caller.ts",
    "journal/full-disk.ts",
    "processes/leaver.ts",
    "remote/endless-command.ts",
    "session-records/killed-session.ts",
    "shell-tools/much-output.ts",
    "stages/caller.ts",
    "stages/full-disk.ts",
    "stages/rival.ts",
    "stages/unreadable.ts",
    "toolcrib/leave-session.ts",
    "transactions/command-worker.ts",
    "transactions/worker.ts",
    "undo/undoer.ts",
    "../sandboxed-work/worker.ts",
  ].map((path) => join(import.meta.dirname, path)),
);

/**
 * Bundles a program of `test/support` that a test starts many times: it starts three times as fast as its source.
 * Modules keep the `import.meta` of their source files, so they find the programs next to them. The bundler has a
 * separate process, because it leaves 250 MB behind, and then every start of a program takes 8 ms longer.
 */
export async function bundledProgram(program: URL): Promise<string> {
  const path = fileURLToPath(program);
  const isShared = withToolcrib.has(path);
  const folder = await oncePerRun(isShared ? "programs-with-toolcrib" : nameOf(path), async (empty) => {
    const programs = (isShared ? [...withToolcrib] : [path]).map((file) => `${nameOf(file)}=${file}`);
    await promisify(execFile)(process.execPath, [bundler, empty, ...programs]);
  });
  return join(folder, `${nameOf(path)}.mjs`);
}

function nameOf(path: string): string {
  return relative(repository, path).replaceAll("/", "-").replace(/\.ts$/, "");
}
