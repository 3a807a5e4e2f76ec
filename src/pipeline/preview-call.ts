import type { ToolCall } from "../contract/call.ts";
import type { Environment } from "../contract/environment.ts";
import { type ErrorCode, ToolError } from "../contract/error.ts";
import type { ChangeHistory } from "../contract/history.ts";
import { hashValue } from "../engine/approvals/hash-call.ts";
import { untilAborted, whileWaitingFor } from "../lib/async/abort.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import { truncateText } from "../lib/text/truncate.ts";
import { redactAsked } from "../policy/redaction/redact.ts";
import type { Services } from "./run-tool.ts";
import { SeenMemory } from "./seen-memory.ts";

/** The expected changes of a call, for the user who is asked. */
export interface Preview {
  /** Undefined when the tool has no preview. */
  readonly text: string | undefined;
  /** The hash of the whole text, including the part that is not shown; undefined when the preview failed. */
  readonly whole: string | undefined;
  /** The hash of the state of each path that the call would change. */
  readonly found: string;
}

/** Everything that a preview can use besides files. */
export type PreviewServices = Pick<Services, "historyFor" | "code" | "servers">;

/** Makes the preview of a call, bounded in size and time. When the preview fails, its text says so. */
export async function previewCall(call: ToolCall, services: PreviewServices): Promise<Preview> {
  const { tool, input } = call;
  if (!tool.preview) return { text: undefined, whole: undefined, found: "" };
  const environment = readOnly(call.environment);
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(maxMs)]);
  const found = await lookAt(call);
  try {
    const history = onlyLooking(services.historyFor(call));
    const seen = new SeenMemory(environment);
    const servers = services.servers.forCall({ ...call, environment, signal });
    const preview = tool.preview(input, { environment, seen, history, code: services.code, servers, signal });
    const text = redactAsked(await untilAborted(preview, signal, whileWaitingFor("its preview")));
    const shown = truncateText(text, limits, ({ lines }) => `[… ${lines} lines are not shown …]`).text;
    return { text: shown, whole: hashValue(text), found };
  } catch (error) {
    if (call.signal.aborted) throw error;
    const reason = signal.aborted ? `it took longer than ${maxMs / 1000} s` : (error as Error).message;
    return { text: `The preview failed: ${reason}`, whole: undefined, found };
  }
}

export async function isStillShown(
  { whole, found }: Preview,
  call: ToolCall,
  services: PreviewServices,
): Promise<boolean> {
  if (whole === undefined) return found === (await lookAt(call));
  const now = await previewCall(call, services);
  return found === now.found && whole === now.whole;
}

/** Hashes the state of each path that the call would change, because previews do not show all content. */
async function lookAt({ tool, accesses, environment }: ToolCall): Promise<string> {
  if (!tool.preview) return "";
  const found = accesses.map(async (access) => {
    if (access.kind !== "write" && access.kind !== "delete") return undefined;
    const followLinks = access.kind === "write" && access.link !== "itself";
    const info = await environment.info(access.path, { followLinks }).catch(({ code }) => code as ErrorCode);
    // The preview covers the contents of directories.
    return typeof info === "object" && info.kind === "directory" ? "directory" : info;
  });
  return hashValue(await Promise.all(found));
}

const maxMs = 2_000;
const limits = { maxChars: 40_000, maxLines: 400, keep: "both" } as const;

function onlyLooking(history: ChangeHistory): ChangeHistory {
  return {
    changes: (...asked) => history.changes(...asked),
    undo: (selection, options) => history.undo(selection, { ...options, dryRun: true }),
    setCheckpoint: refuse,
    checkpoints: () => history.checkpoints(),
  };
}

/** Refuses changes, because nothing may change before the user has answered. */
const readOnly = (environment: Environment): Environment => overrideEnvironment(environment, refused);

async function refuse(): Promise<never> {
  throw new ToolError("denied", "A preview must not change anything");
}

type Fact =
  | ("workspace" | "name" | "home" | "ownDirectories" | "machine")
  | ("recovered" | "runsPrograms" | "keepsShells" | "confinement");

/** Every member of Environment that does more than read. The type makes sure that a member added later is listed. */
const refused: Required<Omit<Environment, Fact | ReadingMethod>> = {
  writeFile: refuse,
  delete: refuse,
  move: refuse,
  change: refuse,
  changeEntry: refuse,
  listEntries: refuse,
  watchEffects: refuse,
  resumeEffects: refuse,
  sandbox: refuse,
  start: refuse,
  exchange: refuse,
  close: refuse,
};

type ReadingMethod =
  | "realPath"
  | "pathOutsideSeenByCommands"
  | "info"
  | "readFile"
  | "readBytes"
  | "readLines"
  | "search"
  | "list"
  | "modifiedTimes"
  | "changedSince"
  | "state"
  | "openDirectory"
  | "walk"
  | "readFiles"
  | "useContents"
  | "ignoreFilesOutside"
  | "hiddenEntries"
  | "listens";
