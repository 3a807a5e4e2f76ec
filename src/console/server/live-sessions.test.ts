import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type LiveUpdate, socketFolder, socketPrefix } from "../../agent/live/live-protocol.ts";
import type { LiveEvent } from "../api.ts";
import { LiveSessions } from "./live-sessions.ts";
import { Workspaces } from "./workspaces.ts";

/** Listens like a session that ignores its first peers, and says hello to all others. */
async function openSession(state: string, { ignores }: { readonly ignores: number }) {
  mkdirSync(socketFolder(state), { recursive: true, mode: 0o700 });
  const peers: Socket[] = [];
  const received: string[] = [];
  let count = 0;
  const hello = { type: "hello", session: "session_1", workspace: "/w", state: "processing" };
  const server = createServer((peer) => {
    count += 1;
    peer.on("error", () => {});
    if (count <= ignores) return void peer.destroy();
    peers.push(peer.on("data", (data) => received.push(`${data}`)));
    peer.write(`${JSON.stringify(hello)}\n`);
  });
  server.listen(join(socketFolder(state), `${socketPrefix("session_1")}one.sock`));
  await once(server, "listening");
  return {
    ...{ peers, received },
    send: (update: LiveUpdate) => peers[0]!.write(`${JSON.stringify(update)}\n`),
    [Symbol.asyncDispose]: async () => {
      for (const peer of peers) peer.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function liveIn(state: string): LiveSessions {
  return new LiveSessions(new Workspaces(state), {
    directories: { state, config: state },
    version: "1",
  });
}

it("asks a session again that was too busy to answer, and redacts a secret that arrives in two pieces", async () => {
  await using folder = temporaryFolder();
  await using session = await openSession(folder.path, { ignores: 1 });
  const live = liveIn(folder.path);
  await vi.waitFor(() => {
    live.look();
    expect(live.get("session_1")).toMatchObject({ state: "processing" });
  });
  const shown: LiveEvent[] = [];
  live.watch("session_1", (event) => shown.push(event));
  for (const text of ["The key is ghp_kD8vQ2mZr5XbN", "7tLwY3cP9sHfJ6uAeG4oVqR.\nMore"])
    session.send({ type: "text", id: "1", agent: null, text });
  session.send({ type: "recorded" });
  await vi.waitFor(() => expect(shown).toContainEqual({ type: "recorded" }), 60_000);
  expect(shown).toEqual([
    { type: "text", id: "1", text: expect.stringMatching(/^The key is \[.+\]\.\n$/) },
    { type: "recorded" },
  ]);
  live.close();
});

it("closes a connection that is answered after it was closed", async () => {
  await using folder = temporaryFolder();
  await using session = await openSession(folder.path, { ignores: 0 });
  const live = liveIn(folder.path);
  live.look();
  live.close();
  await vi.waitFor(() => expect(session.peers[0]?.closed).toBe(true), 60_000);
  expect(live.get("session_1")).toBe(undefined);
});

it.each(["answers nothing", "closes before it reads"])(
  "sends a message at most once to a session that %s and ends",
  async (behaviour) => {
    await using folder = temporaryFolder();
    await using session = await openSession(folder.path, { ignores: 0 });
    const live = liveIn(folder.path);
    const action = { workspace: new Workspaces(folder.path).idOf("/w"), session: "session_1" } as const;
    const sent = live
      .act({ ...action, action: "message", text: "Delete it." })
      .catch((error: Error) => error);
    await vi.waitFor(() => expect(session.peers.length).toBe(1), 60_000);
    const [peer] = session.peers;
    const closes = behaviour === "closes before it reads";
    if (closes) session.send({ type: "state", state: "closed" });
    else await vi.waitFor(() => expect(session.received.join("")).toContain("Delete it."), 60_000);
    peer!.end();
    // It is only resumed when it cannot have read the message. That fails here, because it has no workspace.
    const message = closes
      ? "There is no such workspace."
      : "The session ended before it confirmed the message";
    expect(await sent).toMatchObject({ message });
    live.close();
  },
);
