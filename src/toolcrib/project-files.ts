import { join, relative, sep } from "node:path";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { PathGuard } from "../contract/guard.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { decodeText } from "../lib/text/encoding.ts";
import { repositoryRoot } from "../system/directories.ts";

/** A text file of the project for agents, or its beginning. */
export interface ProjectFile {
  /** The absolute path, with unresolved links. */
  readonly path: string;
  /** The first lines of the file, or all of them. */
  readonly text: string;
  /** The number of the first line that is not in `text`; undefined when there is none, and when a line was cut. */
  readonly nextLine: number | undefined;
  /** The size of the whole file, even when `text` is only its beginning. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

export interface ProjectFiles {
  /** The files, from the top of the repository down to the workspace. */
  readonly files: readonly ProjectFile[];
  /** Files that were not read: outside the repository, not a file, or denied by a rule. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

export interface ProjectLocation {
  /** Real path. */
  readonly workspace: string;
  readonly guard: PathGuard;
  /** The guarded environment, when it is not this machine. */
  readonly custom?: Environment | undefined;
}

/**
 * Reads the files of these names in each directory from the top of the repository down to the workspace, each file
 * once. Links cannot lead out of the repository or to what a rule denies.
 */
export async function readProjectFiles(
  { workspace, guard, custom }: ProjectLocation,
  names: readonly string[],
  maxBytes: number,
): Promise<ProjectFiles> {
  const root = custom ? workspace : repositoryRoot(workspace);
  const environment = custom ?? openLocalEnvironment({ workspace: root, guard });
  const files: ProjectFile[] = [];
  const refused: { path: string; reason: string }[] = [];
  const read = new Set<string>();
  try {
    for (const path of directoriesBetween(root, workspace).flatMap((at) =>
      names.map((name) => join(at, name)),
    )) {
      try {
        const realPath = await environment.realPath(path);
        if (read.has(realPath)) continue;
        files.push(await readBeginning(environment, path, maxBytes));
        read.add(realPath);
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        if (error.code !== "not-found") refused.push({ path, reason: error.message });
      }
    }
  } finally {
    if (!custom) await environment.close();
  }
  return { files, refused };
}

function directoriesBetween(root: string, workspace: string): readonly string[] {
  const steps = relative(root, workspace).split(sep).filter(Boolean);
  return [root, ...steps.map((_, index) => join(root, ...steps.slice(0, index + 1)))];
}

async function readBeginning(environment: Environment, path: string, maxBytes: number): Promise<ProjectFile> {
  const slice = await environment.readLines(path, { first: 1, count: mostLines, maxBytes });
  if (slice.encoding === "binary") throw new ToolError("unsupported", `${path} is not a text file`);
  const isWhole = slice.reachedEnd && slice.cutBytes === 0;
  return {
    path,
    text: decodeText(slice.bytes, slice.encoding).text,
    nextLine: isWhole || slice.cutBytes > 0 ? undefined : slice.lines + 1,
    bytes: slice.info.bytes,
    isWhole,
  };
}

const mostLines = 100_000;
