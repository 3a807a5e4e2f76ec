import { join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { userDirectories } from "../../system/directories.ts";
import { connectTo, type JsonConnection, PrivateSocket, socketNames } from "../../system/private-socket.ts";

// A server for several clients listens on a private socket, so that `toolcrib stop` can end one of its sessions.

/** Lets `toolcrib stop` end sessions of this process with `end`. Returns a function that ends this. */
export async function listenForStops(end: (session: string) => Promise<boolean>): Promise<() => void> {
  const obey = async (peer: JsonConnection, session: unknown) => {
    const isEnded = typeof session === "string" && (await end(session));
    peer.send({ isEnded });
    peer.end();
  };
  const socket = await PrivateSocket.listen(folder(), prefixOf(process.pid), (peer) =>
    peer.receive(
      ({ stop }) => void obey(peer, stop).catch(() => peer.destroy()),
      () => peer.destroy(),
    ),
  );
  return socket.close;
}

/** Returns whether the process lets `toolcrib stop` end its sessions. */
export function canEndSessions(pid: number): boolean {
  return socketOf(pid) !== undefined;
}

/** Asks the process to end one session, and waits for it. Throws when the session has no end of its own. */
export async function endSessionOf(pid: number, session: string): Promise<void> {
  const name = socketOf(pid);
  const answer = name === undefined ? undefined : await ask(connectTo(folder(), name), session);
  if (answer?.isEnded === true) return;
  throw new ToolError(
    "unavailable",
    `The session ${session} is shared by several clients of process ${pid}`,
    {
      hint: `End the whole server: kill ${pid}`,
    },
  );
}

function ask(peer: JsonConnection, session: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  return new Promise((resolve) => {
    peer.receive(resolve, () => peer.destroy());
    void peer.ended.then(() => resolve(undefined));
    peer.send({ stop: session });
  });
}

function socketOf(pid: number): string | undefined {
  return socketNames(folder()).find((name) => name.startsWith(prefixOf(pid)));
}

function prefixOf(pid: number): string {
  return `${pid}-`;
}

function folder(): string {
  return join(userDirectories().state, "mcp");
}
