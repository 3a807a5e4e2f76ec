/**
 * Takes the pictures of the console in docs/assets, in a real browser, from real calls, sessions and questions.
 * Run: npm run console-pictures
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Page, startBrowser } from "../test/console/browser.ts";
import { makeBusy } from "../test/support/console/busy-machine.ts";
import { openTestConsole } from "../test/support/console/open-console.ts";
import { buildPage } from "./build-page.ts";

const root = join(import.meta.dirname, "..");
const assets = join(root, "docs/assets");

/** A picture: its name, the page, and what to do before. */
const pictures: readonly (readonly [name: string, hash: string, prepare?: (page: Page) => Promise<void>])[] =
  [
    ["now", "#/now"],
    ["trace", "#/trace", (page) => page.locator(".call-row", { hasText: "edit.replace" }).last().click()],
    ["session", "#/sessions", (page) => page.locator(".session-row", { hasText: "Fix the login" }).click()],
    ["rules", "#/rules", explainAndTry],
    ["health", "#/health", (page) => page.getByRole("button", { name: "Verify" }).click()],
  ];

const pageFolder = join(root, "node_modules/.cache/console-page");
await buildPage(pageFolder);
mkdirSync(assets, { recursive: true });
await using console = await openTestConsole({ pageFolder, version: "0.1.0" });
// The commands behind rules and health look here, as in a terminal.
process.env["TOOLCRIB_HOME"] = console.directories.state;
await using _machine = await makeBusy(console);
await using browser = await startBrowser();
for (const colorScheme of ["light", "dark"] as const) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
  await page.goto(`${console.origin}/#code=${console.newCode()}`);
  await page.locator(".question").nth(1).waitFor();
  const shown = colorScheme === "light" ? pictures : pictures.slice(1, 2);
  for (const [name, hash, prepare] of shown) {
    await page.goto(`${console.origin}/${hash}`);
    await prepare?.(page);
    await take(page, `console-${name}${colorScheme === "dark" ? "-dark" : ""}`);
  }
  if (colorScheme === "dark") {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${console.origin}/#/now`);
    await take(page, "console-phone");
  }
  await page.close();
}

async function explainAndTry(page: Page): Promise<void> {
  await page.getByLabel("Call to explain").fill("run npm publish");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByLabel("Rules, one per line").fill("ask write src/server/**");
  await page.getByRole("button", { name: "Try" }).click();
  await page.getByText("would change").waitFor();
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState("load");
  await page.locator(".loading, [aria-busy=true]").first().waitFor({ state: "hidden" });
  await page.evaluate("document.activeElement.blur()");
  await page.screenshot({ path: join(assets, `${name}.png`) });
}
