import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTestConsole } from "../../../test/support/console/open-console.ts";
import { missingHere } from "../../../test/support/sandbox-fixture.ts";
import { Quarantine } from "../../engine/sandbox/quarantine.ts";
import { recordFolders } from "../../sandbox/restore-abandoned.ts";
import type { CallDetail, CallPage, Overview } from "../api.ts";

const hasNoSandbox = (await missingHere("bwrap")) !== undefined;

describe("GET /api/calls", () => {
  it("lists calls of all workspaces, newest first, page by page", async () => {
    await using console = await openTestConsole();
    const [one, two] = [await console.open("one"), await console.open("two")];
    for (const text of ["1", "2", "3"]) {
      await one.call("file.write", { path: `a${text}.txt`, content: text });
      await two.call("file.write", { path: `b${text}.txt`, content: text });
    }
    const page = await console.login();
    const first = await page.get<CallPage>("/calls?limit=4");
    const second = await page.get<CallPage>(`/calls?limit=4&before=${first.next}`);
    expect([...first.calls, ...second.calls].map(({ title }) => title)).toEqual([
      ...["b3.txt", "a3.txt", "b2.txt", "a2.txt", "b1.txt", "a1.txt"],
    ]);
    expect([first.total, second.total, second.next]).toEqual([6, null, null]);
  });

  it("filters by workspace, tool and text", async () => {
    await using console = await openTestConsole();
    const one = await console.open("one");
    await one.call("file.write", { path: "a.txt", content: "x" });
    await one.call("file.read", { path: "a.txt" });
    await one.call("file.read", { path: "missing.txt" });
    await one.close();
    const page = await console.login();
    const titles = async (query: string) =>
      (await page.get<CallPage>(`/calls?${query}`)).calls.map(({ tool, title }) => `${tool} ${title}`);
    expect(await titles("tool=file.read")).toEqual(["file.read missing.txt", "file.read a.txt"]);
    expect(await titles("failed=1")).toEqual(["file.read missing.txt"]);
    expect(await titles("text=a.txt&tool=file.write")).toEqual(["file.write a.txt"]);
  });

  it.skipIf(hasNoSandbox)("counts and shows what was held back, until the user allows it", async () => {
    await using console = await openTestConsole();
    const one = await console.open("one", { mode: "yolo" });
    writeFileSync(join(one.workspace, "make.sh"), "echo x > .envrc\n");
    const { callId } = await one.call("shell.run", { command: "sh make.sh" });
    const page = await console.login();
    const { heldBack, workspaces } = await page.get<Overview>("/overview");
    const [workspace, [entry]] = [workspaces[0]!.id, heldBack];
    expect(heldBack).toEqual([
      {
        workspace,
        id: expect.stringMatching(/^\w{6}$/),
        path: ".envrc",
        heldAt: expect.any(Number),
        isAllowed: false,
        rule: "allow write .envrc",
      },
    ]);
    const { calls } = await page.get<CallPage>("/calls");
    const { heldEntries } = await page.get<CallDetail>(`/calls/${workspace}/${callId}`);
    expect([calls.map((call) => call.heldBack), heldEntries]).toEqual([[1], heldBack]);
    const { quarantine } = recordFolders(join(console.directories.state, "workspaces", workspace, "sandbox"));
    const store = new Quarantine({ folder: quarantine, workspace: one.workspace });
    store.allow(store.find(entry!.id)!);
    const after = await page.get<CallDetail>(`/calls/${workspace}/${callId}`);
    expect([(await page.get<Overview>("/overview")).heldBack, after.heldEntries]).toEqual([
      [],
      [{ ...entry, isAllowed: true }],
    ]);
  });

  it("shows input, decision, the changed files with numbered hunks, and the first output", async () => {
    await using console = await openTestConsole();
    const one = await console.open("one");
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    writeFileSync(join(one.workspace, "a.txt"), `${lines.join("\n")}\n`);
    await one.call("file.read", { path: "a.txt" });
    const changed = lines.with(2, "third").with(35, "late").join("\n");
    const { callId } = await one.call("file.write", { path: "a.txt", content: `${changed}\n` });
    const page = await console.login();
    const { workspaces } = await page.get<Overview>("/overview");
    const detail = await page.get<CallDetail>(`/calls/${workspaces[0]!.id}/${callId}`);
    expect(detail).toMatchObject({
      tool: "file.write",
      title: "a.txt",
      state: "ok",
      undoable: "whole",
      decision: { verdict: "allow" },
      files: { created: 0, changed: 1, removed: 0 },
      undoneBy: null,
      undid: [],
      output: null,
    });
    const [file] = detail.changed;
    expect(file).toMatchObject({ path: "a.txt", kind: "changed", note: null });
    expect(file!.hunks.map(({ number, oldStart }) => [number, oldStart])).toEqual([
      [1, 1],
      [2, 33],
    ]);
    expect(file!.hunks[0]!.lines.filter(({ kind }) => kind !== " ")).toEqual([
      { kind: "-", text: "line 2" },
      { kind: "+", text: "third" },
    ]);
  });

  it("redacts secrets in diffs and leaves out files that tools must not read", async () => {
    await using console = await openTestConsole();
    const one = await console.open("one", { mode: "yolo", sandbox: "none" });
    // In two pieces, so that no scanner takes it for a real one.
    const key = `ghp_${"kD8vQ2mZr5XbN7tLwY3c"}${"P9sHfJ6uAeG4oVqR"}`;
    const written = await one.call("file.write", { path: "notes.txt", content: `token ${key}\n` });
    const hidden = await one.call("file.write", { path: "private/plan.txt", content: "sell the house\n" });
    mkdirSync(console.directories.config, { recursive: true });
    writeFileSync(join(console.directories.config, "rules"), "deny read private/**\n");
    const page = await console.login();
    const { workspaces } = await page.get<Overview>("/overview");
    const details = await Promise.all(
      [written, hidden].map(({ callId }) => page.get<CallDetail>(`/calls/${workspaces[0]!.id}/${callId}`)),
    );
    expect(JSON.stringify(details)).not.toContain(key);
    expect(details[1]!.changed.map(({ path, hunks }) => [path, hunks])).toEqual([
      ["private", []],
      ["private/plan.txt", []],
    ]);
    expect(details[1]!.changed[1]!.note).toContain("must not be read (deny read private/**");
  });

  it("pages through a stored output", async () => {
    await using console = await openTestConsole();
    const one = await console.open("one", { mode: "yolo", sandbox: "none" });
    const { callId } = await one.call("shell.run", { command: "seq 60000" });
    const page = await console.login();
    const { workspaces } = await page.get<Overview>("/overview");
    const { output } = await page.get<CallDetail>(`/calls/${workspaces[0]!.id}/${callId}`);
    let whole = output!.text;
    for (let next = output!.next; next !== null; ) {
      const part = await page.get<NonNullable<CallDetail["output"]>>(
        `/outputs/${workspaces[0]!.id}/${output!.handle}?offset=${next}`,
      );
      whole += part.text;
      next = part.next;
    }
    expect(whole.trim().split("\n").at(-1)).toBe("60000");
    expect(Buffer.byteLength(whole)).toBe(output!.bytes);
  });
});
