import { readdir, readFile, readlink } from "node:fs/promises";

/** Whether one of these processes, who share our network, listens on a TCP port; undefined where that cannot be told. */
export async function listensOn(port: number, pids: () => Iterable<number>): Promise<boolean | undefined> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => textOf(`/proc/self/net/${name}`)));
  if (tables.every((table) => table === undefined)) return undefined;
  const sockets = new Set(tables.flatMap((table = "") => listenersOn(table, port)));
  if (sockets.size === 0) return false;
  for (const pid of pids()) if (await holdsOne(pid, sockets)) return true;
  return false;
}

/** Sockets of the lines of /proc/net/tcp that say LISTEN, as descriptors name them. */
function listenersOn(table: string, port: number): readonly string[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address = "", , state]) => state === listening && address.endsWith(local))
    .map((fields) => `socket:[${fields[9]}]`);
}

const listening = "0A";

async function holdsOne(pid: number, sockets: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => "")));
  return targets.some((target) => sockets.has(target));
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "latin1").catch(() => undefined);
}
