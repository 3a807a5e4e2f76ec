import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attemptQuietly, statsAt } from "../../system/attempt.ts";
import { ownerHasEnded, thisProcess } from "../../system/process-identity.ts";

const start = "toolcrib-shells.";

/**
 * The directories of the shells of one instance. They are in the system's temporary directory, because Toolcrib's own
 * are hidden from commands, and the path of a socket must be short. Opening removes those of processes that have ended.
 */
export class ShellsDirectory {
  /** The directory for windows, which shells cannot see. */
  readonly windows: string;
  readonly #path: string;
  #shells = 0;

  constructor() {
    removeAbandoned();
    this.#path = mkdtempSync(join(tmpdir(), `${start}${thisProcess()}.`));
    this.windows = join(this.#path, "windows");
    mkdirSync(this.windows, { mode: 0o700 });
  }

  forShell(): string {
    this.#shells += 1;
    const path = join(this.#path, `${this.#shells}`);
    mkdirSync(path, { mode: 0o700 });
    return path;
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}

function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(start)) continue;
    const path = join(tmpdir(), name);
    const stats = statsAt(path);
    if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) continue;
    // The removal fails if another process removes the directory at the same time.
    if (ownerHasEnded(name.slice(start.length), Date.now() - stats.mtimeMs))
      attemptQuietly(() => rmSync(path, { recursive: true, force: true }));
  }
}
