/** @module-tag slow */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fleets, hostileName } from "../support/console/fixture.ts";
import { faultsOf } from "./accessibility.ts";
import { missingBrowser } from "./browser.ts";
import { press, type ShownPage, showPage } from "./shown-page.ts";

/** The pages of fleets in a real browser, with made-up data of 10,000 runs. */
describe.skipIf(missingBrowser)("the pages of fleets (with Chromium)", () => {
  let shown: ShownPage;
  let page: Page;
  beforeAll(async () => {
    shown = await showPage();
    page = shown.page;
    await shown.open("#/now");
  });
  beforeEach(() => {
    shown.server.answers.clear();
    shown.server.posted.length = 0;
  });
  afterAll(() => shown?.[Symbol.asyncDispose]());

  it("goes from the list to a fleet, a run and back by keys", async () => {
    await press(page, "g", "f");
    await page.getByRole("link", { name: /^nightly/ }).waitFor();
    await press(page, "j", "Enter");
    await page.getByRole("heading", { name: "nightly" }).waitFor();
    await page.locator(".run-row").first().waitFor();
    await press(page, "j", "j", "Enter");
    await page.getByRole("heading", { name: "parser-1", exact: true }).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("details");
    await press(page, "Escape");
    await expect.poll(() => page.locator("#details").count()).toBe(0);
    await press(page, "Escape");
    await page.getByRole("region", { name: "List of fleets" }).waitFor();
  });

  it("shows progress, spending, workers and paused lanes", async () => {
    await shown.show("#/fleets/nightly");
    const head = page.locator(".fleet-head");
    expect(await head.getByRole("img").getAttribute("aria-label")).toBe(
      "Progress: 3570 solved, 952 unsolved, 119 infrastructure, 119 cancelled, 16 running, 24 parked, 5200 waiting",
    );
    const text = await head.textContent();
    for (const part of ["4,760 of 10,000 runs ended", "$312.40 of $500.00 spent", "about 3 h 26 min left"])
      expect(text).toContain(part);
    await head.locator("summary").click();
    await head.getByText("paused for 45.0 s").waitFor();
    await head.getByText("draining").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("keeps few of 10,000 rows in the document, and reaches the last", async () => {
    await shown.show("#/fleets/nightly");
    const scroller = page.getByRole("region", { name: "List of runs" });
    await page.locator(".run-row").first().waitFor();
    await scroller.evaluate((element) => element.scrollTo(0, 10_000 * 32));
    await page.locator('.virtual > li[aria-posinset="10000"]').getByText("parser-9999").waitFor();
    expect(await page.locator(".virtual > li").count()).toBeLessThan(100);
    await scroller.evaluate((element) => element.scrollTo(0, 5_000 * 32));
    await page.getByText("parser-5000").waitFor();
  });

  it("filters by state, outcome and text in the address", async () => {
    await shown.show("#/fleets/nightly?show=infrastructure");
    await page.getByText("120 runs").waitFor();
    await page.getByLabel("State or outcome").selectOption("parked");
    await page.getByText("24 runs").waitFor();
    await page.keyboard.press("Escape");
    await shown.show("#/fleets/nightly");
    await page.locator(".run-row").first().waitFor();
    await press(page, "/");
    await page.keyboard.type("parser-77");
    await page.getByText("111 runs").waitFor();
    expect(page.url()).toContain("text=parser-77");
    await press(page, "Escape", "x");
    await page.getByText("10,000 runs", { exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/fleets/nightly");
  });

  it("shows the session of a run, which is loaded when it is opened", async () => {
    await shown.show("#/fleets/nightly/run_1");
    await page.locator("details.run-session > summary").click();
    await page.getByText("Fix the login so that a code counts only once.").waitFor();
    // Its calls are not in a workspace of this console.
    expect(await page.locator(".run-session a[href]").count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
  });

  it("shows hostile names, reasons and answers as text", async () => {
    await shown.show("#/fleets/nightly/run_0");
    const visible = hostileName.replace("\u202e", "<U+202E>");
    expect(await page.locator(".call-title").textContent()).toBe(visible);
    const details = await page.locator("#details").textContent();
    expect(details).toContain('<script>alert("run")</script> <U+202E> reversed <U+001B>[31mred');
    expect(await page.locator("main img, script:not([src]), iframe, a[href^=http]").count()).toBe(0);
    await shown.show("#/fleets");
    await page.getByRole("link", { name: visible }).click();
    await page.getByRole("heading", { name: visible }).waitFor();
    expect(shown.errors).toEqual([]);
  });

  it.each([
    ["#/fleets/nightly", "Cancel", "Cancel 5,240 runs", { fleet: "nightly", action: "cancel" }],
    [
      "#/fleets/nightly",
      "Retry infrastructure",
      "Retry 119 runs",
      { fleet: "nightly", action: "retry", outcomes: ["infrastructure"] },
    ],
    [
      "#/fleets/nightly/run_0",
      "Retry",
      "Retry 1 run",
      { fleet: "nightly", action: "retry", runs: ["run_0"] },
    ],
    [
      "#/fleets/nightly/run_7",
      "Cancel the run",
      "Cancel 1 run",
      { fleet: "nightly", action: "cancel", runs: ["run_7"] },
    ],
  ])("at %s, %s asks before it acts", async (hash, button, confirm, body) => {
    await shown.open(hash);
    await page.getByRole("button", { name: button, exact: true }).click();
    const dialog = page.getByRole("dialog");
    if (button === "Retry") expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Back" }).click();
    expect(shown.server.posted).toEqual([]);
    await page.getByRole("button", { name: button, exact: true }).click();
    await dialog.getByRole("button", { name: confirm, exact: true }).click();
    await page.getByText(/119 runs (?:cancelled|queued again)/).waitFor();
    expect(shown.server.posted).toEqual([{ path: "/api/fleets/act", body }]);
  });

  it("follows the fleet without being asked", async () => {
    await shown.show("#/fleets");
    const [first] = fleets.fleets;
    const later = { ...first!, states: { ...first!.states, ended: 9_999 } };
    shown.server.answers.set("/api/fleets", { status: 200, body: { ...fleets, fleets: [later] } });
    await page.getByText("9,999 of").waitFor();
  });
});
