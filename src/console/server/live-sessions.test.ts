import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type LiveUpdate, socketFolder } from "../../agent/live/live-protocol.ts";
import type { LiveEvent } from "../api.ts";
import { LiveSessions } from "./live-sessions.ts";
import { Workspaces } from "./workspaces.ts";

/** Listens like a session that ignores its first peers, and says hello to all others. */
async function openSession(state: string, { ignores }: { readonly ignores: number }) {
  mkdirSync(socketFolder(state), { recursive: true, mode: 0o700 });
  const peers: Socket[] = [];
  let count = 0;
  const hello = { type: "hello", session: "session_1", workspace: "/w", state: "processing" };
  const server = createServer((peer) => {
    count += 1;
    peer.on("error", () => {});
    if (count <= ignores) return void peer.destroy();
    peers.push(peer.resume());
    peer.write(`${JSON.stringify(hello)}\n`);
  });
  server.listen(join(socketFolder(state), "one.sock"));
  await once(server, "listening");
  return {
    peers,
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
  }, 60_000);
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
