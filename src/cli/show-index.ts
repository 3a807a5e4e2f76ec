import type { IndexState } from "../contract/code.ts";
import { counted, showSize } from "../lib/text/format-quantity.ts";
import { realWorkspace, userDirectories } from "../system/directories.ts";
import { startAlone } from "../system/start-detached.ts";
import { WorkspaceIndex } from "../toolcrib/workspace-index.ts";
import { withProgress } from "./progress.ts";
import { printJson, remarkWarnings } from "./report.ts";
import { print } from "./terminal.ts";

type Options = ReadonlyMap<string, string>;

export async function buildIndex(options: Options): Promise<number> {
  const index = openIndex(options);
  const { problem, ...counts } = await withProgress("index", (progress, signal) =>
    index.build({ signal, progress }),
  );
  const bytes = index.size ?? 0;
  if (options.has("json")) printJson({ ...counts, bytes, file: index.file, problem: problem ?? null });
  else print(`${describe(counts, bytes)}\n`);
  remarkWarnings(problem === undefined ? [] : [problem]);
  return problem === undefined ? 0 : 1;
}

export async function buildInBackground(options: Options): Promise<number> {
  await openIndex(options).buildInBackground();
  return 0;
}

/** Starts `toolcrib index --background` as a process of its own, which outlives this one. */
export function startIndexer(workspace: string): void {
  const words = ["index", "--background", "--workspace", realWorkspace(workspace)];
  startAlone(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...words], process.env);
}

export async function showStatus(options: Options): Promise<number> {
  const { size, file, builder } = openIndex(options);
  if (options.has("json")) printJson({ bytes: size ?? 0, file, builder: builder ?? null });
  else print(`${[describeSize(size), ...describeBuilder(builder)].join("\n")}\n`);
  return 0;
}

export async function stopIndexer(options: Options): Promise<number> {
  const stopped = openIndex(options).stop();
  if (options.has("json")) printJson({ stopped: stopped ?? null });
  else
    print(
      stopped === undefined
        ? "No process builds the index in the background.\n"
        : `Stopped process ${stopped}. The index keeps what is built.\n`,
    );
  return 0;
}

export async function clearIndex(options: Options): Promise<number> {
  const index = openIndex(options);
  const bytes = index.size;
  index.discard();
  if (options.has("json")) printJson({ bytes: bytes ?? 0, file: index.file });
  else print(bytes === undefined ? `${describeSize(bytes)}\n` : `Deleted the index: ${showSize(bytes)}.\n`);
  return 0;
}

function describeSize(bytes: number | undefined): string {
  return bytes === undefined ? "The folder has no index." : `The index has ${showSize(bytes)}.`;
}

function describeBuilder(builder: number | undefined): readonly string[] {
  if (builder === undefined) return [];
  return [`Process ${builder} is building it in the background. Stop it with: toolcrib index stop`];
}

function openIndex(options: Options): WorkspaceIndex {
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  return new WorkspaceIndex({ workspace, ...userDirectories() });
}

function describe({ files, indexed, outlined }: IndexState, bytes: number): string {
  const done = `${counted(indexed, "file")} indexed, ${outlined} of them with symbols; ${showSize(bytes)}.`;
  const missing = files - indexed;
  return missing === 0 ? done : `${done}\n${counted(missing, "file")} could not be indexed.`;
}
