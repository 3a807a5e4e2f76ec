import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { type OpenConsole, openTestConsole } from "../../../test/support/console/open-console.ts";
import type { Toolcrib } from "../../toolcrib/index.ts";
import { type SessionRecord, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { CallDetail, CallPage, Overview, SessionPage, UndoResult } from "../api.ts";

describe("POST /api/undo", () => {
  it("previews, undoes and redoes one hunk as a recorded call", async () => {
    await using console = await openTestConsole();
    const crib = await console.open("one");
    const { callId, before, after } = await editTwice(crib);
    const page = await console.login();
    const workspace = (await page.get<Overview>("/overview")).workspaces[0]!.id;
    const request = { workspace, calls: [callId], paths: ["a.txt"], hunk: 2 };
    const preview = await page.post("/undo", { ...request, dryRun: true });
    expect(preview.status).toBe(200);
    const planned = preview.json as UndoResult;
    expect([planned.callId, planned.files[0]!.hunks.length]).toEqual([null, 1]);
    expect(contentOf(crib)).toBe(after);
    const undone = (await page.post("/undo", { ...request, dryRun: false })).json as UndoResult;
    expect(contentOf(crib)).toBe(after.replace("late", "line 35"));
    const recorded = await page.get<CallDetail>(`/calls/${workspace}/${undone.callId}`);
    expect(recorded).toMatchObject({
      tool: "journal.undo",
      client: { kind: "console", version: "1.2.3" },
      undid: [callId],
    });
    await page.post("/undo", { workspace, redo: true, dryRun: false });
    expect(contentOf(crib)).toBe(after);
    await page.post("/undo", { workspace, session: crib.session, dryRun: false });
    expect(before).toContain("line 35");
    const whole = await page.get<CallDetail>(`/calls/${workspace}/${callId}`);
    expect([whole.undoable, whole.undoneBy]).toEqual(["undone", expect.stringMatching(/^call_/)]);
  });

  it("undoes several calls together, newest and oldest in any order", async () => {
    await using console = await openTestConsole();
    const crib = await console.open("one");
    const calls = [];
    for (const content of ["1", "2", "3"])
      calls.push((await crib.call("file.write", { path: "a.txt", content })).callId);
    const page = await console.login();
    const workspace = (await page.get<Overview>("/overview")).workspaces[0]!.id;
    await page.post("/undo", { workspace, calls: [calls[1], calls[2]], dryRun: false });
    expect(contentOf(crib)).toBe("1");
  });

  it("refuses with the reason when a later edit is in the way, and merges when asked to", async () => {
    await using console = await openTestConsole();
    const crib = await console.open("one");
    const { callId, after } = await editTwice(crib);
    writeFileSync(join(crib.workspace, "a.txt"), after.replace("line 20", "by hand"));
    const page = await console.login();
    const workspace = (await page.get<Overview>("/overview")).workspaces[0]!.id;
    const request = { workspace, calls: [callId], dryRun: false };
    const refused = await page.post("/undo", request);
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({
      error: {
        code: "stale",
        message: expect.stringContaining("a.txt has changed since"),
        hint: "Remove only these changes from the current files with “Keep later edits”.",
      },
    });
    expect((await page.post("/undo", { ...request, merge: true })).status).toBe(200);
    expect(contentOf(crib)).toContain("by hand");
    expect(contentOf(crib)).not.toContain("late");
  });

  it("uses one instance for many undos, closes it when it is idle, and does not show it", async () => {
    await using console = await openTestConsole({ idleMs: 1 });
    const crib = await console.open("one");
    const { callId } = await editTwice(crib);
    const page = await console.login();
    const workspace = (await page.get<Overview>("/overview")).workspaces[0]!.id;
    const undo = async (request: object) =>
      expect((await page.post("/undo", { workspace, dryRun: false, ...request })).status).toBe(200);
    const preview = { calls: [callId], dryRun: true };
    await Promise.all([undo(preview), undo(preview), undo(preview)]);
    expect(sessionsOf(crib, console).length).toBe(1);
    await vi.waitUntil(() => sessionsOf(crib, console).every(({ state }) => state === "closed"), 60_000);
    await undo({ calls: [callId] });
    expect(sessionsOf(crib, console).length).toBe(2);
    const { sessions } = await page.get<Overview>("/overview");
    expect(sessions.map(({ session }) => session)).toEqual([crib.session]);
    const listed = await page.get<SessionPage>("/sessions");
    expect(listed.sessions.map(({ session }) => session)).toEqual([crib.session]);
  });

  it("closes its instances with the console", async () => {
    const console = await openTestConsole();
    const crib = await console.open("one");
    const { callId } = await editTwice(crib);
    const page = await console.login();
    const workspace = (await page.get<Overview>("/overview")).workspaces[0]!.id;
    await page.post("/undo", { workspace, calls: [callId], dryRun: false });
    expect(sessionsOf(crib, console)).toMatchObject([{ state: "open" }]);
    await console.close();
    expect(sessionsOf(crib, console)).toMatchObject([{ state: "closed" }]);
    await console[Symbol.asyncDispose]();
  });

  it("opens another instance when another folder has taken the name of a workspace", async () => {
    await using console = await openTestConsole();
    const crib = await console.open("one");
    const { callId, before, after } = await editTwice(crib);
    const page = await console.login();
    const workspace = (await page.get<Overview>("/overview")).workspaces[0]!.id;
    await page.post("/undo", { workspace, calls: [callId], dryRun: true });
    renameSync(crib.workspace, `${crib.workspace} before`);
    mkdirSync(crib.workspace);
    writeFileSync(join(crib.workspace, "a.txt"), after);
    expect((await page.post("/undo", { workspace, calls: [callId], dryRun: false })).status).toBe(200);
    expect(contentOf(crib)).toBe(before);
    expect(readFileSync(join(`${crib.workspace} before`, "a.txt"), "utf8")).toBe(after);
  });

  it("records nothing when a page only looks at changes", async () => {
    await using console = await openTestConsole();
    const crib = await console.open("one");
    const { callId } = await editTwice(crib);
    const page = await console.login();
    const workspace = (await page.get<Overview>("/overview")).workspaces[0]!.id;
    const count = async () => (await page.get<CallPage>("/calls")).total;
    const before = await count();
    await page.get(`/calls/${workspace}/${callId}`);
    expect(await count()).toBe(before);
  });
});

/** Returns the recorded sessions of consoles. */
function sessionsOf({ workspace }: Toolcrib, { directories }: OpenConsole): readonly SessionRecord[] {
  const journal = new WorkspaceJournal({ state: directories.state, workspace });
  try {
    return journal.sessions().filter(({ client }) => client?.kind === "console");
  } finally {
    journal.close();
  }
}

function contentOf(crib: Toolcrib): string {
  return readFileSync(join(crib.workspace, "a.txt"), "utf8");
}

async function editTwice(crib: Toolcrib) {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const before = `${lines.join("\n")}\n`;
  const after = `${lines.with(2, "third").with(35, "late").join("\n")}\n`;
  await crib.call("file.write", { path: "a.txt", content: before });
  const { callId } = await crib.call("file.write", { path: "a.txt", content: after });
  return { callId, before, after };
}
