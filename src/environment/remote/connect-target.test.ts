import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../../test/support/is-alive.ts";
import { commandTarget } from "../../../test/support/remote/command-target.ts";
import { EchoClient } from "../../../test/support/remote/echo-client.ts";
import { targetProgramsWith } from "../../../test/support/remote/target-programs.ts";
import { ToolError } from "../../contract/error.ts";
import { connectForBytes } from "../../system/private-socket.ts";
import { type ConnectOptions, connectTarget, manageTarget } from "./connect-target.ts";
import { FrameStream, frameTypes } from "./frames.ts";
import { parseTarget, type Target } from "./target.ts";
import type { TargetPrograms } from "./target-programs.ts";

let programs: TargetPrograms;
beforeAll(async () => {
  programs = await targetProgramsWith(
    new URL("../../../test/support/remote/echo-server.ts", import.meta.url),
  );
});

async function openEcho(target: Target, options: ConnectOptions = {}): Promise<EchoClient> {
  return new EchoClient(await connectTarget(target, { programs, ...options }));
}

async function failure(work: Promise<unknown>): Promise<ToolError> {
  return work.then(
    () => new ToolError("internal", "It did not fail"),
    (error: ToolError) => error,
  );
}

describe("connectTarget", () => {
  it("sends the server once, whatever login scripts print, and leaves nothing that others can use", {
    tags: "slow",
  }, async () => {
    await using there = commandTarget('echo Welcome; head -c 100000 /dev/zero; echo \'{"kind":"ready"}\'');
    const { target, workspace: directory, folder } = there;
    const steps: string[] = [];
    const onProgress = (step: string) => steps.push(step.replace(target.name, "there"));
    const first = await openEcho(target, { directory, onProgress });
    expect(await first.ask("a")).toBe("a");
    const { sessions } = await manageTarget(target, { kind: "list" }, { programs });
    const here = join(folder, "sessions", sessions[0]!.session);
    const modes = [folder, here, join(here, "server.sock"), join(here, "record.json")];
    expect(modes.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700, 0o600, 0o600]);
    await first.channel.close();
    const second = await openEcho(target, { directory, onProgress });
    expect(await second.ask("b")).toBe("b");
    await second.channel.close();
    expect(steps).toEqual([
      "Connecting to there",
      expect.stringMatching(/^Sending the server to there, \d+ kB$/),
      "Connecting to there",
    ]);
    await expect.poll(() => readdirSync(join(folder, "sessions"))).toEqual([]);
  });

  it("sends a damaged server again", { tags: "slow" }, async () => {
    await using there = commandTarget();
    const { target, workspace: directory, folder } = there;
    await (await openEcho(target, { directory })).channel.close();
    const [name = ""] = readdirSync(join(folder, "servers"));
    writeFileSync(join(folder, "servers", name), "process.exit(1)");
    const again = await openEcho(target, { directory });
    expect(await again.ask("a")).toBe("a");
    await again.channel.close();
  });

  it("fails with the reason when the server was killed, and never starts another in the same session", {
    tags: "slow",
  }, async () => {
    await using there = commandTarget();
    const { target, workspace: directory } = there;
    const client = await openEcho(target, { directory });
    process.kill(Number(await client.ask("pid")), "SIGKILL");
    const error = await failure(client.next());
    expect([error.code, error.message.replace(target.name, "there")]).toEqual([
      "unavailable",
      "The server on there no longer runs, and its processes have ended. It was killed, or the machine was restarted",
    ]);
    const later = await failure(client.channel.send(Buffer.from("a")));
    expect(later).toBe(error);
    expect(readFileSync(join(directory, "seen"), "utf8")).toBe("pid\n");
  });

  it("gives up when the target stays unreachable", { tags: "slow" }, async () => {
    await using there = commandTarget();
    const { target, workspace: directory, home } = there;
    const client = await openEcho(target, {
      directory,
      reconnectMs: 300,
      idle: { idleMs: 100, busyMs: 100, silentMs: 60_000 },
    });
    const server = Number(await client.ask("pid"));
    writeFileSync(join(home, "../transport"), "#!/bin/sh\necho no route >&2\nexit 7\n");
    process.kill(there.attachPid()!, "SIGKILL");
    const { message, forUser } = await failure(client.next());
    expect([message, forUser?.hint].map((text) => text?.replaceAll(target.name, "there"))).toEqual([
      "The connection to there is lost: there cannot be reached: no route",
      expect.stringMatching(/^Run this until it works: .* sh -c true$/),
    ]);
    // Nothing uses the server any more.
    await expect.poll(() => isAlive(server)).toBe(false);
  });

  it("keeps a server with running processes longer than one without", { tags: "slow" }, async () => {
    await using there = commandTarget();
    const { target, workspace: directory, home } = there;
    const idle = { idleMs: 50, busyMs: 3_600_000, silentMs: 60_000 };
    const options = { directory, reconnectMs: 0, idle };
    const client = await openEcho(target, options);
    const [child, server] = [Number(await client.ask("start")), Number(await client.ask("pid"))];
    writeFileSync(join(home, "../transport"), "#!/bin/sh\nexit 7\n");
    process.kill(there.attachPid()!, "SIGKILL");
    await failure(client.next());
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([isAlive(child), isAlive(server)]).toEqual([true, true]);
    process.kill(child, "SIGKILL");
    await expect.poll(() => isAlive(server)).toBe(false);
  });

  it("refuses other clients of a session", { tags: "slow" }, async () => {
    await using there = commandTarget();
    const { target, workspace: directory, folder } = there;
    const client = await openEcho(target, { directory });
    const [session = ""] = readdirSync(join(folder, "sessions"));
    const attack = async (hello: object): Promise<string> => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const socket = connectForBytes(join(folder, "sessions", session), "server.sock");
      // No process has this id, so the server reads the socket.
      socket.write("0\n");
      await once(socket, "data");
      const frames = new FrameStream({ readable: socket, writable: socket, destroy: () => socket.destroy() });
      frames.onFrame = (_, body) => resolve(body.toString());
      frames.sendJson(frameTypes.hello, { received: 0, ...hello });
      return promise;
    };
    expect([
      await attack({ session, secret: "guess" }),
      await attack({ session: "other", secret: "guess" }),
      await attack({ session, secret: "guess", received: -1 }),
      await attack({ session, secret: 7 }),
    ]).toEqual([
      '{"reason":"session"}',
      '{"reason":"session"}',
      '{"reason":"protocol"}',
      '{"reason":"protocol"}',
    ]);
    expect(await client.ask("still here")).toBe("still here");
    await client.channel.close();
  });

  it("reports an error of the target as its own", { tags: "slow" }, async () => {
    await using there = commandTarget();
    const error = await failure(openEcho(there.target, { directory: "/does not exist" }));
    expect([error.code, error.message]).toEqual([
      "not-found",
      expect.stringContaining("The workspace /does not exist cannot be opened"),
    ]);
  });

  it.each([
    ["prints without end", "yes hello", /^.* sent 1\.\d MB before the greeting$/],
    ["ends at once", "echo 'no such container' >&2; exit 125", /cannot be reached: no such container$/],
    ["says nothing", "exit 3", /cannot be reached: the connection ended \(exit code 3\)$/],
  ])("fails clearly when the transport %s", async (_, line, message) => {
    await using there = commandTarget(line);
    const error = await failure(openEcho(there.target));
    expect([error.code, error.message]).toEqual(["unavailable", expect.stringMatching(message)]);
  });

  it("names a transport that is not installed", async () => {
    const { message } = await failure(openEcho(parseTarget("command:no-such-program-here")));
    expect(message).toBe(
      "The program no-such-program-here, which reaches command:no-such-program-here, is not installed",
    );
  });
});

