import { join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { Fleet, FleetStore, Run } from "../../fleet/fleet.ts";
import { openFleetStore } from "../../fleet/store/open-fleet-store.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { makePrivateDirectory, userDirectories } from "../../system/directories.ts";
import { remark } from "../terminal.ts";

/** The database of a command line; undefined for the SQLite file of this machine. */
export function databaseOf(options: ReadonlyMap<string, string>): string | undefined {
  const url = options.get("database") ?? process.env.TOOLCRIB_FLEET_DATABASE?.trim();
  if (url === undefined || url === "") return undefined;
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return url;
  // The address may contain a password, so it is not shown.
  throw new ToolError("invalid-input", "The address of the database does not begin with postgres://", {
    hint: "Use postgres://user@host/database, and set the password with PGPASSWORD.",
  });
}

/** The folder of fleets on this machine: the database, and the default folders of runs and artifacts. */
export function fleetFolder(): string {
  return join(userDirectories().state, "fleet");
}

async function openStore(options: ReadonlyMap<string, string>): Promise<FleetStore> {
  const database = databaseOf(options);
  if (database !== undefined)
    return openFleetStore(
      { database },
      { onWait: (reason) => remark(`Waiting for the database: ${printableLine(reason)}\n`) },
    );
  makePrivateDirectory(fleetFolder());
  return openFleetStore({ file: join(fleetFolder(), "fleet.sqlite") });
}

/** Opens the store for the time of `work`. */
export async function withStore<Result>(
  options: ReadonlyMap<string, string>,
  work: (store: FleetStore) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export async function findFleet(store: FleetStore, name: string | undefined): Promise<Fleet> {
  const found = name === undefined ? undefined : await store.fleet(name);
  if (found !== undefined) return found;
  const names = (await store.fleets()).map((fleet) => fleet.name);
  const near = name === undefined ? undefined : nearest(name, names);
  throw new ToolError(
    name === undefined ? "invalid-input" : "not-found",
    name === undefined ? "The name of a fleet is missing" : `No fleet is named ${printableLine(name)}`,
    {
      hint:
        near !== undefined
          ? `Did you mean ${printableLine(near)}?`
          : names.length > 0
            ? `Use one of: ${names.slice(0, 10).map(printableLine).join(", ")}`
            : "To start one, run: toolcrib fleet submit fleet.yaml",
    },
  );
}

/** Finds a run by its id, or as FLEET/TASK. */
export async function findRun(store: FleetStore, name: string | undefined): Promise<Run> {
  if (name === undefined)
    throw new ToolError("invalid-input", "A run is missing", {
      hint: "Use an id from: toolcrib fleet results FLEET",
    });
  const slash = name.indexOf("/");
  const found =
    slash > 0 ? await latestRun(store, name.slice(0, slash), name.slice(slash + 1)) : await store.run(name);
  if (found !== undefined) return found;
  const repeated = slash > 0 ? await tasksNamed(store, name.slice(0, slash), [name.slice(slash + 1)]) : [];
  throw new ToolError("not-found", `No run is named ${printableLine(name)}`, {
    hint:
      repeated.length > 0
        ? `Use one of its runs: toolcrib fleet logs ${shellQuote(`${name.slice(0, slash)}/${repeated[0]}`)}`
        : "Use an id or FLEET/TASK from: toolcrib fleet results FLEET",
  });
}

/** The run of a task that counts. */
async function latestRun(store: FleetStore, fleet: string, task: string): Promise<Run | undefined> {
  const [run] = await store.runs({ fleet, tasks: [task], isSuperseded: false });
  return run;
}

/** Returns the tasks of a fleet with one of the names. `sum-1` also selects its runs with other models and repetitions. */
export async function tasksNamed(
  store: FleetStore,
  fleet: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const tasks = (await store.runs({ fleet })).map(({ spec }) => spec.task);
  return tasks.filter((task) => names.some((name) => isNamed(task, name)));
}

export function isNamed(task: string, name: string): boolean {
  return task === name || task.startsWith(`${name} `);
}
