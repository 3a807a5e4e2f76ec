import { basename, dirname, join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { attempt, statsAt } from "../../system/attempt.ts";
import { allWorkspaceFiles, type WorkspaceFiles, workspaceDirectory } from "../../system/directories.ts";
import { FileStamps } from "../../system/policy-files.ts";
import { targetName } from "../../toolcrib/elsewhere.ts";
import { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";

/** The workspaces of this user that have a journal, by the name of their folder in the state directory. */
export class Workspaces {
  readonly state: string;
  readonly #folder: FileStamps;
  #known = new Map<string, WorkspaceFiles>();
  /** Workspaces whose journal was there; a journal that goes takes its folder along. */
  #ids = new Set<string>();
  readonly #paths = new Map<string, string>();
  /** The journals that were read last, the latest at the end. */
  readonly #open = new Map<string, OpenJournal>();
  #isClosed = false;

  constructor(state: string) {
    this.state = state;
    this.#folder = new FileStamps([join(state, "workspaces")]);
    this.#look();
  }

  /** Returns the ids of workspaces with a journal. */
  ids(): readonly string[] {
    if (!this.#folder.areSame) this.#look();
    if (this.#ids.size < this.#known.size)
      for (const [id, { journal }] of this.#known)
        if (!this.#ids.has(id) && statsAt(journal)) this.#ids.add(id);
    return [...this.#ids];
  }

  /** Returns the files of a workspace. Throws `not-found`: an id is looked up, and never becomes part of a path. */
  files(id: string): WorkspaceFiles {
    if (!this.#known.has(id)) this.#look();
    const found = this.#known.get(id);
    if (found === undefined || !statsAt(found.journal))
      throw new ToolError("not-found", "There is no such workspace.", { hint: "Reload the page." });
    return found;
  }

  /** Reads the journal of a workspace, which stays open for a while, and as long as the work needs it. */
  read<Result>(id: string, work: (journal: WorkspaceJournal) => Result): Result {
    const files = this.files(id);
    if (this.#isClosed) throw new ToolError("cancelled", "The console has ended.");
    const open = this.#open.get(id) ?? { journal: new WorkspaceJournal({ files }), users: 0 };
    this.#open.delete(id);
    this.#open.set(id, open);
    this.#closeOldest();
    const result = work(open.journal);
    // A journal that is closed too early opens its database again, and nothing would close that.
    if (result instanceof Promise) {
      open.users += 1;
      const end = () => {
        open.users -= 1;
        if (this.#open.get(id) !== open) closeUnused(open);
      };
      result.then(end, end);
    }
    return result;
  }

  /** Reads one journal, or all. Of all, one that cannot be read does not hide the others. */
  readEach<Result>(
    wanted: string | undefined,
    work: (journal: WorkspaceJournal, id: string) => Result,
  ): readonly Result[] {
    if (wanted !== undefined) return [this.read(wanted, (journal) => work(journal, wanted))];
    return this.ids().flatMap((id) => {
      try {
        return [this.read(id, (journal) => work(journal, id))];
      } catch (error) {
        if (error instanceof ToolError) return [];
        throw error;
      }
    });
  }

  /** Returns the real path of a workspace, or the name of its target; null when its journal does not say. */
  path(id: string): string | null {
    const known = this.#paths.get(id);
    if (known !== undefined) return known;
    const recorded = this.read(id, (journal) =>
      journal.sessions().findLast(({ workspace }) => workspace !== null && this.idOf(workspace) === id),
    )?.workspace;
    if (recorded) this.#paths.set(id, recorded);
    return recorded ?? null;
  }

  /** Returns where a workspace is, as `openToolcrib` takes it. Throws `not-found` when its folder no longer exists. */
  place(id: string): { readonly workspace: string } | { readonly target: string } {
    const path = this.path(id);
    if (path !== null && isFolder(path)) return { workspace: path };
    if (path !== null && isTarget(path)) return { target: path };
    throw new ToolError(
      "not-found",
      path === null || path.startsWith("/")
        ? "The folder of this workspace no longer exists."
        : "Only the program that opened this workspace can reach it.",
      { hint: "Its history can still be read." },
    );
  }

  /** Returns the path of a workspace that exists, or the name of its target. Throws `not-found`. */
  reachable(id: string): string {
    const place = this.place(id);
    return "target" in place ? place.target : place.workspace;
  }

  idOf(path: string): string {
    return basename(workspaceDirectory(this.state, path));
  }

  close(): void {
    this.#isClosed = true;
    for (const id of this.#open.keys()) this.#close(id);
  }

  #close(id: string): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (open !== undefined) closeUnused(open);
  }

  #closeOldest(): void {
    for (const id of this.#open.keys()) {
      if (this.#open.size <= maxOpen) break;
      this.#close(id);
    }
  }

  #look(): void {
    this.#folder.note();
    const all = allWorkspaceFiles(this.state);
    this.#ids.clear();
    this.#known = new Map(all.map((files) => [basename(dirname(files.journal)), files]));
    for (const id of this.#open.keys()) if (!this.#known.has(id)) this.#close(id);
  }
}

/** A name that is not a path never becomes a path of this machine. */
export function isFolder(path: string): boolean {
  return path.startsWith("/") && statsAt(path)?.isDirectory() === true;
}

function isTarget(name: string): boolean {
  return attempt(() => targetName(name)) === name;
}

interface OpenJournal {
  readonly journal: WorkspaceJournal;
  /** How many works that have not ended use it. */
  users: number;
}

function closeUnused({ journal, users }: OpenJournal): void {
  if (users === 0) journal.close();
}

/** Each open journal needs three file descriptors. */
const maxOpen = 100;
