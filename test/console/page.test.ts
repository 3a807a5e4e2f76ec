import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageScript, writePageFiles } from "../../scripts/build-page.ts";
import { missingBrowser, startBrowser } from "../support/console/browser.ts";
import { hostileName } from "../support/console/fixture.ts";
import { type FixtureServer, startFixtureServer } from "../support/console/fixture-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The page alone, in a real browser, with made-up data; test/console also has tests with the real server. */
const folder = temporaryFolder();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let server: FixtureServer;
let browser: Browser;
let page: Page;
const errors: string[] = [];

beforeAll(async () => {
  await build(pageScript(folder.path));
  writePageFiles(folder.path);
  if (missingBrowser !== undefined) return;
  server = await startFixtureServer(folder.path);
  browser = await startBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("pageerror", (error) => errors.push(String(error.stack)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await folder[Symbol.asyncDispose]();
});

const routes = {
  now: "#/now",
  trace: "#/trace",
  "a call": "#/trace/w-main/call-99994",
  "a command": "#/trace/w-main/call-99996",
  sessions: "#/sessions",
  "a session": "#/sessions/w-main/s-agent",
  rules: "#/rules",
  health: "#/health",
};

it("is at most 60 kB to load, compressed, and has no inline code", () => {
  const names = ["index.html", "page.js", "page.css", "icon.svg"];
  const bytes = names.map((name) => gzipSync(readFileSync(join(folder.path, name))).length);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(60_000);
  expect(statSync(join(folder.path, "page.css")).size).toBeGreaterThan(1_000);
  expect(readFileSync(join(folder.path, "index.html"), "utf8")).not.toMatch(
    /<style|style=|<script(?! type="module" src)/,
  );
});

describe.skipIf(missingBrowser)("in a browser", () => {
  it.each(Object.entries(routes))(
    "shows %s without faults of accessibility, in both themes",
    async (_, hash) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await open(hash);
        expect(await faultsOf(page)).toEqual([]);
      }
      expect(errors).toEqual([]);
    },
  );

  it("shows names and outputs of the workspace as text", async () => {
    await open("#/trace/w-main/call-99994");
    expect(await page.locator(".file-diff .path").allTextContents()).toContain(
      hostileName.replace("\u202e", "<U+202E>"),
    );
    await open("#/trace/w-main/call-99996");
    expect(await page.locator(".output").textContent()).toContain(
      "a link <b>not bold</b> <U+202E>turned<U+202C>",
    );
    expect(await page.locator("img, script:not([src]), iframe").count()).toBe(0);
    expect(errors).toEqual([]);
  });
});

/** Opens a route, and waits until nothing loads any longer. */
async function open(hash: string): Promise<void> {
  await page.goto(`${server.url}/${hash}`);
  await page.reload();
  await page.locator(".side a").first().waitFor();
  await expect.poll(() => page.locator("main .loading").count()).toBe(0);
}

async function faultsOf(shown: Page): Promise<unknown> {
  await shown.evaluate(axe);
  return await shown.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<AxeReport> } }).axe.run();
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]);
  });
}

interface AxeReport {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
