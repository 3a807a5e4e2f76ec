/** @module-tag slow */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsOf } from "./accessibility.ts";
import { missingBrowser } from "./browser.ts";
import { press, type ShownPage, settle, showPage, tabTo } from "./shown-page.ts";

/** What the page asks the server for, in a real browser with made-up data. No test uses a mouse. */
describe.skipIf(missingBrowser)("the page, by keys alone (with Chromium)", () => {
  let shown: ShownPage;
  let page: Page;
  beforeAll(async () => {
    shown = await showPage();
    page = shown.page;
  });
  afterAll(() => shown?.[Symbol.asyncDispose]());

  const posted = () => shown.server.posted.map(({ body }) => body);
  const refusal = {
    error: { code: "stale", message: "login.ts changed later, by call-99998.", hint: null },
  };

  it("takes a key as soon as its button is visible", async () => {
    await shown.open("#/trace");
    await page.evaluate(`const observer = new MutationObserver(() => {
      if (!document.querySelector(".details-bar kbd")) return;
      observer.disconnect();
      dispatchEvent(new KeyboardEvent("keydown", { key: "u" }));
    });
    observer.observe(document.body, { childList: true, subtree: true })`);
    await shown.go("#/trace/w-main/call-99994");
    await page.getByRole("dialog", { name: "Undo this call" }).waitFor();
    await press(page, "Escape");
  });

  it("undoes a hunk after a preview, and offers a redo", async () => {
    await shown.open("#/trace/w-main/call-99994");
    await tabTo(page, "button", "Undo hunk 2");
    await press(page, "Enter");
    const dialog = page.getByRole("dialog", { name: "Undo a change in src/server/login.ts" });
    await dialog.getByText("Fix the login").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, "button", "Undo");
    await press(page, "Enter");
    await page.getByText("Undid 1 file.").waitFor();
    await tabTo(page, "button", "Redo");
    await press(page, "Enter");
    await page.getByRole("dialog", { name: "Redo the latest undo" }).getByText("Fix the login").waitFor();
    await tabTo(page, "button", "Redo");
    await press(page, "Enter");
    await page.getByText("Redid 1 file.").waitFor();
    const undo = { workspace: "w-main", calls: ["call-99994"], paths: ["src/server/login.ts"], hunk: 2 };
    const redo = { workspace: "w-main", redo: true };
    expect(posted()).toEqual([
      { ...undo, dryRun: true },
      { ...undo, dryRun: false },
      { ...redo, dryRun: true },
      { ...redo, dryRun: false },
    ]);
  });

  it.each([
    ["a call", "#/trace/w-main/call-99994", { calls: ["call-99994"] }],
    ["a session", "#/sessions/w-main/s-agent", { session: "s-agent" }],
  ])("says why an undo of %s is refused, and offers what is still possible", async (_name, hash, what) => {
    await shown.open(hash);
    shown.server.answers.set("/api/undo", { status: 409, body: refusal });
    await press(page, "u");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("login.ts changed later, by call-99998.").waitFor();
    if ("calls" in what) expect(await faultsOf(page)).toEqual([]);
    const undo = dialog.getByRole("button", { name: "Undo", exact: true });
    expect(await undo.isDisabled()).toBe(true);
    shown.server.answers.clear();
    await tabTo(page, "checkbox", "Keep later edits, where they do not overlap");
    await press(page, "Space");
    await expect.poll(() => undo.isEnabled()).toBe(true);
    expect(posted()).toEqual([
      { workspace: "w-main", ...what, dryRun: true },
      { workspace: "w-main", ...what, merge: true, dryRun: true },
    ]);
    await press(page, "Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("keeps the preview open with the reason when the undo itself is refused", async () => {
    await shown.open("#/trace/w-main/call-99994");
    await press(page, "u");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Fix the login").waitFor();
    shown.server.answers.set("/api/undo", { status: 409, body: refusal });
    await tabTo(page, "button", "Undo");
    await press(page, "Enter");
    await dialog.getByRole("alert").getByText("login.ts changed later, by call-99998.").waitFor();
    await press(page, "Escape");
  });

  it("steers, interrupts and stops a session", async () => {
    await shown.open("#/sessions/w-main/s-agent");
    await press(page, "m");
    await page.keyboard.type("Run the tests first.");
    await press(page, "Control+Enter");
    await expect.poll(() => shown.server.posted.length).toBe(1);
    await press(page, "Escape", "i");
    await expect.poll(() => shown.server.posted.length).toBe(2);
    await tabTo(page, "button", "Stop");
    await press(page, "Enter");
    await expect.poll(() => shown.server.posted.length).toBe(3);
    shown.server.send({
      type: "session",
      workspace: "w-main",
      session: "s-agent",
      live: { type: "text", id: "1", text: "I run <b>them</b>." },
    });
    await page.getByText("I run <b>them</b>.").waitFor();
    const named = { workspace: "w-main", session: "s-agent" };
    expect(posted()).toEqual([
      { ...named, action: "message", text: "Run the tests first." },
      { ...named, action: "interrupt" },
      { ...named, action: "stop" },
    ]);
  });

  it("lets the user leave while a message is sent", async () => {
    await shown.open("#/sessions/w-main/s-agent");
    const { promise: after, resolve } = Promise.withResolvers<void>();
    const body = { workspace: "w-main", session: "s-fork" };
    shown.server.answers.set("/api/sessions/act", { status: 200, body, after });
    await press(page, "m");
    await page.keyboard.type("Run the tests first.");
    await press(page, "Control+Enter");
    await expect.poll(() => shown.server.posted.length).toBe(1);
    await shown.go("#/health");
    await page.getByRole("region", { name: "Findings" }).waitFor();
    const answered = page.waitForResponse("**/api/sessions/act");
    resolve();
    await (await answered).finished();
    await settle(page);
    expect([new URL(page.url()).hash, shown.errors]).toEqual(["#/health", []]);
  });

  it("starts a session", async () => {
    await shown.open("#/sessions");
    await press(page, "c");
    const dialog = page.getByRole("dialog", { name: "Start a session" });
    await dialog.getByLabel("Task").and(page.locator(":focus")).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.insertText("Fix the build");
    await tabTo(page, "button", "Start");
    await press(page, "Enter");
    await dialog.waitFor({ state: "detached" });
    expect(posted()).toEqual([{ workspace: "w-main", task: "Fix the build", mode: "cautious" }]);
    expect(new URL(page.url()).hash).toBe("#/sessions/w-main/s-agent");
  });

  it("walks through sessions with their forks below them, and opens subagents", async () => {
    await shown.open("#/sessions");
    const rows = page.locator(".session-row");
    expect(await page.locator(".rows > li").evaluateAll(levels)).toEqual(["1", "1", "1", "1", "2"]);
    expect(await rows.last().textContent()).toContain("fork");
    await press(page, "j", "j", "j", "j", "j");
    await expect.poll(() => new URL(page.url()).hash).toBe("#/sessions/w-main/s-fork");
    await page.getByText("forked from session").waitFor();
    await press(page, "k");
    await expect.poll(() => new URL(page.url()).hash).toBe("#/sessions/w-main/s-died");
    const agents = page.getByRole("region", { name: "Subagents" });
    await agents.locator(".agents .agents", { hasText: "Find every use of login" }).waitFor();
    const task = agents.getByText("Name every input that reaches the login.").last();
    expect(await task.isVisible()).toBe(false);
    await agents.locator("summary").first().press("Enter");
    await task.waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("forks a session at its end and before a message", async () => {
    await shown.open("#/sessions/w-main/s-agent");
    for (const name of ["Fork", "Fork before this"]) {
      await tabTo(page, "button", name);
      await press(page, "Enter");
    }
    const fork = { workspace: "w-main", session: "s-agent", action: "fork" };
    await expect.poll(posted).toEqual([fork, { ...fork, turn: 1 }]);
  });

  it("tries rules before it adds them, and revokes a grant by its line and text", async () => {
    await shown.open("#/rules/w-main");
    const add = page.getByRole("button", { name: "Add", exact: true });
    expect(await add.isDisabled()).toBe(true);
    await tabTo(page, "textbox", "Rules, one per line");
    await page.keyboard.insertText("allow run npm test\n\nask run make");
    await tabTo(page, "button", "Try");
    await press(page, "Enter");
    await page.getByText("3 verdicts of 79,999 recorded calls would change:").waitFor();
    await tabTo(page, "button", "Add");
    await press(page, "Enter");
    await page.getByText("Added 2 rules.").waitFor();
    await tabTo(page, "button", "Revoke allow run npm test");
    await press(page, "Enter");
    await page.getByText("Revoked 1 rule.").waitFor();
    const rules = { workspace: "w-main", rules: ["allow run npm test", "ask run make"] };
    expect(posted()).toEqual([
      rules,
      rules,
      { workspace: "w-main", grants: [{ line: 1, rules: ["allow run npm test"] }] },
    ]);
    expect(shown.errors).toEqual([]);
  });

  it("does not add rules that were changed after the trial", async () => {
    await shown.open("#/rules/w-main");
    await tabTo(page, "textbox", "Rules, one per line");
    await page.keyboard.insertText("allow run npm test");
    await tabTo(page, "button", "Try");
    await press(page, "Enter");
    await page.getByText("would change").waitFor();
    await press(page, "Shift+Tab");
    await page.keyboard.type(" *");
    expect(await page.getByRole("button", { name: "Add", exact: true }).isDisabled()).toBe(true);
  });
});

function levels(items: readonly { ariaLevel: string | null }[]): readonly (string | null)[] {
  return items.map(({ ariaLevel }) => ariaLevel);
}
