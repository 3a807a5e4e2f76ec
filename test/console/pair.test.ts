/** @module-tag slow */
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtProgram } from "../support/built-program.ts";
import { type OpenConsole, openTestConsole } from "../support/console/open-console.ts";
import { missingBrowser, startBrowser, still } from "./browser.ts";

/** Another device, for which the console has an address of its own. 127.0.0.1 stands for it, because tests have no network. */
describe.skipIf(missingBrowser)("a paired device (with Chromium)", () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let console: OpenConsole;

  beforeAll(async () => {
    console = await openTestConsole({
      pair: { host: "127.0.0.1", onEvent: () => {} },
      pageFolder: join(builtProgram, "../console"),
    });
    const crib = await console.open("one");
    await crib.call("file.write", { path: "a.txt", content: "a" });
    browser = await startBrowser();
    context = await browser.newContext({
      ...still,
      ignoreHTTPSErrors: true,
      viewport: { width: 390, height: 800 },
    });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
  });

  afterAll(async () => {
    await browser?.close();
    await console?.[Symbol.asyncDispose]();
  });

  it("asks for the code, says that one is wrong, and opens the console", async () => {
    const { address, newCode } = console.pairing!;
    const code = newCode();
    await page.goto(address);
    expect(await page.locator("script, link, style").count()).toBe(0);
    await page.getByLabel("Code").fill("AAAA-AAAA");
    await page.getByRole("button").click();
    await page.getByText("This code is wrong").waitFor();
    // The next try must wait for a second.
    await expect
      .poll(
        async () => {
          await page.getByLabel("Code").fill(code.toLowerCase());
          await page.getByRole("button").click();
          await page.waitForLoadState();
          return page.getByText("Wait a second").count();
        },
        { timeout: 30_000, interval: 500 },
      )
      .toBe(0);
    await page.getByRole("heading", { name: "Now" }).first().waitFor();
    await page.goto(`${address}/#/trace`);
    await page.getByText("a.txt").first().waitFor();
    const cookies = await context.cookies(`${address}/api/x`);
    expect(
      cookies.every(({ secure, httpOnly, sameSite }) => secure && httpOnly && sameSite === "Strict"),
    ).toBe(true);
    await page.reload();
    await page.getByText("a.txt").first().waitFor();
  });

  it("cannot be paired by a page of another site, which has the code", async () => {
    const { address, newCode } = console.pairing!;
    const code = newCode();
    const other = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    await other.route("https://attacker.example/", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<form method="post" action="${address}/pair"><input name="code" value="${code}"></form><script>document.forms[0].submit()</script>`,
      }),
    );
    const answered = other.waitForResponse(`${address}/pair`);
    await other.goto("https://attacker.example/");
    expect((await answered).status()).toBe(403);
    await other.context().close();
  });
});
