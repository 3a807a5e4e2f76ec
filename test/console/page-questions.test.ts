/** @module-tag slow */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { overview, question } from "../support/console/fixture.ts";
import { faultsOf } from "./accessibility.ts";
import { missingBrowser, still } from "./browser.ts";
import { desk, press, type ShownPage, settle, showPage } from "./shown-page.ts";

/** How the page shows questions and takes answers, in a real browser with made-up data. */
let shown: ShownPage;
let page: Page;
beforeAll(async () => {
  if (missingBrowser !== undefined) return;
  shown = await showPage();
  page = shown.page;
});
afterAll(() => shown?.[Symbol.asyncDispose]());

describe.skipIf(missingBrowser)("a question (with Chromium)", () => {
  it("answers a question with what was shown", async () => {
    await shown.open("#/rules");
    await press(page, "g", "q");
    await page.locator(".question.selected").waitFor();
    expect(await page.locator(".question mark").textContent()).toBe("npm publish --access public");
    await settle(page);
    await page.keyboard.press("2");
    await expect.poll(() => page.locator(".question").count()).toBe(1);
    expect(shown.server.posted.map(({ body }) => body)).toEqual([
      { workspace: "w-main", id: "q-1", shown: "h1", answer: "always 2" },
    ]);
    await settle(page);
    await page.keyboard.press("n");
    // Typed too early: it must not answer the question.
    await page.keyboard.press("y");
    await page.getByLabel("Message to the model").fill("");
    await page.keyboard.type("Use the test registry.");
    await page.keyboard.press("Enter");
    await page.getByText("Questions", { exact: true }).waitFor({ state: "detached" });
    expect(shown.server.posted.at(-1)?.body).toMatchObject({
      id: "q-2",
      answer: "no",
      message: "Use the test registry.",
    });
    expect(await page.title()).toBe("Now · Toolcrib");
  });

  it("ignores a key that was pressed before the question could be read", async () => {
    await shown.open("#/rules");
    // Also presses it for the second question, when that takes the place of the first.
    await page.evaluate(whenQuestionsChange('dispatchEvent(new KeyboardEvent("keydown", { key: "y" }))'));
    await press(page, "g", "q");
    await page.locator(".question.selected").waitFor();
    await settle(page);
    expect(shown.server.posted).toEqual([]);
    await press(page, "y");
    await expect.poll(() => page.locator(".question").count()).toBe(1);
    await settle(page);
    expect(shown.server.posted.map(({ body }) => body["id"])).toEqual(["q-1"]);
  });

  it("shows all arguments of a command, and how many calls the answer is for", async () => {
    await shown.open("#/now");
    const card = page.locator(".question").first();
    expect(await card.locator(".input").textContent()).toContain('"NODE_OPTIONS":"--require ./hook.js"');
    await card.getByText("2 equal calls wait").waitFor();
  });

  it("answers one question by a double click, although the next one takes its place", async () => {
    await shown.open("#/now");
    await page.evaluate(whenQuestionsChange('document.querySelector(".question .primary")?.click()'));
    await page.locator(".question").first().getByRole("button", { name: "Allow once" }).click();
    await expect.poll(() => page.locator(".question").count()).toBe(1);
    await settle(page);
    expect(shown.server.posted.map(({ body }) => body["id"])).toEqual(["q-1"]);
  });

  it("answers the picked questions together", async () => {
    await shown.open("#/now");
    const boxes = page.getByLabel("Pick to answer together");
    await boxes.nth(0).check();
    // The first answer to all of them moves the questions down.
    await settle(page);
    await boxes.nth(1).check();
    await settle(page);
    await page.getByRole("button", { name: "Allow all once" }).click();
    await page.getByText("Questions", { exact: true }).waitFor({ state: "detached" });
    expect(shown.server.posted.map(({ body }) => [body["id"], body["answer"], body["shown"]])).toEqual([
      ["q-1", "once", "h1"],
      ["q-2", "once", expect.any(String)],
    ]);
  });

  it("shows a question again when the same call asks again", async () => {
    await shown.open("#/now");
    await page.locator(".question").first().getByRole("button", { name: "Allow once" }).click();
    await expect.poll(() => page.locator(".question").count()).toBe(1);
    const again = { ...question, askedAt: question.askedAt + 1 };
    shown.server.send({ type: "overview", overview: { ...overview, approvals: [again] } });
    await page.getByText("npm publish --access public").first().waitFor();
  });

  it("does not answer a question out of sight by a key, but shows it", async () => {
    await page.setViewportSize({ width: 1440, height: 300 });
    await shown.open("#/now");
    await page.locator("main").evaluate((element) => element.scrollTo(0, 10_000));
    await settle(page);
    await page.keyboard.press("y");
    await expect
      .poll(() => page.locator(".question.selected .answers").boundingBox())
      .toMatchObject({
        y: expect.toSatisfy((y: number) => y > 0 && y < 300),
      });
    expect(shown.server.posted).toEqual([]);
    await page.setViewportSize(desk);
  });

  it("says that a question has changed, and shows it again", async () => {
    await shown.open("#/now");
    const stale = {
      error: { code: "stale", message: "The request changed after it was shown.", hint: null },
    };
    shown.server.answers.set("/api/approvals/answer", { status: 409, body: stale });
    await page.locator(".question").first().getByRole("button", { name: "Allow once" }).click();
    await page.getByText("The request changed after it was shown").waitFor();
    expect(await page.locator(".question").count()).toBe(2);
  });

  it("offers every answer by keys, and every width of always", async () => {
    for (const [keys, expected] of [
      [["y"], { answer: "once" }],
      [["s"], { answer: "session" }],
      [["a"], { answer: "always" }],
      [["2"], { answer: "always 2" }],
      [["n", "Enter"], { answer: "no" }],
    ] as const) {
      await shown.open("#/now");
      await settle(page);
      if (keys[0] === "y") expect(await faultsOf(page)).toEqual([]);
      await press(page, keys[0]);
      if (keys[0] === "n")
        await page.getByLabel("Message to the model").and(page.locator(":focus")).waitFor();
      await press(page, ...keys.slice(1));
      await expect.poll(() => shown.server.posted.map(({ body }) => body)).toMatchObject([expected]);
    }
    await shown.open("#/now");
    await settle(page);
    await press(page, "j", "k", "j");
    await page.locator(".question.selected", { hasText: "edit.replace" }).waitFor();
  });
});

