import { basename, dirname, join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { statsAt } from "../../system/attempt.ts";
import { allWorkspaceFiles, type WorkspaceFiles, workspaceDirectory } from "../../system/directories.ts";
import { FileStamps } from "../../system/policy-files.ts";
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
  readonly #open = new Map<string, WorkspaceJournal>();

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

  /** Reads the journal of a workspace, which stays open for a while. */
  read<Result>(id: string, work: (journal: WorkspaceJournal) => Result): Result {
    const files = this.files(id);
    const journal = this.#open.get(id) ?? new WorkspaceJournal({ files });
    this.#open.delete(id);
    this.#open.set(id, journal);
    for (const [other, oldest] of this.#open) {
      if (this.#open.size <= maxOpen) break;
      oldest.close();
      this.#open.delete(other);
    }
    return work(journal);
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

  /** Returns the real path of a workspace; null when its journal does not say. */
  path(id: string): string | null {
    const known = this.#paths.get(id);
    if (known !== undefined) return known;
    const recorded = this.read(id, (journal) =>
      journal.sessions().findLast(({ workspace }) => workspace !== null && this.idOf(workspace) === id),
    )?.workspace;
    if (recorded) this.#paths.set(id, recorded);
    return recorded ?? null;
  }

  /** Returns the path of a workspace that exists. Throws `not-found`. */
  folder(id: string): string {
    const path = this.path(id);
    if (path !== null && statsAt(path)?.isDirectory()) return path;
    throw new ToolError("not-found", "The folder of this workspace no longer exists.", {
      hint: "Its history can still be read.",
    });
  }

  idOf(path: string): string {
    return basename(workspaceDirectory(this.state, path));
  }

  close(): void {
    for (const journal of this.#open.values()) journal.close();
    this.#open.clear();
  }

  #look(): void {
    this.#folder.note();
    const all = allWorkspaceFiles(this.state);
    this.#ids.clear();
    this.#known = new Map(all.map((files) => [basename(dirname(files.journal)), files]));
  }
}

/** Each open journal needs three file descriptors. */
const maxOpen = 100;
