import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { sessionOnLoopback } from "../../../test/agent/session-on-loopback.ts";
import type { Script } from "../../../test/providers/provider-server.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { maxRequestBytes } from "../../system/private-socket.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { attachSession } from "./attach-session.ts";
import { type LiveUpdate, socketFolder, socketPrefix } from "./live-protocol.ts";
import { openSessionSocket } from "./session-socket.ts";

/** A session that listens, in a state folder of its own. */
async function liveFixture(script: Script = [{ text: "Done." }], { below = "state" } = {}) {
  const folder = temporaryFolder();
  const state = join(folder.path, below);
  const loopback = await sessionOnLoopback(script, { dialect: "toolcrib" });
  const { session } = loopback;
  const stop = vi.fn();
  const open = () => openSessionSocket(session, { client: { kind: "run" }, stop, state });
  return {
    ...{ session, state, stop, open },
    names: () => readdirSync(socketFolder(state)),
    attach: () => attachSession(session.id, { state }),
    [Symbol.asyncDispose]: async () => {
      await loopback.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("the socket of a session", () => {
  it("tells who it is, what happens, and takes messages", async () => {
    await using fixture = await liveFixture([{ text: "One." }, { text: "Two." }]);
    await fixture.open();
    const attached = (await fixture.attach())!;
    const updates: LiveUpdate[] = [];
    await attached.steer("Count.");
    // Nothing is missed before the first listener.
    attached.on((update) => updates.push(update));
    await vi.waitFor(() => expect(updates.at(-1)).toEqual({ type: "state", state: "idle" }), {
      timeout: 60_000,
    });
    attached.close();
    const { session, pid, workspace, client, state, model, plan, agents } = attached.hello;
    expect({ session, pid, workspace, client, state, model, plan, agents }).toEqual({
      session: fixture.session.id,
      pid: process.pid,
      workspace: fixture.session.toolcrib.workspace,
      client: { kind: "run" },
      state: "idle",
      model: "openai/gpt-5",
      plan: [],
      agents: [],
    });
    const types = new Set(updates.map(({ type }) => type));
    expect([...types].sort()).toEqual(["recorded", "state", "text", "usage"]);
    expect(updates.flatMap((update) => (update.type === "text" ? [update.text] : [])).join("")).toBe("One.");
  });

  it("interrupts the turn, and ends the session as its program does", async () => {
    await using fixture = await liveFixture([{ text: "Never.", fault: "hang-before" }]);
    await fixture.open();
    const attached = (await fixture.attach())!;
    const turn = fixture.session.run("Wait.");
    await attached.interrupt();
    expect((await turn.result).outcome).toBe("aborted");
    await attached.stop();
    await vi.waitFor(() => expect(fixture.stop).toHaveBeenCalledOnce(), { timeout: 60_000 });
    attached.close();
  });

  it("only its user can use it, and it is gone when the session closes", async () => {
    await using fixture = await liveFixture();
    await fixture.open();
    const [name = ""] = fixture.names();
    const folder = socketFolder(fixture.state);
    const modes = [folder, join(folder, name)].map((path) => (statSync(path).mode & 0o777).toString(8));
    const attached = (await fixture.attach())!;
    await fixture.session.close();
    await attached.ended;
    expect([modes, fixture.names(), await fixture.attach()]).toEqual([["700", "600"], [], undefined]);
  });

  it("works below a path that is longer than the address of a socket", async () => {
    await using fixture = await liveFixture([{ text: "Done." }], { below: `${"long".repeat(40)}/state` });
    await fixture.open();
    const attached = await fixture.attach();
    attached?.close();
    await fixture.session.close();
    expect([attached?.hello.session, fixture.names()]).toEqual([fixture.session.id, []]);
  });

  it.each([
    ["is not JSON", "hello\n", "The line is not a JSON object"],
    ["is not an object", "[1]\n", "The line is not a JSON object"],
    ["has no end", "x".repeat(maxRequestBytes + 1), `The line is longer than ${maxRequestBytes} bytes`],
    [
      "is too long",
      `${JSON.stringify({ type: "steer", id: 1, text: "x".repeat(maxRequestBytes) })}\n`,
      `The line is longer than ${maxRequestBytes} bytes`,
    ],
  ])("ends a connection whose line %s", async (_name, sent, message) => {
    await using fixture = await liveFixture();
    await fixture.open();
    const [name = ""] = fixture.names();
    const peer = connect(join(socketFolder(fixture.state), name));
    const received: Buffer[] = [];
    peer.on("data", (chunk) => received.push(chunk));
    peer.on("error", () => {});
    peer.write(sent);
    await once(peer, "close");
    const [, reply] = Buffer.concat(received).toString().trim().split("\n");
    expect([JSON.parse(reply ?? "{}").error?.message, fixture.session.turns]).toEqual([message, 0]);
  });

  it.each([
    [{ type: "steer", id: 7 }],
    [{ type: "steer", id: 7, text: 5 }],
    [{ type: "run", id: 7, text: "x" }],
    [{ id: 7 }],
    [{ type: "__proto__", id: 7 }],
  ])("refuses the command %j and stays connected", async (command) => {
    await using fixture = await liveFixture();
    await fixture.open();
    const peer = connect(join(socketFolder(fixture.state), fixture.names()[0]!));
    const received: Buffer[] = [];
    peer.on("data", (chunk) => received.push(chunk));
    peer.write(`${JSON.stringify(command)}\n`);
    await vi.waitFor(() => expect(Buffer.concat(received).toString().trim().split("\n")).toHaveLength(2), {
      timeout: 60_000,
    });
    expect(JSON.parse(Buffer.concat(received).toString().trim().split("\n")[1]!)).toMatchObject({
      type: "reply",
      id: 7,
      error: { message: "The session does not know this command" },
    });
    peer.destroy();
    expect(fixture.session.turns).toBe(0);
  });
});

describe("a socket of another program", () => {
  it("is ignored when it is a link, a file, or answers for another session", async () => {
    await using fixture = await liveFixture();
    await fixture.open();
    const folder = socketFolder(fixture.state);
    const own = fixture.names()[0]!;
    const prefix = socketPrefix(fixture.session.id);
    // Sorts before the name of the session's own socket.
    writeFileSync(join(folder, `${prefix}0.sock`), "");
    symlinkSync(join(folder, own), join(folder, `${prefix}00.sock`));
    const claims = createServer((peer) => {
      peer.on("error", () => {});
      peer.write(`${JSON.stringify({ type: "hello", session: "session_other" })}\n`);
    }).listen(join(folder, `${prefix}000.sock`));
    await once(claims, "listening");
    const attached = await fixture.attach();
    attached?.close();
    claims.close();
    expect(attached?.hello.session).toBe(fixture.session.id);
  });

  it("is removed when its process died", async () => {
    await using fixture = await liveFixture();
    const folder = socketFolder(fixture.state);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${socketPrefix(fixture.session.id)}dead.sock`);
    const script = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
    expect(() => execFileSync(process.execPath, ["-e", script, path])).toThrow();
    expect(lstatSync(path).isSocket()).toBe(true);
    expect([await fixture.attach(), fixture.names()]).toEqual([undefined, []]);
  });

  it("cannot be made where the folder is a link or open to others", async () => {
    await using fixture = await liveFixture();
    await using elsewhere = temporaryFolder();
    mkdirSync(fixture.state, { recursive: true });
    symlinkSync(elsewhere.path, socketFolder(fixture.state));
    await expect(fixture.open()).rejects.toThrow("Other users can enter");
    expect([readdirSync(elsewhere.path), await fixture.attach()]).toEqual([[], undefined]);
  });
});

it.for(["bwrap", "landlock"] as const)(
  "a command in the sandbox %s cannot reach a socket or an answer",
  { tags: "slow" },
  async (level, { skip }) => {
    await using fixture = await liveFixture();
    await using folder = temporaryFolder();
    await fixture.open();
    const [name = ""] = fixture.names();
    const workspace = join(folder.path, "workspace");
    mkdirSync(workspace);
    const open = { workspace, stateDirectory: fixture.state, configDirectory: join(folder.path, "config") };
    const victim = await openToolcrib({ ...open, mode: "safe", approve: () => new Promise(() => {}) });
    const attacker = await openToolcrib({ ...open, mode: "yolo", sandbox: level });
    try {
      const found = (await attacker.sandbox().catch(() => undefined))?.level;
      skip(found !== level, `${level} is not available`);
      writeFileSync(join(workspace, "a.txt"), "one\n");
      const stop = new AbortController();
      const call = victim.call("file.delete", { path: "a.txt" }, { signal: stop.signal });
      await vi.waitFor(() => expect(victim.approvals.list()).toHaveLength(1), { timeout: 60_000 });
      const answers = join(fixture.state, "approvals.db");
      const socket = join(socketFolder(fixture.state), name);
      const script = `
      const { connect } = require("node:net");
      const { readdirSync, writeFileSync } = require("node:fs");
      const attempt = (act) => { try { act(); return "done"; } catch (error) { return error.code; } };
      console.log("list", attempt(() => readdirSync(${JSON.stringify(socketFolder(fixture.state))})));
      console.log("write", attempt(() => writeFileSync(${JSON.stringify(answers)}, "{}")));
      connect(${JSON.stringify(socket)})
        .on("connect", () => { console.log("connected"); process.exit(); })
        .on("error", ({ code }) => console.log("refused", code));`;
      writeFileSync(join(workspace, "attack.cjs"), script);
      const { content } = await attacker.call("shell.run", { command: "node attack.cjs" });
      stop.abort();
      await call;
      expect(content).toMatch(/^list E\w+\nwrite E\w+\nrefused E\w+$/m);
      expect(victim.approvals.list()).toEqual([]);
    } finally {
      await Promise.all([victim.close(), attacker.close()]);
    }
  },
);
