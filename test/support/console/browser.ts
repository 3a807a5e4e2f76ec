import { existsSync } from "node:fs";
import packed from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/** The first one has no window to draw, and takes half the CPU. */
const installedBrowsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/**
 * The reason why no browser can run here. The package contains one for x64, unpacked into the temporary folder on first use;
 * elsewhere the tests use an installed Chromium, or the program that TOOLCRIB_TEST_BROWSER names.
 */
export const missingBrowser: string | undefined =
  process.platform === "linux" && (process.arch === "x64" || installedBrowser() !== undefined)
    ? undefined
    : "Needs Linux on x64, or a Chromium named by TOOLCRIB_TEST_BROWSER.";

/** Options of a page or context without animations: one that turns takes a tenth of a core. */
export const still = { reducedMotion: "reduce" } as const;

/** Starts a headless Chromium, with further flags. */
export async function startBrowser(more: readonly string[] = []): Promise<Browser> {
  // Root cannot use the sandbox of Chromium; the pages are our own. The package's own flags would run pages and browser in
  // one process, which crashes when a server goes away.
  return await chromium.launch({
    executablePath: installedBrowser() ?? (await packed.executablePath()),
    args: ["--no-sandbox", "--disable-gpu", ...more],
  });
}

function installedBrowser(): string | undefined {
  const named = process.env["TOOLCRIB_TEST_BROWSER"];
  if (named !== undefined) return named;
  return process.arch === "x64" ? undefined : installedBrowsers.find((path) => existsSync(path));
}
