import { rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { type OpenConsole, openTestConsole } from "../../../test/support/console/open-console.ts";
import { workspaceFiles } from "../../system/directories.ts";
import type { CallSummary, ConsoleEvent } from "../api.ts";

type Calls = Extract<ConsoleEvent, { type: "calls" }>;
type Changed = Extract<ConsoleEvent, { type: "overview" }>;

const has =
  (wanted: (call: CallSummary) => boolean) =>
  (event: ConsoleEvent): event is Calls =>
    event.type === "calls" && event.calls.some(wanted);

const overview =
  (isWanted: (overview: Changed["overview"]) => boolean) =>
  (event: ConsoleEvent): event is Changed =>
    event.type === "overview" && isWanted(event.overview);

describe("GET /api/events", () => {
  it("streams the calls of every workspace, also of one that is new", async () => {
    await using console = await openTestConsole();
    const old = await console.open("old");
    await old.call("file.write", { path: "before.txt", content: "" });
    const page = await console.login();
    await using stream = await page.events();
    expect(stream.events[0]?.event.type ?? (await stream.until(() => true)).type).toBe("overview");
    await old.call("file.write", { path: "a.txt", content: "" });
    await stream.until(has(({ title, state }) => title === "a.txt" && state === "ok"));
    const fresh = await console.open("new");
    await fresh.call("file.write", { path: "b.txt", content: "" });
    await stream.until(has(({ title }) => title === "b.txt"));
    const { overview: last } = await stream.until(overview(({ workspaces }) => workspaces.length === 2));
    expect(last.workspaces.map(({ path, exists }) => [path, exists])).toEqual([
      [fresh.workspace, true],
      [old.workspace, true],
    ]);
    expect(stream.events.some(({ event }) => has(({ title }) => title === "before.txt")(event))).toBe(false);
  });

  it("shows a running call, and its end", async () => {
    await using console = await openTestConsole();
    const crib = await console.open("one", { mode: "yolo", sandbox: "none" });
    const page = await console.login();
    await using stream = await page.events();
    const running = crib.call("shell.run", { command: "until test -e stop; do sleep 0.05; done" });
    await stream.until(overview(({ running }) => running[0]?.tool === "shell.run"));
    await crib.call("file.write", { path: "stop", content: "" });
    await running;
    await stream.until(has(({ tool, state }) => tool === "shell.run" && state === "ok"));
  });

  it("lists open sessions with their client, and removes closed ones", { tags: "slow" }, async () => {
    await using console = await openTestConsole();
    const crib = await console.open("one", { client: { kind: "mcp", name: "claude-code", version: "2" } });
    await crib.call("file.write", { path: "a", content: "" });
    const page = await console.login();
    await using stream = await page.events();
    const { overview: shown } = await stream.until(overview(({ sessions }) => sessions.length === 1));
    expect(shown.sessions[0]).toMatchObject({
      session: crib.session,
      state: "open",
      pid: process.pid,
      client: { kind: "mcp", name: "claude-code", version: "2" },
    });
    await crib.close();
    await stream.until(overview(({ sessions }) => sessions.length === 0));
  });

  it("resumes after the last event of a page, and misses nothing", async () => {
    await using console = await openTestConsole();
    const crib = await console.open("one");
    const page = await console.login();
    await crib.call("file.write", { path: "a", content: "" });
    const id = await lastId(page);
    await crib.call("file.write", { path: "b", content: "" });
    await using again = await page.events({ after: id });
    await again.until(has(({ title }) => title === "b"));
    expect(again.events.map(({ event }) => event.type)).not.toContain("missed");
    // A stream that breaks after its first event has not shown the call.
    await using third = await page.events({ after: again.events[0]!.id });
    await third.until(has(({ title }) => title === "b"));
  });

  it("goes on when a workspace is deleted, and when its journal is damaged", async () => {
    await using console = await openTestConsole();
    const [gone, broken, last] = [
      await console.open("gone"),
      await console.open("broken"),
      await console.open("last"),
    ];
    for (const crib of [gone, broken, last]) await crib.call("file.write", { path: "a", content: "" });
    const page = await console.login();
    await using stream = await page.events();
    const { overview: first } = await stream.until(overview(({ workspaces }) => workspaces.length === 3));
    const filesOf = (path: string) => workspaceFiles(console.directories.state, path).journal;
    await gone.close();
    await broken.close();
    rmSync(dirname(filesOf(gone.workspace)), { recursive: true });
    writeFileSync(filesOf(broken.workspace), "this is not a database, but it is long enough to look at");
    await last.call("file.write", { path: "after", content: "" });
    await stream.until(has(({ title }) => title === "after"));
    await stream.until(overview(({ workspaces }) => workspaces.length === 2));
    const id = first.workspaces.find(({ path }) => path === gone.workspace)!.id;
    const { status } = await console.send({
      path: `${page.api}/calls?workspace=${id}`,
      headers: page.headers,
    });
    expect(status).toBe(404);
    expect((await console.send({ path: `${page.api}/calls`, headers: page.headers })).status).toBe(200);
  });

  it("says that events are missed for an id of another console", async () => {
    await using console = await openTestConsole();
    const page = await console.login();
    await using stream = await page.events({ after: "12345678.99999" });
    await stream.until(({ type }) => type === "missed");
  });
});

async function lastId(page: Awaited<ReturnType<OpenConsole["login"]>>): Promise<string> {
  await using stream = await page.events();
  await stream.until(({ type }) => type === "overview");
  return stream.events.at(-1)!.id;
}
