import { linkSync, readFileSync, rmSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { newIdentifier } from "../../lib/identifier.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { makePrivateDirectory } from "../../system/directories.ts";
import { writePrivateFile } from "../../system/private-file.ts";
import type { Claim, Run } from "../fleet.ts";

/** The progress of a run on this machine, which a later delivery continues. */
export interface RunProgress {
  /** The session of this attempt. Another session in the store means that the run starts over. */
  readonly session: string;
  readonly setup: "none" | "begun" | "done";
  /** The commit or tree that the patch is relative to: the files after the set-up. */
  readonly base: string;
  /** The commit of the repository that the run started from. */
  readonly commit: string | null;
  /** Working time of earlier deliveries and of this one so far. */
  readonly workMs: number;
}

/** The files of a run on this machine. Only this process uses them while its claim counts. */
export class RunFolder {
  readonly id: string;
  /** The same run in another database has another name: both may use the same folders, buckets and hosts. */
  readonly name: string;
  readonly stamp: string;
  readonly path: string;
  readonly workspace: string;
  readonly state: string;
  /** A git directory of our own: the patch is made without any setting of the workspace. */
  readonly patchRepository: string;
  readonly patch: string;
  readonly setupLog: string;
  #progress: RunProgress | undefined;

  constructor(workFolder: string, { fleet, id, createdAt }: Pick<Run, "fleet" | "id" | "createdAt">) {
    this.id = id;
    this.stamp = Math.floor(createdAt).toString(36);
    this.name = `${pathPart(id)}-${this.stamp}`;
    this.path = join(workFolder, "runs", pathPart(fleet), this.name);
    this.workspace = join(this.path, "workspace");
    this.state = join(this.path, "state");
    this.patchRepository = join(this.path, "patch.git");
    this.patch = join(this.path, "patch.diff");
    this.setupLog = join(this.path, "setup.log");
    this.#progress = readProgress(join(this.path, "progress.json"));
  }

  get progress(): RunProgress | undefined {
    return this.#progress;
  }

  save(change: Partial<RunProgress>): void {
    const start: RunProgress = { session: "", setup: "none", base: "", commit: null, workMs: 0 };
    this.#progress = { ...start, ...this.#progress, ...change };
    const text = JSON.stringify(this.#progress);
    writePrivateFile(join(this.path, "progress.json"), [Buffer.from(text)]);
  }

  /** Begins a new attempt: removes everything of an earlier one. */
  async startOver(): Promise<void> {
    await this.remove();
    this.#progress = undefined;
    makePrivateDirectory(this.path);
    await mkdir(this.workspace);
  }

  /** Returns an empty folder for the artifacts of this delivery. */
  async artifactsOf({ delivery }: Claim): Promise<string> {
    const folder = join(this.path, "artifacts", String(delivery));
    await rm(folder, { recursive: true, force: true });
    makePrivateDirectory(folder);
    return folder;
  }

  async remove({ keepWorkspace = false }: { readonly keepWorkspace?: boolean } = {}): Promise<void> {
    if (!keepWorkspace) return rm(this.path, { recursive: true, force: true });
    for (const name of ["state", "patch.git", "patch.diff", "setup.log", "progress.json", "artifacts"])
      await rm(join(this.path, name), { recursive: true, force: true });
  }
}

function readProgress(file: string): RunProgress | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  const value = tryParseJson(text);
  return isRecord(value) && typeof value.session === "string" ? (value as unknown as RunProgress) : undefined;
}

/** Returns a text as one safe name of a file: names of fleets and tasks come from specs. */
export function pathPart(text: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(text)) return text;
  const readable = text
    .replaceAll(/[^\w-]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 40);
  return `${readable || "unnamed"}~${contentHash(text).slice(0, 12)}`;
}

/** Returns the identity of a working folder, which is created with the first worker in it. */
export function machineOf(workFolder: string): string {
  makePrivateDirectory(workFolder);
  const file = join(workFolder, "machine");
  const known = readText(file);
  if (known !== undefined) return known;
  const draft = `${file}.${newIdentifier("draft")}`;
  writePrivateFile(draft, [Buffer.from(newIdentifier("machine"))]);
  try {
    linkSync(draft, file);
  } catch (error) {
    // Another worker was quicker.
    if (readText(file) === undefined) throw error;
  } finally {
    rmSync(draft);
  }
  return readText(file)!;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
