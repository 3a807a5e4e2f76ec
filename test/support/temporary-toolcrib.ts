import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A Toolcrib with a workspace on the real disk. */
export interface TemporaryToolcrib extends AsyncDisposable {
  readonly crib: Toolcrib;
  /** The absolute path of a path in the workspace. */
  at(path: string): string;
  /** Writes and reads without the Toolcrib, as another program would. */
  write(path: string, content: string): void;
  read(path: string): string;
}

/** `await using` removes it. */
export async function temporaryToolcrib(
  options: Pick<
    ToolcribOptions,
    | "mode"
    | "workspace"
    | "sandbox"
    | "rules"
    | "dialect"
    | "onlyTools"
    | "readOnly"
    | "tools"
    | "approve"
    | "commandHooks"
    | "embedder"
  > = {},
): Promise<TemporaryToolcrib> {
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
