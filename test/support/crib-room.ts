import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A workspace on the real disk behind the whole counter. */
export interface CribRoom extends AsyncDisposable {
  readonly crib: Toolcrib;
  /** Where a path of the workspace is on the disk. */
  at(path: string): string;
  /** As somebody else writes and reads, past the counter. */
  write(path: string, content: string): void;
  read(path: string): string;
}

/** `await using` removes it. */
export async function cribRoom(
  options: Pick<ToolcribOptions, "mode" | "workspace" | "rules" | "dialect"> = {},
): Promise<CribRoom> {
  const folder = temporaryFolder();
  const { workspace = join(folder.path, "workspace") } = options;
  mkdirSync(workspace, { recursive: true });
  const crib = await openToolcrib({
    ...options,
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  const at = (path: string) => join(workspace, path);
  return {
    crib,
    at,
    write: (path, content) => writeFileSync(at(path), content),
    read: (path) => readFileSync(at(path), "utf8"),
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
