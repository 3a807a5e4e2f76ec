import type { IndexState } from "../../../contract/code.ts";
import { CodeDesk } from "../../../door/code-desk.ts";
import { realWorkspace, userDirectories } from "../../../environment/directories.ts";
import { counted } from "../../../text/counted.ts";
import { showSize } from "../../../text/show-size.ts";
import { onInterruption } from "../interruption.ts";
import { printJson, remarkWarnings } from "../report.ts";
import { tellProgress } from "../tell-progress.ts";
import { print } from "../terminal.ts";

type Options = ReadonlyMap<string, string>;

/** `toolcrib index` */
export async function buildIndex(options: Options): Promise<number> {
  const interruption = onInterruption();
  const { tell: progress, stop } = tellProgress("index");
  const desk = await openDesk(options);
  let state: IndexState;
  try {
    state = await desk.buildIndex({ signal: interruption.signal, progress });
  } finally {
    stop();
    // Only then it has its size: what was written last is put in its place.
    await desk.close();
    interruption.stop();
  }
  const { problem, ...counts } = state;
  const bytes = desk.indexSize ?? 0;
  if (options.has("json")) printJson({ ...counts, bytes, file: desk.indexFile, problem: problem ?? null });
  else print(`${describe(state, bytes)}\n`);
  remarkWarnings(problem === undefined ? [] : [problem]);
  return problem === undefined ? 0 : 1;
}

/** `toolcrib index clear` */
export async function clearIndex(options: Options): Promise<number> {
  const desk = await openDesk(options);
  const bytes = desk.indexSize ?? 0;
  desk.discardIndex();
  await desk.close();
  if (options.has("json")) printJson({ bytes, file: desk.indexFile });
  else print(bytes === 0 ? "There is no index.\n" : `The index is gone: ${showSize(bytes)}.\n`);
  return 0;
}

function openDesk(options: Options): Promise<CodeDesk> {
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  return CodeDesk.open({ workspace, ...userDirectories() });
}

function describe({ files, indexed, outlined }: IndexState, bytes: number): string {
  const missing = files - indexed;
  const known = `${counted(indexed, "file")} indexed, ${outlined} of them with symbols; ${showSize(bytes)}.`;
  return missing === 0 ? known : `${known}\n${counted(missing, "file")} could not be read.`;
}
