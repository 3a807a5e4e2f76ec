import { closeSync, openSync, readdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makePrivateDirectory } from "../../directories.ts";
import { errnoOf } from "../../failures.ts";
import { namesIn } from "../../names-in.ts";
import { isGone, isHere, lifeOf, nameProcess, thisProcess } from "../changes/process-owner.ts";
import { runByTool } from "./variables.ts";

/**
 * The process groups that run for a workspace, each as a file whose name tells its leader and whose it is: what a
 * process leaves running that is killed, another can end.
 */
export class StartedGroups {
  readonly #folder: string;
  readonly #names = new Map<number, string>();

  /** The folder is made when it is needed. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  add(leader: number): void {
    const name = `${nameProcess(leader)}.${thisProcess()}`;
    const create = () => closeSync(openSync(join(this.#folder, name), "w", 0o600));
    try {
      create();
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
      makePrivateDirectory(this.#folder);
      create();
    }
    this.#names.set(leader, name);
  }

  remove(leader: number): void {
    const name = this.#names.get(leader);
    if (name === undefined) return;
    this.#names.delete(leader);
    this.#forget(name);
  }

  /** Ends what processes have left running that are gone. */
  async endAbandoned(): Promise<void> {
    const abandoned = namesIn(this.#folder).filter((name) => isGone(name.split(".")[1] ?? "", 0));
    await Promise.all(
      abandoned.map(async (name) => {
        await end(name.split(".")[0] ?? "");
        this.#forget(name);
      }),
    );
  }

  #forget(name: string): void {
    try {
      unlinkSync(join(this.#folder, name));
    } catch {
      // Somebody else was quicker; or it stays, and names a group that is gone.
    }
  }
}

async function end(leader: string): Promise<void> {
  const [group = ""] = leader.split("-");
  if (!isStillOurs(leader, group)) return;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    try {
      process.kill(-Number(group), signal);
    } catch {
      return;
    }
    for (let waited = 0; waited < graceMs; waited += lookMs) {
      if (membersOf(group).length === 0) return;
      await setTimeout(lookMs);
    }
  }
}

// How long a program may take to clean up after SIGTERM.
const graceMs = 2000;
const lookMs = 20;

/** The number of a group may have become another's: when its leader is gone, only what a tool has started counts. */
function isStillOurs(leader: string, group: string): boolean {
  if (!isHere(leader)) return false;
  const life = lifeOf(Number(group));
  if (life === undefined) return membersOf(group).some(wasRunByTool);
  return life.start === leader.split("-")[1];
}

function membersOf(group: string): readonly string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && livesIn(Number(name), group));
}

function livesIn(pid: number, group: string): boolean {
  const life = lifeOf(pid);
  return life !== undefined && !life.isOver && life.group === group;
}

function wasRunByTool(pid: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${runByTool}=`);
  } catch {
    return false;
  }
}