describe("manageTarget", () => {
  it("lists, stops and removes everything that was left", { tags: "slow" }, async () => {
    await using there = commandTarget("", ["rg"]);
    const { target, workspace: directory, folder } = there;
    const client = await openEcho(target, { directory });
    const [child, server] = [Number(await client.ask("start")), Number(await client.ask("pid"))];
    const { sessions, files } = await manageTarget(target, { kind: "list" }, { programs });
    expect(sessions).toEqual([
      expect.objectContaining({ pid: server, workspace: directory, isAttached: true, running: 1 }),
    ]);
    expect(files.map(({ name }) => name)).toEqual([
      `servers/${programs.server.sha256}.cjs`,
      expect.stringMatching(/^ripgrep\/[\da-f]{64}$/),
    ]);
    const lost = failure(client.next());
    expect((await manageTarget(target, { kind: "stop" }, { programs })).sessions).toEqual([]);
    expect([isAlive(child), isAlive(server)]).toEqual([false, false]);
    expect((await lost).message).toMatch(/no longer runs|is closed/);
    expect((await manageTarget(target, { kind: "clean" }, { programs })).files).toEqual([]);
    expect(readdirSync(folder)).toEqual(["sessions"]);
  });

  it("stops only the named servers, and spares those whose client is connected on request", {
    tags: "slow",
  }, async () => {
    await using there = commandTarget();
    const { target, workspace: directory } = there;
    const [one, other] = [await openEcho(target, { directory }), await openEcho(target, { directory })];
    const [stopped, kept] = [Number(await one.ask("pid")), Number(await other.ask("pid"))];
    const { sessions } = await manageTarget(target, { kind: "list" }, { programs });
    const named = sessions.filter(({ pid }) => pid === stopped).map(({ session }) => session);
    const request = { kind: "stop", sessions: named } as const;
    const spared = await manageTarget(target, { ...request, sparesAttached: true }, { programs });
    expect(spared.sessions).toHaveLength(2);
    const left = await manageTarget(target, request, { programs });
    expect(left.sessions.map(({ pid }) => pid)).toEqual([kept]);
    expect(isAlive(stopped)).toBe(false);
    await other.channel.close();
    await one.channel.close();
  });

  it("removes at once what a killed server has left, and keeps the sessions of other clients", {
    tags: "slow",
  }, async () => {
    await using there = commandTarget();
    const { target, workspace: directory, folder } = there;
    const options = { directory, reconnectMs: 0 };
    const [killed, kept] = [await openEcho(target, options), await openEcho(target, options)];
    const pid = Number(await killed.ask("pid"));
    process.kill(pid, "SIGKILL");
    await failure(killed.next());
    const list = await manageTarget(target, { kind: "list" }, { programs });
    expect(list.sessions.map((session) => session.pid)).toEqual([Number(await kept.ask("pid"))]);
    await manageTarget(target, { kind: "clean" }, { programs });
    expect(readdirSync(join(folder, "sessions"))).toEqual([list.sessions[0]!.session]);
    expect(await kept.ask("still here")).toBe("still here");
    await kept.channel.close();
  });
});
