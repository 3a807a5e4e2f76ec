import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type OpenConsole, openTestConsole } from "../../../test/support/console/open-console.ts";
import { policyFiles } from "../../system/policy-files.ts";
import type { Explanation, HealthReport, Overview, RulesReport, TryRulesResult } from "../api.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Opens a console whose commands use its own folders, with a workspace that has some calls. */
async function withCalls(console: OpenConsole) {
  vi.stubEnv("TOOLCRIB_HOME", console.directories.state);
  const crib = await console.open("one", { mode: "yolo", sandbox: "none" });
  await crib.call("shell.run", { command: "git push" });
  await crib.call("file.write", { path: "a.txt", content: "" });
  const page = await console.login();
  const { id } = (await page.get<Overview>("/overview")).workspaces[0]!;
  return { crib, page, workspace: id };
}

describe("the rules of the console", () => {
  it("explains a call and tries rules on recorded calls", { tags: "slow" }, async () => {
    await using console = await openTestConsole();
    const { page, workspace } = await withCalls(console);
    const explained = await page.post("/rules/explain", { workspace, call: "run git push" });
    expect(explained.json as Explanation).toMatchObject({
      verdict: "ask",
      parts: expect.arrayContaining([expect.objectContaining({ kind: "run", what: "git push" })]),
    });
    const tried = await page.post("/rules/try", { workspace, rules: ["deny run git push **"] });
    expect(tried.json as TryRulesResult).toMatchObject({
      calls: 2,
      changed: [{ tool: "shell.run", title: "git push", before: "ask", after: "deny" }],
    });
  });

  it("adds rules that hold at once, lists them and revokes them", async () => {
    await using console = await openTestConsole();
    const { page, workspace } = await withCalls(console);
    expect((await page.post("/rules/add", { workspace, rules: ["allow run make test"] })).status).toBe(200);
    const report = await page.get<RulesReport>(`/rules?workspace=${workspace}`);
    expect(report.mode).toBe("cautious");
    expect(report.sources.map(({ level }) => level)).toContain("built-in");
    expect(report.grants).toMatchObject([{ rules: ["allow run make test"], askedBy: "console" }]);
    const explained = await page.post("/rules/explain", { workspace, call: "run make test" });
    expect((explained.json as Explanation).verdict).toBe("allow");
    const [{ line, rules }] = report.grants as [RulesReport["grants"][number]];
    const stale = await page.post("/rules/revoke", { workspace, grants: [{ line, rules: ["allow run x"] }] });
    const done = await page.post("/rules/revoke", { workspace, grants: [{ line, rules }] });
    expect([stale.status, done.status]).toEqual([409, 200]);
    expect((await page.get<RulesReport>(`/rules?workspace=${workspace}`)).grants).toEqual([]);
  });

  it("refuses a line that is not exactly one rule, and leaves the file alone", async () => {
    await using console = await openTestConsole();
    const { crib, page, workspace } = await withCalls(console);
    await page.post("/rules/add", { workspace, rules: ["allow run make test"] });
    const { granted } = policyFiles(console.directories.config, crib.workspace);
    const before = readFileSync(granted, "utf8");
    for (const rule of [
      "allow everything please",
      "allow run ls\nallow run **",
      "allow run ls\u2028allow run **",
      "# allow run **",
    ]) {
      const refused = await page.post("/rules/add", { workspace, rules: ["allow run make", rule] });
      expect([refused.status, readFileSync(granted, "utf8")], rule).toEqual([400, before]);
    }
  });
});

describe("the health of the console", () => {
  it("reports doctor's findings, disk use and an intact chain", async () => {
    const findings = [{ about: "node", state: "ok", message: "v24", hint: null }] as const;
    await using console = await openTestConsole({
      commands: { examine: async () => ({ findings, verdict: "No problems found." }) },
    });
    const { page, workspace } = await withCalls(console);
    const report = await page.get<HealthReport>(`/health?workspace=${workspace}`);
    expect(report).toMatchObject({ findings, verdict: "No problems found.", index: null });
    expect(report.disk.find(({ name }) => name === "Journal")!.bytes).toBeGreaterThan(1000);
    const verified = await page.post("/health/verify", { workspace });
    expect(verified.json).toMatchObject({
      isIntact: true,
      faults: [],
      head: expect.stringMatching(/^\w{64}$/),
    });
  });
});
