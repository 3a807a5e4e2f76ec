import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { setup as unpackBrowser, unpackedBrowser } from "../support/console/unpack-browser.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export type { Browser, Page } from "playwright-core";

/** The first one has no window to draw, and takes half the CPU. */
const installedBrowsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

const browserPath =
  process.env["TOOLCRIB_TEST_BROWSER"] ??
  unpackedBrowser ??
  installedBrowsers.find((path) => existsSync(path));

/**
 * The reason why no browser can run here. An npm package contains one for x64; elsewhere the tests use an installed
 * Chromium, or the program that TOOLCRIB_TEST_BROWSER names.
 */
export const missingBrowser: string | undefined =
  process.platform === "linux" && browserPath !== undefined
    ? undefined
    : "Needs Linux on x64, or a Chromium named by TOOLCRIB_TEST_BROWSER.";

/** Options of a page or context without animations: one that turns takes a tenth of a core. */
export const still = { reducedMotion: "reduce" } as const;

/** Starts a headless Chromium, with further flags. */
export async function startBrowser(more: readonly string[] = []): Promise<Browser> {
  // Tests find it unpacked; programs such as the benchmarks have no set-up.
  await unpackBrowser();
  // It leaves files in its temporary folder.
  const folder = temporaryFolder();
  // Root cannot use the sandbox of Chromium; the pages are our own. The package's own flags would run pages and browser in
  // one process, which crashes when a server goes away.
  const browser = await chromium.launch({
    env: { ...process.env, TMPDIR: folder.path },
    ...(browserPath !== undefined && { executablePath: browserPath }),
    args: ["--no-sandbox", "--disable-gpu", ...more],
  });
  browser.once("disconnected", () => void folder[Symbol.asyncDispose]());
  return browser;
}
