/** @module-tag slow */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { launcher } from "../../../test/support/built-program.ts";
import { type CliWithModel, cliWithModel } from "../../../test/support/cli-with-model.ts";
import { type OpenConsole, openTestConsole } from "../../../test/support/console/open-console.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import type { ConsoleEvent, Overview, SessionAnswer, SessionDetail, SessionPage } from "../api.ts";

type Changed = Extract<ConsoleEvent, { type: "overview" }>;
const overview =
  (isWanted: (overview: Overview) => boolean) =>
  (event: ConsoleEvent): event is Changed =>
    event.type === "overview" && isWanted(event.overview);

const started: number[] = [];

afterAll(() => {
  for (const pid of started.filter(isAlive)) process.kill(pid, "SIGKILL");
});

function consoleFor(fixture: CliWithModel): Promise<OpenConsole> {
  return openTestConsole({
    home: fixture.home,
    run: { program: [process.execPath, launcher], variables: fixture.env },
  });
}

/** Makes one call in the workspace of the fixture, so that the console knows it. */
async function idOf(fixture: CliWithModel, page: Awaited<ReturnType<OpenConsole["login"]>>): Promise<string> {
  await fixture.run("call", "file.write", "--path", "a.txt", "--content", "one");
  return (await page.get<Overview>("/overview")).workspaces[0]!.id;
}

async function untilClosed(page: Awaited<ReturnType<OpenConsole["login"]>>, session: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { sessions } = await page.get<Overview>("/overview");
      expect(sessions.map((one) => one.session)).not.toContain(session);
    },
    { timeout: 30_000, interval: 100 },
  );
}

describe("sessions in the console", () => {
  it("starts an agent, answers its question, steers it and shows its conversation", async () => {
    await using fixture = await cliWithModel([
      { calls: [{ name: "file_delete", input: { path: "a.txt" } }] },
      { text: "Deleted. The key is ghp_kD8vQ2mZr5XbN7tLwY3cP9sHfJ6uAeG4oVqR." },
    ]);
    fixture.write(join(fixture.home, "config/config.toml"), `dialect = "toolcrib"\n`);
    await using console = await consoleFor(fixture);
    const page = await console.login();
    const workspace = await idOf(fixture, page);
    await using stream = await page.events();
    const answer = await page.post("/sessions/start", { workspace, task: "Delete a.txt.", mode: "safe" });
    const { session } = answer.json as SessionAnswer;
    const { overview: asked } = await stream.until(
      overview(
        ({ approvals, sessions }) =>
          approvals.length === 1 && sessions.some(({ live }) => live === "awaiting"),
      ),
    );
    const [open] = asked.sessions.filter((one) => one.session === session);
    started.push(open!.pid!);
    expect(open).toMatchObject({ client: { kind: "run" }, title: "Delete a.txt.", canSteer: true, turns: 1 });
    const steered = await page.post("/sessions/act", {
      workspace,
      session,
      action: "message",
      text: "Be brief.",
    });
    expect(steered.json).toEqual({ workspace, session });
    const { id, shown } = asked.approvals[0]!;
    await page.post("/approvals/answer", { workspace, id, shown, answer: "once" });
    await untilClosed(page, session);
    expect(existsSync(join(fixture.workspace, "a.txt"))).toBe(false);
    const detail = await page.get<SessionDetail>(`/sessions/${workspace}/${session}`);
    expect(detail.entries.map((item) => (item.type === "call" ? item.tool : item.text))).toEqual([
      "Delete a.txt.",
      "file.delete",
      "Be brief.",
      expect.stringContaining("Deleted. The key is [redacted"),
    ]);
    expect(detail.entries[1]).toMatchObject({
      state: "ok",
      title: "a.txt",
      callId: expect.stringMatching(/^call_/),
    });
    expect(detail.usage).toHaveLength(2);
    expect(detail).toMatchObject({ live: null, canSteer: false, state: "closed" });
    const kinds = async (query: string) =>
      (await page.get<SessionPage>(`/sessions?${query}`)).sessions.map(({ client }) => client?.kind);
    expect([await kinds(""), await kinds("all=1")]).toEqual([["run"], ["run", "cli"]]);
  });

  it("lists, exports and forks recorded conversations", async () => {
    await using fixture = await cliWithModel([{ text: "Nothing to do." }, { text: "Still nothing." }]);
    await using console = await consoleFor(fixture);
    const page = await console.login();
    await fixture.run("run", "Look around.");
    const { workspaces } = await page.get<Overview>("/overview");
    const workspace = workspaces[0]!.id;
    const [first] = (await page.get<SessionPage>(`/sessions?workspace=${workspace}`)).sessions;
    expect(first).toMatchObject({ title: "Look around.", state: "closed", turns: 1 });
    const session = first!.session;
    const exported = await console.send({
      path: `${page.api}/sessions/${workspace}/${session}/export`,
      headers: page.headers,
    });
    expect(exported.headers["content-disposition"]).toBe(`attachment; filename="${session}.md"`);
    expect(exported.body).toContain("Nothing to do.");
    const forked = (await page.post("/sessions/act", { workspace, session, action: "fork" }))
      .json as SessionAnswer;
    expect(forked.session).not.toBe(session);
    const copy = await page.get<SessionDetail>(`/sessions/${workspace}/${forked.session}`);
    expect([copy.title, copy.cost, copy.usage]).toEqual(["Look around.", 0, []]);
    const refused = await page.post("/sessions/act", { workspace, session, action: "interrupt" });
    expect(refused.status).toBe(503);
    await fixture.run("sessions", "rm", session);
    const removed = await page.get<SessionDetail>(`/sessions/${workspace}/${session}`);
    expect([removed.title, removed.entries]).toEqual([null, []]);
    const again = { workspace, session: forked.session, action: "message", text: "And now?" };
    expect((await page.post("/sessions/act", again)).status).toBe(200);
    await vi.waitFor(
      async () => {
        const { entries } = await page.get<SessionDetail>(`/sessions/${workspace}/${forked.session}`);
        expect(JSON.stringify(entries)).toContain("Still nothing.");
      },
      { timeout: 30_000, interval: 200 },
    );
  });

  it("streams what an agent says to the page that shows it, and interrupts it", async () => {
    await using fixture = await cliWithModel([{ text: "I think about it.", fault: "hang-during" }]);
    await using console = await consoleFor(fixture);
    const page = await console.login();
    const workspace = await idOf(fixture, page);
    const answer = await page.post("/sessions/start", { workspace, task: "Think." });
    const { session } = answer.json as SessionAnswer;
    await using stream = await page.events({ session: `${workspace}/${session}` });
    await stream.until(overview(({ sessions }) => sessions.some(({ live }) => live === "processing")));
    const stopped = await page.post("/sessions/act", { workspace, session, action: "stop" });
    expect(stopped.status).toBe(200);
    await stream.until((event) => event.type === "session" && event.live.type === "state");
    await untilClosed(page, session);
  });
});
