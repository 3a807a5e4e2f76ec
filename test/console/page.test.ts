/** @module-tag slow */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callAt, hostileName, overview } from "../support/console/fixture.ts";
import { faultsOf } from "./accessibility.ts";
import { missingBrowser } from "./browser.ts";
import { desk, pageFolder, phone, press, type ShownPage, showPage } from "./shown-page.ts";

it("is at most 60 kB to load, compressed, and has no inline code", () => {
  const names = ["index.html", "page.js", "page.css", "icon.svg"];
  const bytes = names.map((name) => gzipSync(readFileSync(join(pageFolder, name))).length);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(60_000);
  expect(statSync(join(pageFolder, "page.css")).size).toBeGreaterThan(1_000);
  expect(readFileSync(join(pageFolder, "index.html"), "utf8")).not.toMatch(
    /<style|style=|<script(?! type="module" src)/,
  );
});

/** The pages in a real browser, with made-up data. */
describe.skipIf(missingBrowser)("the page (with Chromium)", () => {
  let shown: ShownPage;
  let page: Page;
  beforeAll(async () => {
    shown = await showPage();
    page = shown.page;
  });
  afterAll(() => shown?.[Symbol.asyncDispose]());

  const routes = {
    now: "#/now",
    trace: "#/trace",
    "a call": "#/trace/w-main/call-99994",
    "a command": "#/trace/w-main/call-99996",
    "a call with held back files": "#/trace/w-main/call-99987",
    sessions: "#/sessions",
    "a session": "#/sessions/w-main/s-agent",
    fleets: "#/fleets",
    "a fleet": "#/fleets/nightly",
    "a run": "#/fleets/nightly/run_0",
    rules: "#/rules",
    health: "#/health",
  };

  describe("opened once", () => {
    beforeAll(() => shown.open("#/now"));

    it.each(Object.entries(routes))(
      "shows %s below the waiting questions, without faults of accessibility",
      async (_name, hash) => {
        await shown.show(hash);
        expect(await questionBar(page)).toMatchObject({ x: 232, y: expect.closeTo(44, 0) });
        expect(await faultsOf(page)).toEqual([]);
        expect(shown.errors).toEqual([]);
      },
    );

    it("reaches everything that can be pressed by Tab, and shows where the focus is", async () => {
      await shown.show("#/now");
      await page.evaluate(`document.addEventListener("focusin", ({ target }) => {
        if (getComputedStyle(target).outlineStyle !== "none") focused.add(target);
      })`);
      for (const hash of [...Object.values(routes), "#/sessions/w-main/s-old"]) {
        await shown.show(hash);
        const count = await page.evaluate<number>(`document.activeElement.blur();
          globalThis.focused = new Set();
          ${pressable}.length`);
        // All at once: drawing the page after each one takes most of the time.
        await Promise.all(Array.from({ length: count + 3 }, () => page.keyboard.press("Tab")));
        const missed = `${pressable}.filter((element) => !focused.has(element)).map((element) => element.outerHTML)`;
        expect([hash, await page.evaluate(missed)]).toEqual([hash, []]);
      }
    });

    it("fits a phone: nothing is wider than 360 px, and the waiting questions are on every page", async () => {
      await page.setViewportSize(phone);
      for (const hash of Object.values(routes)) {
        await shown.show(hash);
        expect([hash, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([hash, 360]);
        expect(await questionBar(page), hash).toMatchObject({ x: 0, y: expect.closeTo(44, 0) });
      }
      await page.getByRole("button", { name: "Menu" }).click();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("link", { name: "Rules" }).click();
      await page.getByRole("heading", { name: "Try rules" }).waitFor();
      await page.setViewportSize(desk);
    });

    it("shows no waiting question once all are answered", async () => {
      shown.server.send({ type: "overview", overview: { ...overview, approvals: [] } });
      await page.getByText("2 questions wait").waitFor({ state: "detached" });
    });

    it("shows all keys for ?, and closes them by Escape", async () => {
      await shown.show("#/now");
      await press(page, "?");
      const dialog = page.getByRole("dialog", { name: "Keys" });
      await dialog.waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await press(page, "Escape");
      await dialog.waitFor({ state: "detached" });
    });

    it("shows what was held back: in a list, in the trace and on the page of its call", async () => {
      await shown.show("#/now");
      const list = page.getByRole("region", { name: "Held back" });
      expect(await list.locator("li").allInnerTexts()).toEqual([
        expect.stringMatching(/^\.envrc\s+shop\s+toolcrib quarantine show k7m2qp\s+\d+ \w+ ago$/),
      ]);
      await shown.show("#/trace");
      await page
        .getByRole("link", { name: /2 held back/ })
        .first()
        .waitFor();
      await shown.show("#/trace/w-main/call-99987");
      const entries = await list.locator("li").allInnerTexts();
      expect(entries.map((text) => text.split(/\s{2,}|\n/).filter(Boolean)[1])).toEqual([
        "toolcrib quarantine show k7m2qp",
        "allowed",
      ]);
      expect(entries.join()).not.toContain("\u202e");
      expect(await faultsOf(page)).toEqual([]);
    });

    it("says that it is offline, and continues when the server is back", async () => {
      await shown.show("#/now");
      shown.server.lose();
      await page.getByText("Offline, reconnecting…").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      shown.server.resume();
      await page.getByText("Offline, reconnecting…").waitFor({ state: "detached" });
    });

    it("asks to sign in when the server no longer knows the page", async () => {
      await shown.show("#/now");
      shown.server.answers.set("/api/overview", { status: 401, body: {} });
      shown.server.lose();
      await page.getByRole("heading", { name: "Sign in from the terminal" }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
    });
  });

  describe("on a new machine", () => {
    beforeAll(async () => {
      await shown.open("#/now", {
        ...overview,
        workspaces: [],
        approvals: [],
        sessions: [],
        running: [],
        heldBack: [],
      });
      const empty = { status: 200, body: { calls: [], sessions: [], next: null, total: 0 } };
      shown.server.answers.set("/api/calls", empty).set("/api/sessions", empty);
      const noFleets = { fleets: [], workers: [], lanes: [], now: 0 };
      shown.server.answers.set("/api/fleets", { status: 200, body: noFleets });
    });

    it.each([
      ["#/now", "No agent is running"],
      ["#/trace", "No calls yet"],
      ["#/trace?text=zzz", "No call matches"],
      ["#/sessions", "No sessions yet"],
      ["#/fleets", "No fleets yet"],
      ["#/fleets/unknown", "There is no such fleet"],
      ["#/rules", "No workspaces yet"],
      ["#/health", "No workspaces yet"],
    ])("says at %s: %s", async (hash, text) => {
      await shown.show(hash);
      await page.locator(".empty").getByText(text).waitFor();
      // All pages show it with the same component.
      if (hash === "#/trace") expect(await faultsOf(page)).toEqual([]);
    });
  });

  describe("with a server that fails", () => {
    beforeAll(() => shown.open("#/now"));

    it.each([
      ["#/trace", "/api/calls", "calls"],
      ["#/trace/w-main/call-99994", "/api/calls/w-main/call-99994", "the call"],
      ["#/sessions", "/api/sessions", "sessions"],
      ["#/sessions/w-main/s-agent", "/api/sessions/w-main/s-agent", "the session"],
      ["#/fleets", "/api/fleets", "fleets"],
      ["#/fleets/nightly", "/api/fleets/nightly/runs", "runs"],
      ["#/fleets/nightly/run_0", "/api/fleets/nightly/runs/run_0", "the run"],
      ["#/rules", "/api/rules", "rules"],
      ["#/health", "/api/health", "the report"],
    ])("says at %s that it loads, why that failed, and tries again", async (hash, path, what) => {
      const { promise: after, resolve } = Promise.withResolvers<void>();
      const message = "The journal of this workspace is damaged.";
      const body = { error: { code: "failed", message, hint: "Run: toolcrib doctor" } };
      shown.server.answers.set(path, { status: 500, body, after });
      await shown.go(hash);
      await page.getByText(`Loading ${what}…`).waitFor();
      resolve();
      const failure = page.getByRole("alert").filter({ hasText: message });
      await failure.getByText("Run: toolcrib doctor").waitFor();
      // All pages show it with the same component.
      if (hash === "#/trace") expect(await faultsOf(page)).toEqual([]);
      shown.server.answers.clear();
      await failure.getByRole("button", { name: "Try again" }).press("Enter");
      await failure.waitFor({ state: "detached" });
    });
  });

  it("shows names and outputs of the workspace as text", async () => {
    await shown.open("#/trace/w-main/call-99994");
    expect(await page.locator(".file-diff .path").allTextContents()).toContain(
      hostileName.replace("\u202e", "<U+202E>"),
    );
    await shown.show("#/trace/w-main/call-99996");
    expect(await page.locator(".output").textContent()).toContain(
      "a link <b>not bold</b> <U+202E>turned<U+202C>",
    );
    await shown.show("#/sessions/w-main/s-agent");
    expect(await page.locator(".markdown").last().textContent()).toBe(
      "The limit is in place. One test still fails; I will look at it next.",
    );
    expect(await page.locator(".conversation").textContent()).toContain(
      "See [the docs](https://evil.example) <script>alert(1)</script>.",
    );
    expect(await page.locator("img, script:not([src]), iframe, a[href^=http]").count()).toBe(0);
    expect(shown.errors).toEqual([]);
  });

  it("keeps at most 200 rows of 100,000 in the document, and loads more at the end", async () => {
    await shown.open("#/trace");
    const scroller = page.locator(".scroller");
    for (const top of [3_000, 6_000, 12_000]) {
      await scroller.evaluate((element, to) => element.scrollTo(0, to), top);
      await expect.poll(() => page.locator(".virtual").evaluate(heightOf)).toBeGreaterThan(top + 3_000);
      expect(await page.locator(".virtual > li").count()).toBeLessThan(100);
    }
  });

  it("keeps in place what the user reads when calls arrive", async () => {
    await shown.open("#/trace");
    await page.locator(".scroller").evaluate((element) => element.scrollTo(0, 1_000));
    const rows = page.locator(".virtual > li");
    await expect.poll(() => rows.first().getAttribute("aria-posinset")).not.toBe("1");
    const row = rows.nth(25);
    const before = [await row.textContent(), await row.boundingBox()];
    shown.server.newest += 2;
    shown.server.send({ type: "calls", calls: [callAt(shown.server.newest)] });
    await page.getByRole("button", { name: "2 new calls above" }).waitFor();
    expect([await row.textContent(), await row.boundingBox()]).toEqual(before);
    await page.keyboard.press("l");
    await expect.poll(() => page.locator(".virtual > li").first().getAttribute("aria-posinset")).toBe("1");
    expect(await page.locator(".virtual a").first().getAttribute("href")).toContain(
      `call-${shown.server.newest}`,
    );
  });

  it("leaves no gap when more calls arrive than a page has", async () => {
    await shown.open("#/trace");
    await page.locator(".scroller").evaluate((element) => element.scrollTo(0, 1_000));
    for (const [count, held] of [
      [300, 200],
      [2, 202],
    ] as const) {
      shown.server.newest += count;
      shown.server.send({ type: "calls", calls: [callAt(shown.server.newest)] });
      await page.getByRole("button", { name: `${held} new calls above` }).waitFor();
    }
    await page.keyboard.press("l");
    await page.locator(".scroller").evaluate((element) => element.scrollTo(0, 205 * 32));
    const row = page.locator('.virtual > li[aria-posinset="206"] a');
    expect(await row.getAttribute("href")).toContain(`call-${shown.server.newest - 205}`);
  });

  it("filters by the address, and the search field keeps the focus", async () => {
    await shown.open("#/trace?failed=1&workspace=w-main");
    expect(await page.getByLabel("Failed").isChecked()).toBe(true);
    await page.keyboard.press("/");
    await page.keyboard.type("push");
    await expect.poll(() => page.url()).toContain("failed=1&workspace=w-main&text=push");
    await expect.poll(() => page.locator(".virtual .title").first().textContent()).toContain("git push");
    expect(await page.evaluate("document.activeElement.type")).toBe("search");
    await page.keyboard.press("Escape");
    await page.keyboard.press("x");
    expect(new URL(page.url()).hash).toBe("#/trace");
  });

  it("selects, opens and closes calls by keys; the back button returns", async () => {
    await shown.open("#/trace");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("details");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("#details").count()).toBe(0);
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.getByRole("heading", { name: "Findings" }).waitFor();
    await page.goBack();
    await page.getByRole("search").waitFor();
  });
});

/** Rows of the long list are chosen by j and k, so that Tab leaves the list. */
const pressable = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter(
  (element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled && !element.matches("a[tabindex='-1']"),
)`;

function questionBar(page: Page) {
  return page.locator(".question-bar", { hasText: "2 questions wait" }).boundingBox();
}

function heightOf(element: { getBoundingClientRect(): { height: number } }): number {
  return element.getBoundingClientRect().height;
}
