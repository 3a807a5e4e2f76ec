import { ToolError } from "../../contract/error.ts";
import type { UndoneChanges } from "../../contract/history.ts";
import { identityOf } from "../../system/sqlite-file.ts";
import { openToolcrib, type Toolcrib } from "../../toolcrib/index.ts";
import type { UndoRequest, UndoResult } from "../api.ts";
import { toFileDiff } from "../read-diff.ts";
import type { ConsoleServices } from "./services.ts";
import type { Workspaces } from "./workspaces.ts";

/**
 * Undoes for the user, who may undo the calls of every session. The undo is a recorded call, which can be undone too.
 * To open an instance takes longer than an undo, so one per workspace stays open until it has been idle for a while.
 */
export class Undos {
  readonly #workspaces: Workspaces;
  readonly #services: Pick<ConsoleServices, "directories" | "version">;
  readonly #idleMs: number;
  readonly #open = new Map<string, OpenInstance>();
  #isClosed = false;

  constructor(
    workspaces: Workspaces,
    services: Pick<ConsoleServices, "directories" | "version">,
    { idleMs = 60_000 }: { readonly idleMs?: number | undefined } = {},
  ) {
    this.#workspaces = workspaces;
    this.#services = services;
    this.#idleMs = idleMs;
  }

  async undo(request: UndoRequest): Promise<UndoResult> {
    const input = toInput(request);
    const { data, error, callId } = await this.#use(request.workspace, (crib) =>
      crib.call("journal.undo", input),
    );
    if (error !== null) throw new ToolError(error.code, error.message, { hint: withoutFields(error.hint) });
    const { calls, files, notes, leftAlone, commits = [] } = data as UndoneChanges;
    return {
      callId: request.dryRun ? null : callId,
      ...{ calls, notes, leftAlone, commits },
      files: files.map(toFileDiff),
    };
  }

  /** Cancels what runs, and closes all instances. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map(closeInstance));
  }

  async #use<Result>(id: string, act: (crib: Toolcrib) => Promise<Result>): Promise<Result> {
    const instance = this.#instance(id);
    clearTimeout(instance.timer);
    instance.users += 1;
    try {
      return await act(await instance.crib);
    } finally {
      instance.users -= 1;
      if (instance.users === 0) this.#rest(id, instance);
    }
  }

  #instance(id: string): OpenInstance {
    if (this.#isClosed) throw new ToolError("cancelled", "The console has ended.");
    const place = this.#workspaces.place(id);
    const identity = "target" in place ? place.target : identityOf(place.workspace);
    const found = this.#open.get(id);
    // An open instance stays with its folder, also when another folder takes its name.
    if (found !== undefined && found.identity === identity) return found;
    if (found?.users === 0) void closeInstance(found);
    const { directories, version } = this.#services;
    const crib = openToolcrib({
      ...place,
      stateDirectory: directories.state,
      configDirectory: directories.config,
      mode: "yolo",
      undoScope: "workspace",
      client: { kind: "console", version },
    });
    const opened: OpenInstance = { crib, identity, users: 0, timer: undefined };
    this.#open.set(id, opened);
    crib.catch(() => this.#forget(id, opened));
    return opened;
  }

  /** Closes the instance after a while, or at once when another one has replaced it. */
  #rest(id: string, instance: OpenInstance): void {
    const end = () => {
      this.#forget(id, instance);
      void closeInstance(instance);
    };
    if (this.#open.get(id) === instance) instance.timer = setTimeout(end, this.#idleMs).unref();
    else end();
  }

  #forget(id: string, instance: OpenInstance): void {
    if (this.#open.get(id) === instance) this.#open.delete(id);
  }
}

interface OpenInstance {
  readonly crib: Promise<Toolcrib>;
  readonly identity: string | undefined;
  users: number;
  timer: NodeJS.Timeout | undefined;
}

async function closeInstance({ crib, timer }: OpenInstance): Promise<void> {
  clearTimeout(timer);
  try {
    // The caller of `undo` gets the reason why it did not open.
    await (await crib.catch(() => undefined))?.close();
  } catch (error) {
    process.emitWarning(`The console could not close a workspace: ${(error as Error).message}`);
  }
}

function toInput(request: UndoRequest): object {
  const { calls, session, redo, paths, hunk, merge, skipChanged, dryRun } = request;
  const selections = [calls, session, redo].filter((given) => given !== undefined);
  if (selections.length !== 1 || calls?.length === 0)
    throw new ToolError("invalid-input", "Give exactly one of `calls`, `session` and `redo`.");
  const selection = redo ? { redo } : { call: session ?? calls!.join(" ") };
  return { ...selection, paths, hunk, merge, skip_changed: skipChanged, dry_run: dryRun };
}

/** Hints for models name fields; the page has these switches for them. */
const switches: { readonly [field: string]: string | undefined } = {
  merge: "Keep later edits",
  skip_changed: "Leave out files that changed since",
};

function withoutFields(hint: string | null): string | undefined {
  return hint?.replace(/`(\w+): true`/g, (_, name: string) => `“${switches[name] ?? name}”`);
}
