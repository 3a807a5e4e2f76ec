import { extname, relative, resolve } from "node:path";
import type { Environment } from "../../../contract/environment.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { attempt } from "../../../system/attempt.ts";
import { readSettings, type ServerConfiguration } from "./read-settings.ts";

/**
 * Returns the hashes of the workspace files that a server's program, arguments and variables name. Trust in a server
 * covers these files: a changed file could be another program.
 */
export async function namedFiles(
  server: ServerConfiguration,
  { environment, workspace }: { readonly environment: Environment; readonly workspace: string },
): Promise<Readonly<Record<string, string>>> {
  const found = new Map<string, string>();
  for (const path of pathsIn(server, workspace)) {
    const hash = await hashOf(path, environment);
    if (hash !== undefined) found.set(relative(workspace, path), hash);
  }
  return Object.fromEntries([...found].toSorted());
}

/** Returns the first of these files that has changed. */
export async function changedFile(
  files: Readonly<Record<string, string>>,
  environment: Environment,
): Promise<string | undefined> {
  for (const [path, hash] of Object.entries(files))
    if ((await hashOf(path, environment)) !== hash) return path;
  return undefined;
}

const maxPaths = 500;
const maxBytes = 64 * 1024 * 1024;

function pathsIn(server: ServerConfiguration, workspace: string): ReadonlySet<string> {
  // A server with an invalid configuration is not started.
  const settings = attempt(() => readSettings("", server, { workspace, variables: process.env }));
  const transport = settings === "disabled" ? undefined : settings?.transport;
  if (transport?.kind !== "stdio") return new Set();
  const texts = [transport.command, ...transport.args, ...Object.values(transport.env)];
  // A path may be a whole text, or part of an option, a list or a command line.
  const parts = texts.flatMap((text) => [text, ...text.split(/[\s=:,;'"]+/)]).filter((part) => part !== "");
  const paths = parts.map((part) => resolve(transport.cwd, part));
  const isProgram = (path: string) => path.startsWith(`${workspace}/`) && !written.has(extname(path));
  return new Set(paths.filter(isProgram).slice(0, maxPaths));
}

/** Data files, which servers write and do not run. */
const written = new Set([".csv", ".db", ".jsonl", ".log", ".md", ".sqlite", ".sqlite3", ".txt"]);

/** Returns undefined when the file cannot be read. */
function hashOf(path: string, environment: Environment): Promise<string | undefined> {
  return environment.readFile(path, { maxBytes }).then(
    ({ bytes }) => contentHash(bytes),
    () => undefined,
  );
}
