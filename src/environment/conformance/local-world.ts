import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type LocalEnvironmentOptions, openLocalEnvironment } from "../local/local-environment.ts";
import type { World, WorldContent } from "./world.ts";

/** A workspace on disk, with a space in its path. `path` returns absolute paths in it. */
export interface LocalWorld extends World {
  readonly path: (relative: string) => string;
}

export function openLocalWorld(
  content: WorldContent = {},
  options: Partial<LocalEnvironmentOptions> = {},
): LocalWorld {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib environment "));
  const [workspace, outside, outputs] = ["workspace", "outside", "outputs"].map((name) => {
    mkdirSync(join(home, name));
    return join(home, name);
  }) as [string, string, string];
  putFiles(outside, { secret: "secret" });
  putFiles(workspace, content.files ?? {});
  putFiles(outputs, content.outputs ?? {});
  const changeRecords = join(home, "changes");
  const environment = openLocalEnvironment({ workspace, outputs, changeRecords, ...options });
  return {
    ...{ environment, outside, path: (relative) => join(workspace, relative) },
    ...entriesIn(workspace),
    [Symbol.asyncDispose]: async () => {
      await environment.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Writes files into a folder, as another program does. */
export function putFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}

/** Creates entries in a workspace on disk. */
export function entriesIn(workspace: string): Required<Pick<World, "link" | "write" | "makeSpecial">> {
  const path = (relative: string) => join(workspace, relative);
  return {
    link: (at, target) => symlinkSync(target, path(at)),
    write: (at, text) => writeFileSync(path(at), text),
    makeSpecial: (at) => {
      if (spawnSync("/bin/sh", ["-c", 'mkfifo "$0"', path(at)]).status !== 0)
        throw new Error(`mkfifo ${at} failed`);
    },
  };
}
