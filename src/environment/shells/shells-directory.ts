import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isGone, thisProcess } from "../../system/process-identity.ts";

const start = "toolcrib-shells.";

/**
 * The directories of the shells of one instance. In the system's temporary directory, because Toolcrib's own are
 * hidden from commands, and a socket's path must be short. What processes that are gone have left of theirs goes.
 */
export class ShellsDirectory {
  /** Not visible in shells: the windows. */
  readonly windows: string;
  readonly #path: string;
  #shells = 0;

  constructor() {
    removeAbandoned();
    this.#path = mkdtempSync(join(tmpdir(), `${start}${thisProcess()}.`));
    this.windows = join(this.#path, "windows");
    mkdirSync(this.windows, { mode: 0o700 });
  }

  /** A new directory that one shell may see. */
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
    try {
      const stats = lstatSync(path);
      const isOurs = stats.isDirectory() && stats.uid === process.getuid?.();
      const owner = name.slice(start.length).split(".")[0] ?? "";
      if (isOurs && isGone(owner, Date.now() - stats.mtimeMs)) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process was quicker.
    }
  }
}
