import { homedir } from "node:os";
import { join } from "node:path";
import type { Directory, Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { decodeText } from "../lib/text/encoding.ts";
import { printableLine } from "../lib/text/printable.ts";
import { realLocation, userDirectories } from "../system/directories.ts";
import { mayExist } from "../system/policy-files.ts";
import type { ProjectLocation } from "../toolcrib/project-files.ts";
import { type FrontMatter, readFrontMatter } from "./front-matter.ts";

/** A Markdown file that the user or the project brings: a skill or a command. */
export interface BroughtFile extends FrontMatter {
  /** The name of the file without `.md`, or of the folder of a `SKILL.md`. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly from: "user" | "project";
}

export interface BroughtFiles {
  /** Sorted by name. Of files with the same name, the one in the first folder counts. */
  readonly files: readonly BroughtFile[];
  /** Files that were not read, and lines that were not understood. */
  readonly warnings: readonly string[];
}

/** The kinds of files, and their folders in the workspace, the user's home and the config directory. */
const folders = {
  skill: {
    project: [".agents/skills", ".claude/skills"],
    home: [".agents/skills", ".claude/skills"],
    config: "skills",
  },
  command: {
    project: [".toolcrib/commands", ".claude/commands"],
    home: [".claude/commands"],
    config: "commands",
  },
} as const;

type Kind = keyof typeof folders;

/** Reads the project's files, also on another machine. Links cannot lead out of the workspace, or to what a rule denies. */
export function readProjectFilesOf(kind: Kind, project: ProjectLocation): Promise<BroughtFiles> {
  const { workspace: top, guard, custom } = project;
  const open = () => openLocalEnvironment({ workspace: top, guard });
  const sources = folders[kind].project.map((path) => ({ top, path, environment: custom ?? open }));
  return readFolders(kind, "project", sources);
}

/** Reads the user's files, which may be links to anywhere. */
export function readUserFilesOf(kind: Kind, configDirectory?: string): Promise<BroughtFiles> {
  // TOOLCRIB_HOME and an explicit directory stand for everything of the user.
  const home = configDirectory === undefined && !process.env.TOOLCRIB_HOME ? [homedir()] : [];
  const tops = [
    join(configDirectory ?? userDirectories().config, folders[kind].config),
    ...home.flatMap((top) => folders[kind].home.map((path) => join(top, path))),
  ];
  const anywhere = { directories: ["/"], links: "lead out" } as const;
  const sources = tops.map((top) => ({
    top,
    path: ".",
    environment: (): Environment =>
      openLocalEnvironment({ workspace: realLocation(top), extraRoots: anywhere }),
  }));
  return readFolders(kind, "user", sources);
}

interface SourceFolder {
  readonly top: string;
  readonly path: string;
  /** One that is open, or one to open and close. */
  readonly environment: Environment | (() => Environment);
}

async function readFolders(
  kind: Kind,
  from: BroughtFile["from"],
  sources: readonly SourceFolder[],
): Promise<BroughtFiles> {
  const files = new Map<string, BroughtFile>();
  const warnings: string[] = [];
  for (const { top, path, environment: given } of sources) {
    const isOurs = typeof given === "function";
    // Most users and projects have none, and opening an environment takes longer than this check.
    if (isOurs && !mayExist(join(top, path), { ifUnknown: false })) continue;
    const environment = isOurs ? given() : given;
    try {
      const names = await namesIn(environment, path, kind);
      const fileOf = (name: string) => join(path, kind === "skill" ? `${name}/SKILL.md` : `${name}.md`);
      // Together, because each may be a round trip.
      const reads = await Promise.allSettled(names.map((name) => readOne(environment, fileOf(name))));
      for (const [index, name] of names.entries()) {
        const file = fileOf(name);
        const shown = printableLine(join(top, file));
        const outcome = reads[index]!;
        if (outcome.status === "rejected") {
          if (!(outcome.reason instanceof ToolError)) throw outcome.reason;
          warnings.push(`${shown} was not read: ${printableLine(outcome.reason.message)}`);
          continue;
        }
        const read = outcome.value;
        if (read === undefined || files.has(name)) continue;
        if (read.badLine !== undefined)
          warnings.push(`${shown}:${read.badLine}: this line of the front matter is not understood`);
        files.set(name, { ...read, name, path: join(top, file), from });
      }
    } finally {
      if (isOurs) await environment.close();
    }
  }
  return { files: [...files.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1)), warnings };
}

async function namesIn(environment: Environment, folder: string, kind: Kind): Promise<readonly string[]> {
  let directory: Directory | undefined;
  try {
    directory = await environment.openDirectory(folder);
    const entries = await directory.entries();
    return entries
      .flatMap(({ name }) => (kind === "skill" ? name : (/^(.*)\.md$/.exec(name)?.[1] ?? [])))
      .filter((name) => /^\w[\w.-]{0,63}$/.test(name))
      .slice(0, maxFiles);
  } catch (error) {
    if (error instanceof ToolError) return [];
    throw error;
  } finally {
    directory?.close();
  }
}

/** Returns undefined when there is no such file. */
async function readOne(environment: Environment, path: string): Promise<FrontMatter | undefined> {
  try {
    const { bytes } = await environment.readFile(path, { maxBytes });
    return readFrontMatter(decodeText(bytes, "utf-8").text);
  } catch (error) {
    if (error instanceof ToolError && error.code === "not-found") return undefined;
    throw error;
  }
}

const maxFiles = 200;
const maxBytes = 256 * 1024;
