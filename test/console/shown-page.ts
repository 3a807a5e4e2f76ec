/** The page of the console in a real browser, and what tests do with it. */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import type { Overview } from "../../src/console/api.ts";
import { builtProgram } from "../support/built-program.ts";
import { overview } from "../support/console/fixture.ts";
import { type FixtureServer, startFixtureServer } from "../support/console/fixture-server.ts";
import { startBrowser, still } from "./browser.ts";

export const desk = { width: 1440, height: 900 };
export const phone = { width: 360, height: 740 };

/** The built page. */
export const pageFolder: string = join(builtProgram, "../console");

/** A browser with the built page, served with made-up data. */
export interface ShownPage extends AsyncDisposable {
  readonly server: FixtureServer;
  readonly browser: Browser;
  readonly page: Page;
  /** Errors of all watched pages. */
  readonly errors: string[];
  /** Notes errors of another page, such as a violated security policy. */
  watch(page: Page): void;
  /** Opens a route, and waits until nothing loads any longer. Default: the overview of the fixture. */
  open(hash: string, overview?: Overview): Promise<void>;
  /** Goes to a route of the open page, as a link does, and waits like `open`. Takes a third of its time. */
  show(hash: string): Promise<void>;
  /** Like `show`, but waits for nothing. */
  go(hash: string): Promise<void>;
}

export async function showPage(): Promise<ShownPage> {
  const [server, browser] = await Promise.all([startFixtureServer(pageFolder), startBrowser()]);
  const errors: string[] = [];
  const watch = (watched: Page) => {
    watched.setDefaultTimeout(60_000);
    watched.on("pageerror", (error) => errors.push(String(error.stack)));
    watched.on("console", (message) => {
      // The browser also reports answers that refuse something.
      const isRefusal = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isRefusal) errors.push(message.text());
    });
  };
  const page = await browser.newPage({ ...still, viewport: desk });
  watch(page);
  let loads = 0;
  const hasLoaded = () => page.locator("main .loading").first().waitFor({ state: "detached" });
  const go = (hash: string) =>
    page.evaluate<void>(`new Promise((resolve) => {
      if (location.hash === ${JSON.stringify(hash)}) return resolve();
      addEventListener("hashchange", () => requestAnimationFrame(() => resolve()), { once: true });
      location.hash = ${JSON.stringify(hash)};
    })`);
  return {
    server,
    browser,
    page,
    errors,
    watch,
    open: async (hash, shown = overview) => {
      server.answers.clear();
      server.overview = shown;
      server.resume();
      // A new address loads the page again, which ends what the last test left under way. The route alone would not.
      loads += 1;
      await page.goto(`${server.url}/?${loads}${hash}`);
      await page.getByText("toolcrib 0.1.0").waitFor({ state: "attached" });
      await hasLoaded();
      server.posted.length = 0;
    },
    show: async (hash) => {
      await go(hash);
      await hasLoaded();
    },
    go,
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await server.close();
    },
  };
}

/**
 * Shows the calls of a tool and clicks the oldest one. Until the list has loaded, the page shows the list of another
 * filter, or another page with rows of its own.
 */
export async function clickOldestCall(
  page: Page,
  origin: string,
  tool: string,
  total: string,
): Promise<void> {
  await page.goto(`${origin}/#/trace?tool=${tool}`);
  const calls = page.getByRole("region", { name: "Calls", exact: true });
  await calls.getByText(total, { exact: true }).waitFor();
  await calls.locator(".call-row", { hasText: tool }).last().click();
  await page
    .getByRole("region", { name: "Selected call" })
    .getByText(/^\d+ changed files?$/)
    .waitFor();
}

/** Presses keys one after the other: "g", "q". */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Presses Tab until the element with this role and name has the focus, as a user without a mouse does. */
export async function tabTo(
  page: Page,
  role: "button" | "link" | "textbox" | "checkbox" | "combobox" | "searchbox",
  name: string | RegExp,
): Promise<void> {
  const wanted = page.getByRole(role, { name, ...(typeof name === "string" && { exact: true }) }).first();
  await wanted.waitFor();
  // Ten at once, because drawing the page after each one takes most of the time. The element stops those that are too many.
  for (let count = 0; count < 20; count += 1) {
    const element = await wanted.elementHandle();
    if (await element?.evaluate(stopTab)) return;
    await Promise.all(Array.from({ length: 10 }, () => page.keyboard.press("Tab")));
    if ((await element?.evaluate(allowTab)) && (await wanted.evaluate(hasFocus))) return;
  }
  expect.unreachable(`Tab does not reach the ${role} ${name}`);
}

/** Keeps the focus at an element once it has it, until `allowTab`. Returns whether it has it already. */
function stopTab(element: PageElement): boolean {
  const { ownerDocument: document } = element;
  if (document.activeElement === element) return true;
  document.onkeydown = (event) => {
    if (event.key === "Tab" && document.activeElement === element) event.preventDefault();
  };
  return false;
}

/** Returns whether the element has the focus. */
function allowTab(element: PageElement): boolean {
  element.ownerDocument.onkeydown = null;
  return element.ownerDocument.activeElement === element;
}

function hasFocus(element: PageElement): boolean {
  return element.ownerDocument.activeElement === element;
}

/** The part of `Element` that runs in the page. */
interface PageElement {
  readonly ownerDocument: {
    readonly activeElement: unknown;
    onkeydown: ((event: { readonly key: string; preventDefault(): void }) => void) | null;
  };
}

/** Keys count for a question that has been shown for a moment. */
export function settle(page: Page): Promise<void> {
  return page.waitForTimeout(500);
}
