import { hash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { OwnDirectory } from "../../../contract/environment.ts";
import { makePrivateDirectory, namesIn } from "../../../system/directories.ts";
import { longAbandonedMs } from "../../../system/process-identity.ts";

/** Directories for programs, in a private folder. Each is created once per content. */
export class OwnDirectories {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the path of a directory with these files and links. */
  open({ files, links }: OwnDirectory): string {
    const path = join(this.#folder, hash("sha256", JSON.stringify([files, links])));
    try {
      const now = new Date();
      utimesSync(path, now, now);
    } catch {
      this.#make(path, { files, links });
    }
    return path;
  }

  #make(path: string, { files, links }: Pick<OwnDirectory, "files" | "links">): void {
    makePrivateDirectory(this.#folder);
    this.#tidy();
    const fresh = mkdtempSync(`${path}.`);
    try {
      for (const [name, content] of Object.entries(files))
        writeFileSync(join(fresh, name), content, { mode: 0o600 });
      for (const [name, target] of Object.entries(links)) symlinkSync(target, join(fresh, name));
      renameSync(fresh, path);
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true });
      // Another process may have created the directory.
      if (!existsSync(path)) throw error;
    }
  }

  #tidy(): void {
    for (const name of namesIn(this.#folder)) {
      const path = join(this.#folder, name);
      const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (Date.now() - mtimeMs > longAbandonedMs) rmSync(path, { recursive: true, force: true });
    }
  }
}
