/** @module-tag slow */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openTestConsole } from "../../../test/support/console/open-console.ts";
import { commandTarget } from "../../../test/support/remote/command-target.ts";
import type { CallDetail, CallPage, Overview, PendingQuestion } from "../api.ts";

it("names the target of workspaces, calls and questions, examines it and undoes there", async () => {
  await using there = commandTarget("cd");
  await using console = await openTestConsole({
    commands: { examine: async (workspace) => ({ findings: [], verdict: workspace }) },
  });
  const target = there.target.name;
  const poem = join(there.home, "poem.txt");
  writeFileSync(poem, "one\n");
  const crib = await console.open("unused", {
    workspace: undefined,
    target,
    pendingApprovals: true,
    rules: ["ask run touch made.txt"],
  });
  const { callId } = await crib.call("file.write", { path: "poem.txt", content: "two\n" });
  await crib.call("shell.run", { command: "touch made.txt" });
  const page = await console.login();
  const overview = await vi.waitFor(async () => {
    const found = await page.get<Overview>("/overview");
    expect(found.approvals).toHaveLength(1);
    return found;
  });
  const [info] = overview.workspaces;
  expect(info).toMatchObject({ path: target, exists: true });
  expect(overview.approvals).toMatchObject([
    { target, title: "touch made.txt" } satisfies Partial<PendingQuestion>,
  ]);
  const { calls } = await page.get<CallPage>("/calls");
  expect(calls.map((call) => [call.tool, call.target])).toEqual([
    ["shell.run", target],
    ["file.write", target],
  ]);
  const workspace = info!.id;
  const detail = await page.get<CallDetail>(`/calls/${workspace}/${callId}`);
  expect(detail).toMatchObject({ target, undoable: "whole", changed: [{ path: "poem.txt" }] });
  expect(await page.get(`/health?workspace=${workspace}`)).toMatchObject({ verdict: target });
  const undone = await page.post("/undo", { workspace, calls: [callId], dryRun: false });
  expect(undone.status).toBe(200);
  expect(readFileSync(poem, "utf8")).toBe("one\n");
});
