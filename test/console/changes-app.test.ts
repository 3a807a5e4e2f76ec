/** @module-tag slow */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPage } from "../../scripts/build-page.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { missingBrowser, startBrowser } from "./browser.ts";

/** The view of MCP Apps in a real browser, in a host that speaks its protocol. */
const folder = temporaryFolder();
let browser: Browser;
let page: Page;
let html = "";
const errors: string[] = [];

beforeAll(async () => {
  if (missingBrowser !== undefined) return;
  [browser] = await Promise.all([startBrowser(), buildPage(folder.path)]);
  html = readFileSync(join(folder.path, "changes.html"), "utf8");
  page = await browser.newPage();
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.addScriptTag({ path: join(import.meta.dirname, "app-host.js") });
  await page.waitForFunction("'showView' in globalThis");
});
afterAll(async () => {
  await browser?.close();
  await folder[Symbol.asyncDispose]();
});

const diff = "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n one\n-two\n+<img src=x onerror=alert(1)>\n";

describe.skipIf(missingBrowser)("the view of changes (with Chromium)", () => {
  it("shows the state of the call, then its changes as text, without faults of accessibility", async () => {
    const view = await show();
    await view.getByText("If it needs your approval, your client asks you.").waitFor();
    await send({ content: [{ type: "text", text: "Edited notes.md." }], _meta: { "toolcrib/diff": diff } });
    await view.getByText("The call is done.").waitFor();
    expect(await view.locator(".file-diff .path").textContent()).toBe("notes.md");
    expect(await view.locator("tr.removed .code").textContent()).toBe("two");
    expect(await view.locator("tr.added .code").textContent()).toBe("<img src=x onerror=alert(1)>");
    await view.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
    const faults = await view.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))");
    expect(faults).toEqual([]);
    expect(await page.evaluate("calledTools")).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("shows why a call failed, and loads nothing", async () => {
    const view = await show();
    await send({ isError: true, content: [{ type: "text", text: "Denied: a rule denies it" }] });
    await view.getByText("The call failed.").waitFor();
    expect(await view.locator("pre").textContent()).toBe("Denied: a rule denies it");
    const loaded = await view.evaluate("fetch('https://example.com').then(() => 'loaded', () => 'refused')");
    expect(loaded).toBe("refused");
    expect(html).not.toMatch(/(?:src|href)=/);
  });
});

async function show(): Promise<Frame> {
  await page.evaluate(`showView(${JSON.stringify(html)})`);
  return page.frames().at(-1)!;
}

function send(result: object): Promise<unknown> {
  return page.evaluate(`sendResult(${JSON.stringify(result)})`);
}
