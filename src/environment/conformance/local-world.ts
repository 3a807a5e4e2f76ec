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
  const put = (folder: string, files: Readonly<Record<string, string | Uint8Array>>) => {
    for (const [name, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), bytes);
    }
  };
  put(outside, { secret: "secret" });
  put(workspace, content.files ?? {});
  put(outputs, content.outputs ?? {});
  const changeRecords = join(home, "changes");
  const environment = openLocalEnvironment({ workspace, outputs, changeRecords, ...options });
  const path = (relative: string) => join(workspace, relative);
  return {
    environment,
    outside,
    path,
    link: (at, target) => symlinkSync(target, path(at)),
    write: (at, text) => writeFileSync(path(at), text),
    makeSpecial: (at) => {
      if (spawnSync("/bin/sh", ["-c", 'mkfifo "$0"', path(at)]).status !== 0)
        throw new Error(`mkfifo ${at} failed`);
    },
    [Symbol.asyncDispose]: async () => {
      await environment.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
