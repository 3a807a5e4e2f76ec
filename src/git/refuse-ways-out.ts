import { posix } from "node:path";
import type { Directory, Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { liesIn } from "./paths.ts";

/**
 * Git follows links in its own directories, and takes objects from others' where a file names them: neither may lead out of
 * the workspace, unless a rule lets everything there be read.
 */
export async function refuseWaysOut(
  gitDirectories: ReadonlySet<string>,
  environment: Environment,
): Promise<void> {
  for (const directory of gitDirectories) {
    await refuseLinks(directory, environment, partsOfRepository);
    await refuseAlternates(posix.join(directory, "objects"), environment, 0);
  }
}

/** Which directories are entered: `true` with all in them, else by name. */
type Parts = true | { readonly [name: string]: Parts };

/** Single objects are not looked at: who could name one elsewhere must know the hash of its content. */
const partsOfRepository: Parts = { objects: { pack: {}, info: {} }, refs: true, info: {} };

async function refuseLinks(path: string, environment: Environment, parts: Parts): Promise<void> {
  const directory = await environment.openDirectory(path).catch(absent);
  if (directory === undefined) return;
  try {
    await refuseLinksIn(directory, path, environment, parts);
  } finally {
    directory.close();
  }
}

async function refuseLinksIn(
  directory: Directory,
  path: string,
  environment: Environment,
  parts: Parts,
): Promise<void> {
  for (const { name, kind } of await directory.entries()) {
    const below = posix.join(path, name);
    if (kind === "link") await refuseOutside(below, environment);
    const inner = parts === true ? true : parts[name];
    if (kind === "directory" && inner !== undefined) await refuseLinks(below, environment, inner);
  }
}

async function refuseOutside(link: string, environment: Environment): Promise<void> {
  try {
    await environment.realPath(link);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "outside-workspace") return;
    throw leadsOut(link);
  }
}

async function refuseAlternates(objects: string, environment: Environment, depth: number): Promise<void> {
  const file = posix.join(objects, "info/alternates");
  const content = await environment.readFile(file, { maxBytes: 64 * 1024 }).catch(absent);
  if (content === undefined) return;
  // Git itself follows no more.
  if (depth > 5) throw leadsOut(file);
  for (const line of Buffer.from(content.bytes).toString().split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const named = posix.resolve(objects, unquoted(line));
    const real = await environment.realPath(named).catch(() => undefined);
    if (real !== undefined) {
      await refuseLinks(real, environment, { pack: {}, info: {} });
      await refuseAlternates(real, environment, depth + 1);
    } else if (!isReadable(named, environment)) throw leadsOut(file);
  }
}

function unquoted(line: string): string {
  // A quoted name has characters that hardly any has: what it means is left to nobody.
  if (line.startsWith('"')) return "/";
  return line;
}

function isReadable(path: string, { confinement }: Environment): boolean {
  const { readable = [], isHidden } = confinement ?? {};
  return liesIn(path, readable) && isHidden?.(path) !== true;
}

/** What is not there leads nowhere. What may not be looked at does. */
function absent(error: unknown): undefined {
  if (error instanceof ToolError && (error.code === "not-found" || error.code === "unsupported"))
    return undefined;
  throw error;
}

function leadsOut(path: string): ToolError {
  return new ToolError("outside-workspace", `${path} leads git out of the workspace`, {
    hint: "Ask the person: `git repack -a -d` without that file makes the repository whole, or a rule can allow to read there.",
  });
}