/**
 * Tabs of one browser. A headless browser treats every tab as visible and shows no notifications, so the tests replace
 * `document.hidden` and the class `Notification`; locks, channels and connections are the browser's own.
 */
describe.skipIf(missingBrowser)("tabs (with Chromium)", () => {
  let context: BrowserContext;
  beforeEach(async () => {
    context = await shown.browser.newContext({ ...still, viewport: desk });
    await context.addInitScript(`
      globalThis.isHidden = false;
      Object.defineProperty(document, "hidden", { get: () => isHidden });
      globalThis.notified = [];
      globalThis.Notification = class {
        static get permission() { return localStorage.getItem("permission") ?? "default"; }
        static async requestPermission() { localStorage.setItem("permission", "granted"); return "granted"; }
        constructor(title, options) { this.title = title; this.options = options; notified.push(this); }
      };`);
    shown.server.overview = overview;
    shown.server.answers.clear();
    return () => context.close();
  });

  async function openTab(hash: string): Promise<Page> {
    const tab = await context.newPage();
    shown.watch(tab);
    await tab.goto(`${shown.server.url}/${hash}`);
    await tab.locator(".question-bar", { hasText: "2 questions wait" }).waitFor();
    return tab;
  }

  function setHidden(tab: Page, isHidden: boolean): Promise<unknown> {
    return tab.evaluate(`isHidden = ${isHidden}; document.dispatchEvent(new Event("visibilitychange"))`);
  }

  const third = {
    ...question,
    id: "q-3",
    title: "make deploy",
    view: { ...question.view, title: "make deploy" },
    askedAt: question.askedAt + 1_000,
  };
  const ask = (asked = third) => {
    shown.server.overview = { ...overview, approvals: [...overview.approvals, asked] };
    shown.server.send({ type: "overview", overview: shown.server.overview });
  };
  const heldLocks = (tab: Page) =>
    tab.evaluate<unknown>("navigator.locks.query().then(({ held }) => held.map(({ name }) => name))");
  const notified = (tab: Page) =>
    tab.evaluate<unknown>("notified.map(({ title, options }) => [title, options])");

  it("notify by the system of a new question once, when the user allowed it and looks elsewhere", async () => {
    const tab = await openTab("#/trace");
    await tab.getByRole("button", { name: "Notifications off" }).press("Enter");
    await tab.getByRole("button", { name: "Notifications on" }).waitFor();
    ask();
    await tab.getByText("3 questions wait").waitFor();
    expect(await notified(tab)).toEqual([]);
    shown.server.send({ type: "overview", overview });
    await tab.getByText("2 questions wait").waitFor();
    const fourth = { ...third, askedAt: third.askedAt + 1_000 };
    await setHidden(tab, true);
    await expect.poll(() => heldLocks(tab)).toEqual(["toolcrib.stream"]);
    shown.server.send({
      type: "overview",
      overview: { ...overview, approvals: [...overview.approvals, fourth] },
    });
    await expect.poll(() => tab.title()).toBe("(3) Trace · Toolcrib");
    await expect
      .poll(() => notified(tab))
      .toEqual([["claude-code asks: shell.run", { body: "make deploy", tag: "q-3" }]]);
    await tab.evaluate("notified[0].onclick()");
    await setHidden(tab, false);
    await tab.locator(".question.selected", { hasText: "make deploy" }).waitFor({ state: "attached" });
  });

  it("say so when the browser does not allow notifications", async () => {
    const tab = await openTab("#/now");
    await tab.evaluate('Notification.requestPermission = async () => "denied"');
    await tab.getByRole("button", { name: "Notifications off" }).press("Enter");
    await tab.getByText("The browser does not allow notifications.").waitFor();
    await tab.getByRole("button", { name: "Notifications off" }).waitFor();
  });

  it("work when eight are open: hidden ones share one stream, and one notifies unless the user sees another", async () => {
    const before = shown.server.streamCount;
    const tabs: Page[] = [];
    for (let count = 0; count < 8; count += 1) {
      const [last] = tabs.slice(-1);
      if (last !== undefined) await setHidden(last, true);
      tabs.push(await openTab(count === 5 ? "#/trace" : "#/rules"));
    }
    const [first, , , , , , , last] = tabs as [Page, ...Page[]];
    await expect.poll(() => shown.server.streamCount - before).toBe(2);
    await last!.getByRole("button", { name: "Notifications off" }).press("Enter");
    await last!.getByRole("button", { name: "Notifications on" }).waitFor();
    const allNotified = async () => (await Promise.all(tabs.map(notified))).flat();
    const titles = () => Promise.all(tabs.map((tab) => tab.title()));
    const titlesWith = (count: string) =>
      tabs.map((_, index) => `${count}${index === 5 ? "Trace" : "Rules"} · Toolcrib`);
    ask();
    await expect.poll(titles).toEqual(titlesWith("(3) "));
    shown.server.send({ type: "overview", overview });
    await expect.poll(titles).toEqual(titlesWith("(2) "));
    expect(await allNotified()).toEqual([]);
    await setHidden(last!, true);
    await expect.poll(() => shown.server.streamCount - before).toBe(1);
    ask({ ...third, askedAt: third.askedAt + 1_000 });
    await expect.poll(titles).toEqual(titlesWith("(3) "));
    await expect.poll(async () => (await allNotified()).length).toBe(1);

    // The leading tab closes, and another one takes its place.
    await first.close();
    await expect.poll(() => shown.server.streamCount - before).toBe(1);
    shown.server.newest += 1;
    await setHidden(tabs[5]!, false);
    await tabs[5]!.locator(`.virtual a[href*="call-${shown.server.newest}"]`).waitFor();
    shown.server.send({ type: "overview", overview: { ...overview, approvals: [] } });
    for (const tab of tabs.slice(1))
      await expect.poll(() => tab.title()).toMatch(/^(?:Rules|Trace) · Toolcrib$/);
    expect(shown.errors).toEqual([]);
  });
});

/** A script that runs another one in the moment in which the number of questions changes. */
function whenQuestionsChange(script: string): string {
  return `let count = document.querySelectorAll(".question").length;
    new MutationObserver(() => {
      const now = document.querySelectorAll(".question").length;
      if (now === count) return;
      count = now;
      ${script};
    }).observe(document.body, { childList: true, subtree: true })`;
}
