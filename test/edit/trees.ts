import { chmodSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../../src/contract/error.ts";
import { planEdits } from "../../src/edit/plan-edits.ts";

/** Files by path. */
export type Tree = ReadonlyMap<string, StoredFile>;

export interface StoredFile {
  /** The content as Latin-1, one character per byte, so that it can be read and compared. */
  readonly bytes: string;
  readonly executable: boolean;
}

/** Contents by path. */
export type Files = Readonly<Record<string, string | Uint8Array | StoredFile>>;

export function treeOf(files: Files): Tree {
  const entries = Object.entries(files).map(
    ([path, file]) => [path, isStored(file) ? file : stored(file)] as const,
  );
  return new Map(entries.sort());
}

export function executable(content: string): StoredFile {
  return { ...stored(content), executable: true };
}

function stored(content: string | Uint8Array): StoredFile {
  return { bytes: Buffer.from(content as string).toString("latin1"), executable: false };
}

function isStored(file: Files[string]): file is StoredFile {
  return typeof file === "object" && "bytes" in file;
}

export function writeTree(folder: string, tree: Tree): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, { bytes, executable }] of tree) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes, "latin1");
    chmodSync(join(folder, path), executable ? 0o755 : 0o644);
  }
}

export function readTree(folder: string): Tree {
  const paths = globSync("**/*", { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());
  return new Map(
    paths.sort().map((path) => [
      path,
      {
        bytes: readFileSync(join(folder, path), "latin1"),
        executable: (statSync(join(folder, path)).mode & 0o100) !== 0,
      },
    ]),
  );
}

/** Returns the tree after our own engine has applied a diff, or the refusal. */
export function applyDiff(before: Tree, diff: string): Tree | ToolError {
  try {
    const after = new Map(before);
    for (const plan of planEdits({ kind: "diff", diff }, (path) => bytesAt(before, path))) {
      const from = "from" in plan ? plan.from : plan.path;
      const { executable = false } = before.get(from) ?? {};
      if (plan.action === "delete" || plan.action === "move") after.delete(from);
      if (plan.action === "delete") continue;
      after.set(plan.path, {
        bytes: Buffer.from(plan.after).toString("latin1"),
        executable: plan.mode === undefined ? executable : (plan.mode & 0o100) !== 0,
      });
    }
    return new Map([...after].sort());
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
}

function bytesAt(tree: Tree, path: string): Uint8Array | undefined {
  const file = tree.get(path);
  return file && Buffer.from(file.bytes, "latin1");
}
