import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { TestProject } from "vitest/node";

const runs = join(import.meta.dirname, "../../node_modules/.cache/toolcrib-test-runs");

/**
 * Before all tests: names the folder of this run, and makes its temporary folder, in which killed programs may leave
 * files. Both are removed after the tests.
 */
export function setup(project: TestProject): () => void {
  const folder = join(runs, String(process.pid));
  const empty = () => rmSync(folder, { recursive: true, force: true });
  empty();
  removeAbandoned();
  // The sources may have changed.
  project.onTestsRerun(empty);
  process.env.TOOLCRIB_TEST_RUN = folder;
  // The name is short, because the path of a socket has at most 107 bytes.
  const temporary = mkdtempSync(join(tmpdir(), "t"));
  // As the system's own: tests as root also start programs as another user.
  chmodSync(temporary, 0o1777);
  process.env.TMPDIR = temporary;
  return () => {
    empty();
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** Removes the folders of runs that were killed. */
function removeAbandoned(): void {
  if (!existsSync(runs)) return;
  for (const name of readdirSync(runs))
    if (!isRunning(Number(name))) rmSync(join(runs, name), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/**
 * Makes something once for all test processes of a run. `make` fills an empty folder, which stays until the run ends.
 * Returns that folder. The first process to ask makes it, and the others wait. When it fails, the next one tries.
 */
export async function oncePerRun(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(runFolder(), name);
  const finished = `${folder}.finished`;
  if (!begins(folder)) {
    while (!existsSync(finished)) {
      if (!existsSync(folder)) return oncePerRun(name, make);
      await wait(20);
    }
    return folder;
  }
  try {
    await make(folder);
    writeFileSync(finished, "");
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Creates the folder. Returns false when another process has created it. */
function begins(folder: string): boolean {
  mkdirSync(join(folder, ".."), { recursive: true });
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** A program that is not a test is a run of its own. */
function runFolder(): string {
  const { TOOLCRIB_TEST_RUN: folder } = process.env;
  if (folder !== undefined) return folder;
  const own = join(runs, String(process.pid));
  process.env.TOOLCRIB_TEST_RUN = own;
  process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  return own;
}
