import type { IndexState } from "../contract/code.ts";
import { counted, showSize } from "../lib/text/format-quantity.ts";
import { realWorkspace, userDirectories } from "../system/directories.ts";
import { WorkspaceIndex } from "../toolcrib/workspace-index.ts";
import { onInterruption } from "./interruption.ts";
import { tellProgress } from "./progress.ts";
import { printJson, remarkWarnings } from "./report.ts";
import { print } from "./terminal.ts";

type Options = ReadonlyMap<string, string>;

/** `toolcrib index` */
export async function buildIndex(options: Options): Promise<number> {
  const desk = openDesk(options);
  const { problem, ...counts } = await build(desk);
  const bytes = desk.size ?? 0;
  if (options.has("json")) printJson({ ...counts, bytes, file: desk.file, problem: problem ?? null });
  else print(`${describe(counts, bytes)}\n`);
  remarkWarnings(problem === undefined ? [] : [problem]);
  return problem === undefined ? 0 : 1;
}

/** `toolcrib index clear` */
export async function clearIndex(options: Options): Promise<number> {
  const desk = openDesk(options);
  const bytes = desk.size;
  desk.discard();
  if (options.has("json")) printJson({ bytes: bytes ?? 0, file: desk.file });
  else print(bytes === undefined ? "There is no index.\n" : `The index is gone: ${showSize(bytes)}.\n`);
  return 0;
}

function openDesk(options: Options): WorkspaceIndex {
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  return new WorkspaceIndex({ workspace, ...userDirectories() });
}

async function build(desk: WorkspaceIndex): Promise<IndexState> {
  const interruption = onInterruption();
  const { tell: progress, stop } = tellProgress("index");
  try {
    return await desk.build({ signal: interruption.signal, progress });
  } finally {
    stop();
    interruption.stop();
  }
}

function describe({ files, indexed, outlined }: IndexState, bytes: number): string {
  const known = `${counted(indexed, "file")} indexed, ${outlined} of them with symbols; ${showSize(bytes)}.`;
  const missing = files - indexed;
  return missing === 0 ? known : `${known}\n${counted(missing, "file")} could not be indexed.`;
}
