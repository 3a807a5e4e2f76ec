import { posix } from "node:path";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import type { SimpleCommand } from "../policy/commands/analysis.ts";
import { changesUnnamed, codeNamed, type NamedCode } from "../policy/commands/code-run.ts";
import { isWithin } from "../policy/guard-paths.ts";
import type { ReadCommand } from "../policy/parts.ts";
import { spelledPath } from "../policy/paths/path-target.ts";
import type { CodeRun, PathContext } from "../policy/policy.ts";
import { codeKey } from "../policy/rules/binding.ts";

export type CodeReading = Pick<Environment, "readFile" | "info" | "realPath">;

/** The current content of the program text that each command names, by `codeKey`. */
export async function readCode(
  commands: readonly SimpleCommand[],
  { environment, context, readCommand }: CodeSources,
): Promise<ReadonlyMap<string, CodeRun>> {
  const found = new Map<string, CodeRun>();
  for (const command of commands) {
    const key = codeKey(command);
    const named = found.has(key) ? undefined : codeNamed(command);
    if (named === undefined || command.directory === undefined) continue;
    const pieces = new Pieces({ environment, context, readCommand });
    await pieces.add(named, command.directory);
    const isMissing = ![...pieces.hashes.values()].some((hash) => hash !== "none");
    const runsMore = named.runsMore || (isMissing && pieces.hashes.size > 0);
    const rewritten = await rewrittenBy(commands, pieces, { environment, context });
    found.set(key, { pieces: pieces.hashes, runsMore, rewritten });
  }
  return found;
}

/** Finds a piece that a command of the same call changes, or may change. Their order does not matter: some run at once. */
async function rewrittenBy(
  commands: readonly SimpleCommand[],
  { hashes }: Pieces,
  { environment, context }: Pick<CodeSources, "environment" | "context">,
): Promise<string | undefined> {
  const [first] = hashes.keys();
  if (first === undefined) return undefined;
  const realOf = async (path: string) =>
    environment.realPath(path).catch(() => posix.resolve(context.workspace, path));
  const changed = new Set<string>();
  for (const command of commands) {
    if (changesUnnamed(command)) return first;
    for (const { kind, target } of command.accesses) {
      if (kind !== "write" && kind !== "delete") continue;
      const path = spelledPath(target, command.directory, context);
      if (path === undefined) return first;
      changed.add(await realOf(path)).add(posix.resolve(context.workspace, path));
    }
  }
  if (changed.size === 0) return undefined;
  for (const name of hashes.keys()) {
    const path = posix.resolve(context.workspace, name.replace(/(package\.json):.*$/s, "$1"));
    const paths = [path, await realOf(path)];
    if ([...changed].some((one) => paths.some((other) => isWithin(other, one)))) return name;
  }
  return undefined;
}

type Scripts = Omit<NamedCode["scripts"][number], "from">;

interface CodeSources {
  readonly environment: CodeReading;
  readonly context: PathContext;
  readonly readCommand: ReadCommand;
}

class Pieces {
  /** Hashes of contents; "none" where there is no file, "unreadable" where there is another entry. */
  readonly hashes = new Map<string, string>();
  readonly #sources: CodeSources;

  constructor(sources: CodeSources) {
    this.#sources = sources;
  }

  async add(named: NamedCode, directory: string): Promise<void> {
    for (const file of named.files)
      await this.#addFile(file.startsWith("/") ? file : posix.join(directory, file));
    for (const { from, ...scripts } of named.scripts)
      await this.#addScripts(from.startsWith("/") ? from : posix.join(directory, from), scripts);
  }

  /** Files outside the workspace are not bound: tools and commands cannot change them without approval. */
  async #addFile(path: string): Promise<void> {
    const label = this.#label(path);
    if (label === undefined || this.hashes.has(label)) return;
    this.hashes.set(label, await this.#hash(path));
  }

  /** npm looks for a package.json from its real directory upwards. */
  async #addScripts(from: string, { names, settings }: Scripts): Promise<void> {
    const { environment, context } = this.#sources;
    const start = await environment.realPath(from === "" ? "." : from).catch(() => undefined);
    for (let directory = start; directory !== undefined; directory = parentIn(directory, context)) {
      const file = posix.join(directory, "package.json");
      const label = this.#label(file);
      if (label === undefined) return;
      const content = await this.#read(file);
      if (typeof content === "string") this.hashes.set(label, content);
      else await this.#addScriptsOf(content, { label, directory, names });
      for (const name of settings) await this.#addFile(posix.join(directory, name));
      if (content !== "none") return;
    }
  }

  async #addScriptsOf(
    content: Uint8Array,
    { label, directory, names }: { label: string; directory: string; names: readonly string[] },
  ): Promise<void> {
    const parsed = tryParseJson(new TextDecoder().decode(content)) as
      | { scripts?: unknown }
      | null
      | undefined;
    const all = new Map(Object.entries(Object(parsed?.scripts) as Record<string, unknown>));
    for (const name of names) {
      const piece = `${label}:${name}`;
      const texts = [`pre${name}`, name, `post${name}`].map((each) => all.get(each) ?? null);
      if (this.hashes.has(piece) || this.hashes.size >= maxPieces) continue;
      // Text that cannot be parsed is bound as a whole.
      const bound = parsed === undefined ? content : Buffer.from(JSON.stringify(texts));
      this.hashes.set(
        piece,
        texts.every((text) => text === null) && parsed !== undefined ? "none" : shortHash(bound),
      );
      for (const text of texts) if (typeof text === "string") await this.#addInner(text, directory);
    }
  }

  /** The scripts that a script runs in turn: `"test": "npm run unit"`. */
  async #addInner(text: string, directory: string): Promise<void> {
    const { readCommand, context } = this.#sources;
    const { commands } = readCommand(text, context.workspace, { directory });
    for (const command of commands) {
      const named = codeNamed(command);
      if (named !== undefined && command.directory !== undefined)
        await this.add({ ...named, files: [] }, command.directory);
    }
  }

  async #hash(path: string): Promise<string> {
    const content = await this.#read(path);
    return typeof content === "string" ? content : shortHash(content);
  }

  async #read(path: string): Promise<Uint8Array | string> {
    const { environment } = this.#sources;
    try {
      return (await environment.readFile(path, { maxBytes })).bytes;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error.code === "not-found") return "none";
      if (error.code !== "too-large") return "unreadable";
      return shortHash(Buffer.from(JSON.stringify(await environment.info(path).catch(({ code }) => code))));
    }
  }

  /** The path relative to the workspace; undefined outside. */
  #label(path: string): string | undefined {
    const { workspace } = this.#sources.context;
    const label = posix.relative(workspace, posix.resolve(workspace, path));
    return label === "" || label.startsWith("../") || label.startsWith("/") ? undefined : label;
  }
}

function parentIn(directory: string, { workspace }: PathContext): string | undefined {
  return directory.startsWith(`${workspace}/`) ? posix.dirname(directory) : undefined;
}

/** Returns a hash that is long enough to make collisions infeasible. */
function shortHash(bytes: Uint8Array): string {
  return contentHash(bytes).slice(0, 32);
}

const maxBytes = 16 * 1024 * 1024;
const maxPieces = 50;
