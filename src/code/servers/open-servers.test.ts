import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { noSandboxHere } from "../../../test/support/language-servers/served-project.ts";
import { missingHere, openSandboxFixture } from "../../../test/support/sandbox-fixture.ts";
import { wordsOf } from "../../../test/support/workers/child-processes.ts";
import { newIdentifier } from "../../lib/identifier.ts";
import { overrideEnvironment } from "../../lib/override-environment.ts";
import { openServers } from "./open-servers.ts";

const server = readFileSync(
  new URL("../../../test/support/language-servers/hostile-server.mjs", import.meta.url),
  "utf8",
);
const missing = await noSandboxHere();
const level = (await missingHere("bwrap")) === undefined ? "bwrap" : "landlock";

it.skipIf(missing !== undefined)("ends a server with all its processes when it is closed", async () => {
  await using opened = servedFolder();
  expect(await opened.ask()).toBe("{}");
  expect(opened.processes().length).toBeGreaterThan(1);
  await opened.servers.close();
  expect(opened.processes()).toEqual([]);
});

it.skipIf(missing !== undefined)(
  "ends a server without questions, and starts it with the next one",
  { tags: "slow" },
  async () => {
    await using opened = servedFolder({ idleMs: 1 });
    for (const _ of ["first", "second"]) {
      expect(await opened.ask()).toBe("{}");
      await expect.poll(() => opened.processes()).toEqual([]);
    }
  },
);

it.skipIf(missing !== undefined)(
  "starts a server for a call that waited for a cancelled one",
  { tags: "slow" },
  async () => {
    await using opened = servedFolder();
    const cancelled = new AbortController();
    const first = opened.ask(cancelled.signal);
    const second = opened.ask();
    cancelled.abort();
    await expect(first).rejects.toMatchObject({ code: "cancelled" });
    expect(await second).toBe("{}");
  },
);

it.skipIf(missing !== undefined)(
  "never gives a call a server that sees other files",
  { tags: "slow" },
  async () => {
    await using opened = servedFolder();
    const starts: string[] = [];
    const ask = (pathsKey: string) => opened.ask(undefined, pathsKey, () => starts.push(pathsKey));
    expect((await Promise.allSettled([ask("all"), ask("fewer")]))[1]).toMatchObject({ value: "{}" });
    expect(starts).toEqual(["all", "fewer"]);
  },
);

/** A workspace with a server for `.x` files that starts a process which would outlive it. */
function servedFolder(options: { readonly idleMs?: number } = {}) {
  const fixture = openSandboxFixture(level);
  fixture.put("server.mjs", server);
  fixture.put("a.x", "names = 1\n");
  const mark = newIdentifier("mark");
  const x = { command: process.execPath, args: ["server.mjs", "leaves", mark], extensions: [".x"] };
  const servers = openServers({ settings: { x }, isElsewhere: false, ...options });
  return {
    servers,
    async ask(signal = new AbortController().signal, pathsKey = "", onStart = () => {}) {
      const confinement = { mayRun: async () => true, pathsKey };
      const start: typeof fixture.environment.start = (...given) => {
        onStart();
        return fixture.environment.start(...given);
      };
      const environment = overrideEnvironment(fixture.environment, { confinement, start });
      const found = await servers.forCall({ environment, signal, confinement }).serverFor("a.x");
      if ("missing" in found) throw new Error(found.missing);
      return found.hover({ path: "a.x", text: "names = 1\n", offset: 0 });
    },
    processes: () =>
      readdirSync("/proc")
        .map(Number)
        .filter((pid) => pid > 0 && wordsOf(pid).includes(mark)),
    async [Symbol.asyncDispose]() {
      await servers.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}
