import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsOf } from "../test/console/accessibility.ts";
import { type Browser, missingBrowser, type Page, startBrowser } from "../test/console/browser.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { findBrokenLinks } from "./check-links.ts";
import { makePage, readPages } from "./pages.ts";

const output = join(import.meta.dirname, "dist");
const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const accessible = ["", "install/", "tour/", "first-edit/", "comparison/", "recipes/", "console/", "mcp/"];
/** Thousands of elements each, for which axe takes minutes. */
const long = ["tools/", "reference/", "benchmarks/"];

/** Runs in a page, whose names the types of Node do not know. */
const countUnfocusable = `[...document.querySelectorAll("pre, table")].filter(
  (element) => element.scrollWidth > element.clientWidth && element.tabIndex < 0,
).length`;

describe("a page", () => {
  it("links to other pages and files by their address on the website", () => {
    const text =
      "# A title\n\n[Undo](../undo.md#limits), [`schema`](../rpc.schema.json), [README](../../README.md)\n";
    expect(read("docs/migrate/forge.md", text)).toEqual({
      title: "A title",
      summary: "Undo, schema, README",
      slug: "migrate/forge",
      body: "[Undo](../../undo/#limits), [`schema`](../../rpc.schema.json), [README](../../)",
      broken: [],
    });
  });

  it("shows a link to a source file as plain text, and keeps code", () => {
    const text =
      "# T\n\n[`run`](../src/cli/main.ts) and `[a](b.md)` and [x](https://x.org)\n\n```\n[a](b.md)\n```\n";
    const { body, broken } = read("docs/undo.md", text);
    expect(body).toBe("`run` and `[a](b.md)` and [x](https://x.org)\n\n```\n[a](b.md)\n```");
    expect(broken).toEqual([]);
  });

  it("begins after the comment that follows its title", () => {
    const { body, summary } = read(
      "docs/tour.md",
      "# T\n\n<!-- Written by a script. -->\n\nFirst.\n\nSecond.\n",
    );
    expect({ body, summary }).toEqual({ body: "First.\n\nSecond.", summary: "First." });
  });

  it("reports links and pictures without a target", () => {
    const text = "# T\n\n[a](missing.md) ![b](../README.png) [c](undo.md)\n";
    expect(read("docs/tour.md", text).broken).toEqual(["missing.md", "../README.png"]);
  });

  function read(document: string, text: string) {
    const broken: string[] = [];
    return { ...makePage(document, text, (target) => broken.push(target)), broken };
  }
});

it("the link check finds missing pages, anchors and pictures, and scripts of other servers", async () => {
  await using folder = temporaryFolder();
  mkdirSync(join(folder.path, "a"));
  const links = ["/site/", "../#top", "../#none", "/site/b/", "/a/", "https://example.org/"];
  const more = '<img src="x.png"><script src="https://example.org/x.js"></script>';
  writeFileSync(join(folder.path, "index.html"), '<p id="top">');
  writeFileSync(join(folder.path, "a/index.html"), links.map((link) => `<a href="${link}">`).join("") + more);
  expect(findBrokenLinks(folder.path, "/site/")).toEqual(
    ["../#none", "/site/b/", "/a/", "x.png", "https://example.org/x.js"].map((link) => `/site/a/: ${link}`),
  );
});

describe("the built website", () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    // The variables of the test runner would make it a build for development.
    const { DEV: _dev, PROD: _prod, MODE: _mode, BASE_URL: _base, ...env } = process.env;
    // Fails when a link or an anchor has no target.
    execFileSync(process.execPath, [join(import.meta.dirname, "build.ts")], { stdio: "pipe", env });
    if (missingBrowser === undefined) browser = await startBrowser();
  });
  afterAll(async () => await browser?.close());

  it("lists every page for language models, and contains their text", () => {
    const pages = readPages();
    const list = readFileSync(join(output, "llms.txt"), "utf8");
    const whole = readFileSync(join(output, "llms-full.txt"), "utf8");
    expect(pages.filter(({ slug }) => !list.includes(`](/${slug}/)`))).toEqual([]);
    expect(pages.filter(({ body }) => !whole.includes(body))).toEqual([]);
  });

  it("lists every page in the sidebar", () => {
    const tour = readFileSync(join(output, "tour/index.html"), "utf8");
    expect(readPages().filter(({ slug }) => !tour.includes(`href="/${slug}/"`))).toEqual([]);
  });

  for (const [name, viewport] of Object.entries(sizes)) {
    describe.skipIf(missingBrowser !== undefined)(`on a ${name}`, () => {
      it.each(accessible)("/%s has no serious fault of accessibility", async (path) => {
        await using opened = await open(path, viewport);
        // Scripts make what scrolls focusable, once the page is idle.
        await expect.poll(() => opened.page.evaluate(countUnfocusable)).toBe(0);
        expect(await faultsOf(opened.page, ["serious", "critical"])).toEqual([]);
      });

      it.each([...accessible, ...long])("/%s fits the screen and loads only its own files", async (path) => {
        await using opened = await open(path, viewport);
        expect(await opened.page.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width);
        expect(opened.faults).toEqual([]);
      });

      it("search finds undo", async () => {
        await using opened = await open("", viewport);
        await opened.page.getByRole("button", { name: "Search" }).click();
        await opened.page.getByRole("textbox", { name: "Search" }).fill("undo");
        await opened.page.getByRole("link", { name: "Undo", exact: true }).click();
        await opened.page.getByRole("heading", { name: "Undo", level: 1 }).waitFor();
        expect(opened.faults).toEqual([]);
      });
    });
  }

  /** Opens a page in a browser that gets the built files and reports everything else that it asks for. */
  async function open(path: string, viewport: { width: number; height: number }) {
    const context = await browser!.newContext({ viewport });
    const faults: string[] = [];
    await context.route("**/*", async (route) => {
      const url = new URL(route.request().url());
      const file = join(output, url.pathname.replace(/\/$/, "/index.html"));
      if (url.host === "localhost" && existsSync(file)) return await route.fulfill({ path: file });
      faults.push(`asked for ${url.href}`);
      await route.abort();
    });
    const page: Page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => faults.push(String(error.stack)));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.goto(`http://localhost/${path}`);
    return { page, faults, [Symbol.asyncDispose]: async () => await context.close() };
  }
});
