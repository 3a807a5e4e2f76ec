import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPage } from "../../scripts/build-page.ts";
import { builtProgram } from "../support/built-program.ts";
import { cliWithModel } from "../support/cli-with-model.ts";
import { missingBrowser, startBrowser } from "../support/console/browser.ts";
import { type BusyMachine, makeBusy } from "../support/console/busy-machine.ts";
import { callAt, hostileName, overview, question } from "../support/console/fixture.ts";
import { type FixtureServer, startFixtureServer } from "../support/console/fixture-server.ts";
import { type OpenConsole, openTestConsole } from "../support/console/open-console.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The page in a real browser: alone with made-up data, then with the real server. */
const folder = temporaryFolder();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let server: FixtureServer;
let browser: Browser;
let page: Page;
const errors: string[] = [];

beforeAll(async () => {
  await buildPage(folder.path);
  if (missingBrowser !== undefined) return;
  server = await startFixtureServer(folder.path);
  browser = await startBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(15_000);
  watch(page);
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

describe.skipIf(missingBrowser)("in a browser (with Chromium)", () => {
  it.each(Object.entries(routes))(
    "shows %s without faults of accessibility, in both themes",
    async (_, hash) => {
      await open(hash);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
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
    await open("#/sessions/w-main/s-agent");
    expect(await page.locator(".markdown").last().textContent()).toBe(
      "The limit is in place. One test still fails; I will look at it next.",
    );
    expect(await page.locator(".conversation").textContent()).toContain(
      "See [the docs](https://evil.example) <script>alert(1)</script>.",
    );
    expect(await page.locator("img, script:not([src]), iframe, a[href^=http]").count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it("fits a phone: nothing is wider than 360 px", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const hash of Object.values(routes)) {
      await open(hash);
      expect([hash, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([hash, 360]);
    }
    await page.getByRole("button", { name: "Menu" }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Rules" }).click();
    await page.getByRole("heading", { name: "Try rules" }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it("keeps at most 200 rows of 100,000 in the document, and loads more at the end", async () => {
    await open("#/trace");
    const scroller = page.locator(".scroller");
    for (const top of [3_000, 6_000, 12_000]) {
      await scroller.evaluate((element, to) => element.scrollTo(0, to), top);
      await expect.poll(() => page.locator(".virtual").evaluate(heightOf)).toBeGreaterThan(top + 3_000);
      expect(await page.locator(".virtual > li").count()).toBeLessThan(100);
    }
  });

  it("keeps in place what the user reads when calls arrive", async () => {
    await open("#/trace");
    await page.locator(".scroller").evaluate((element) => element.scrollTo(0, 1_000));
    const row = page.locator(".virtual > li").nth(25);
    const before = [await row.textContent(), await row.boundingBox()];
    server.newest += 2;
    server.send({ type: "calls", calls: [callAt(server.newest)] });
    await page.getByRole("button", { name: "2 new calls above" }).waitFor();
    expect([await row.textContent(), await row.boundingBox()]).toEqual(before);
    await page.keyboard.press("l");
    await expect.poll(() => page.locator(".virtual > li").first().getAttribute("aria-posinset")).toBe("1");
    expect(await page.locator(".virtual a").first().getAttribute("href")).toContain(`call-${server.newest}`);
  });

  it("leaves no gap when more calls arrive than a page has", async () => {
    await open("#/trace");
    await page.locator(".scroller").evaluate((element) => element.scrollTo(0, 1_000));
    for (const [count, held] of [
      [300, 200],
      [2, 202],
    ] as const) {
      server.newest += count;
      server.send({ type: "calls", calls: [callAt(server.newest)] });
      await page.getByRole("button", { name: `${held} new calls above` }).waitFor();
    }
    await page.keyboard.press("l");
    await page.locator(".scroller").evaluate((element) => element.scrollTo(0, 205 * 32));
    const row = page.locator('.virtual > li[aria-posinset="206"] a');
    expect(await row.getAttribute("href")).toContain(`call-${server.newest - 205}`);
  });

  it("filters by the address, and the search field keeps the focus", async () => {
    await open("#/trace?failed=1&workspace=w-main");
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
    await open("#/trace");
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

  it("shows all keys for ?, and closes them by Escape", async () => {
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keys" });
    await dialog.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("answers a question with what was shown", async () => {
    await open("#/rules");
    await page.keyboard.press("g");
    await page.keyboard.press("q");
    await page.locator(".question.selected").waitFor();
    expect(await page.locator(".question mark").textContent()).toBe("npm publish --access public");
    await settle();
    server.posted.length = 0;
    await page.keyboard.press("a");
    await page.keyboard.press("2");
    await expect.poll(() => page.locator(".question").count()).toBe(1);
    const shown = { hash: "h1", previewHash: "p1", hosts: ["registry.example.com"], unconfined: false };
    const answer = { answer: "always", rules: ["allow run npm publish *"] };
    expect(server.posted.map(({ body }) => body)).toEqual([
      { workspace: "w-main", id: "q-1", ...shown, ...answer },
    ]);
    await settle();
    await page.keyboard.press("n");
    // Typed too early: it must not answer the question.
    await page.keyboard.press("y");
    await page.getByLabel("Message to the model").fill("");
    await page.keyboard.type("Use the test registry.");
    await page.keyboard.press("Enter");
    await page.getByText("Questions", { exact: true }).waitFor({ state: "detached" });
    expect(server.posted.at(-1)?.body).toMatchObject({
      id: "q-2",
      answer: "no",
      message: "Use the test registry.",
    });
    expect(await page.title()).toBe("Now · Toolcrib");
  });

  it("ignores a key that was pressed before the question could be read", async () => {
    await open("#/now");
    server.posted.length = 0;
    await page.keyboard.press("y");
    await settle();
    await page.keyboard.press("y");
    await page.keyboard.press("y");
    await expect.poll(() => page.locator(".question").count()).toBe(1);
    expect(server.posted.map(({ body }) => body["id"])).toEqual(["q-1"]);
  });

  it("shows all arguments of a command, and how many calls the answer is for", async () => {
    await open("#/now");
    const card = page.locator(".question").first();
    expect(await card.locator(".input").textContent()).toContain('"NODE_OPTIONS": "--require ./hook.js"');
    await card.getByText("2 equal calls wait").waitFor();
  });

  it("answers one question by a double click, although the next one takes its place", async () => {
    await open("#/now");
    server.posted.length = 0;
    const button = page.locator(".question").first().getByRole("button", { name: "Allow once" });
    const { x, y } = (await button.boundingBox())!;
    await page.mouse.click(x + 5, y + 5);
    await expect.poll(() => page.locator(".question").count()).toBe(1);
    await page.locator(".question").getByRole("button", { name: "Allow once" }).click();
    await settle();
    expect(server.posted.map(({ body }) => body["id"])).toEqual(["q-1"]);
  });

  it("shows a question again when the same call asks again", async () => {
    await open("#/now");
    await page.locator(".question").first().getByRole("button", { name: "Allow once" }).click();
    await expect.poll(() => page.locator(".question").count()).toBe(1);
    const again = { ...question, askedAt: question.askedAt + 1 };
    server.send({ type: "overview", overview: { ...overview, approvals: [again] } });
    await page.getByText("npm publish --access public").first().waitFor();
  });

  it("does not answer a question out of sight by a key, but shows it", async () => {
    await page.setViewportSize({ width: 1440, height: 300 });
    await open("#/now");
    server.posted.length = 0;
    await page.locator("main").evaluate((element) => element.scrollTo(0, 10_000));
    await settle();
    await page.keyboard.press("y");
    await expect
      .poll(() => page.locator(".question.selected .answers").boundingBox())
      .toMatchObject({
        y: expect.toSatisfy((y: number) => y > 0 && y < 300),
      });
    expect(server.posted).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it("says that a question has changed, and shows it again", async () => {
    await open("#/now");
    const stale = { error: { code: "stale", message: "This question has changed.", hint: null } };
    server.answers.set("/api/approvals/answer", { status: 409, body: stale });
    await page.locator(".question").first().getByRole("button", { name: "Allow once" }).click();
    await page.getByText("The request changed after it was shown").waitFor();
    expect(await page.locator(".question").count()).toBe(2);
    server.answers.clear();
  });

  it("undoes a hunk after a preview, and offers a redo", async () => {
    await open("#/trace/w-main/call-99994");
    server.posted.length = 0;
    await page.getByRole("button", { name: "Undo hunk 2" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Fix the login").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByRole("button", { name: "Redo", exact: true }).waitFor();
    const undo = { workspace: "w-main", calls: ["call-99994"], paths: ["src/server/login.ts"], hunk: 2 };
    expect(server.posted.map(({ body }) => body)).toEqual([
      { ...undo, dryRun: true },
      { ...undo, dryRun: false },
    ]);
  });

  it("says why an undo is refused, and offers what is still possible", async () => {
    await open("#/trace/w-main/call-99994");
    const failure = {
      error: { code: "stale", message: "login.ts changed later, by call-99998.", hint: null },
    };
    server.answers.set("/api/undo", { status: 409, body: failure });
    await page.keyboard.press("u");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("login.ts changed later, by call-99998.").waitFor();
    expect(await dialog.getByRole("button", { name: "Undo", exact: true }).isDisabled()).toBe(true);
    server.answers.clear();
    await dialog.getByLabel("Keep later edits, where they do not overlap").check();
    await expect.poll(() => dialog.getByRole("button", { name: "Undo", exact: true }).isEnabled()).toBe(true);
    expect(server.posted.at(-1)?.body).toMatchObject({ merge: true, dryRun: true });
    await page.keyboard.press("Escape");
  });

  it("says that it is offline, and continues when the server is back", async () => {
    await open("#/now");
    server.lose();
    await page.getByText("Offline, reconnecting…").waitFor();
    server.resume();
    await page.getByText("Offline, reconnecting…").waitFor({ state: "detached" });
    server.answers.set("/api/overview", { status: 401, body: {} });
    server.lose();
    await page.getByRole("heading", { name: "Sign in from the terminal" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    server.answers.clear();
    server.resume();
  });

  it("steers a session, and starts one", async () => {
    await open("#/sessions/w-main/s-agent");
    server.posted.length = 0;
    await page.keyboard.press("m");
    await page.keyboard.type("Run the tests first.");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => server.posted.length).toBe(1);
    await page.getByRole("button", { name: "Interrupt" }).click();
    await expect.poll(() => server.posted.length).toBe(2);
    server.send({
      type: "session",
      workspace: "w-main",
      session: "s-agent",
      live: { type: "text", id: "1", text: "I run <b>them</b>." },
    });
    await page.getByText("I run <b>them</b>.").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".page-title").click();
    await page.keyboard.press("c");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("Fix the build");
    await page.getByRole("dialog").getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const named = { workspace: "w-main", session: "s-agent" };
    expect(server.posted.map(({ body }) => body)).toEqual([
      { ...named, action: "message", text: "Run the tests first." },
      { ...named, action: "interrupt" },
      { workspace: "w-main", task: "Fix the build", mode: "cautious" },
    ]);
  });

  it("tries rules before it adds them, and revokes a grant by its line and text", async () => {
    await open("#/rules/w-main");
    server.posted.length = 0;
    const add = page.getByRole("button", { name: "Add", exact: true });
    expect(await add.isDisabled()).toBe(true);
    await page.getByLabel("Rules, one per line").fill("allow run npm test\n\nask run make");
    await page.getByRole("button", { name: "Try", exact: true }).click();
    await page.getByText("3 verdicts of 79,999 recorded calls would change:").waitFor();
    await add.click();
    await page.getByText("Added 2 rules.").waitFor();
    await page.getByRole("button", { name: "Revoke allow run npm test" }).click();
    await page.getByText("Revoked 1 rule.").waitFor();
    const rules = { workspace: "w-main", rules: ["allow run npm test", "ask run make"] };
    expect(server.posted.map(({ body }) => body)).toEqual([
      rules,
      rules,
      { workspace: "w-main", grants: [{ line: 1, rules: ["allow run npm test"] }] },
    ]);
    expect(errors).toEqual([]);
  });
});

describe.skipIf(missingBrowser)(
  "with the real server, an MCP client, an agent and commands (with Chromium)",
  () => {
    let real: OpenConsole;
    let machine: BusyMachine;
    let shown: Page;
    beforeAll(async () => {
      real = await openTestConsole({ pageFolder: folder.path });
      machine = await makeBusy(real);
      shown = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      shown.setDefaultTimeout(15_000);
      watch(shown);
      await shown.goto(`${real.origin}/#code=${real.newCode()}`);
    });
    afterAll(async () => {
      await machine?.[Symbol.asyncDispose]();
      await real?.[Symbol.asyncDispose]();
    });

    it("signs in once, and leaves no code in the address", async () => {
      await shown.getByText("2 questions wait").waitFor();
      expect(shown.url()).toBe(`${real.origin}/#/now`);
      expect(await shown.evaluate("document.cookie")).toBe("");
    });

    it("denies a waiting call with a message, and the client continues", async () => {
      const command = shown.locator(".question", { hasText: "npm publish" });
      await command.getByRole("button", { name: "Deny…" }).click();
      await shown.getByLabel("Message to the model").fill("Do not publish.");
      await shown.getByRole("button", { name: "Deny", exact: true }).click();
      expect((await machine.waiting).error?.message).toContain("Do not publish.");
      await expect.poll(() => shown.locator(".question").count()).toBe(1);
    });

    it("undoes one of two edits of a file, and redoes it", async () => {
      const file = join(real.folder, "shop/src/server/login.ts");
      await shown.goto(`${real.origin}/#/trace?tool=edit.replace`);
      await shown.locator(".call-row").last().click();
      await shown.getByRole("button", { name: "Undo", exact: false }).first().waitFor();
      await shown.keyboard.press("u");
      const dialog = shown.getByRole("dialog");
      await dialog.getByText("login.ts").first().waitFor();
      const keep = dialog.getByLabel("Keep later edits, where they do not overlap");
      if (await dialog.getByRole("alert").isVisible()) await keep.check();
      await dialog.getByRole("button", { name: "Undo", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      expect(readFileSync(file, "utf8")).toMatch(/codes\.has\(code\)[\s\S]*"64kb"/);
      await shown.getByRole("button", { name: "Redo", exact: true }).click();
      await dialog.getByRole("button", { name: "Redo", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      expect(readFileSync(file, "utf8")).toMatch(/codes\.delete\(code\)[\s\S]*"64kb"/);
    });

    it("shows a new call of another client without a reload", async () => {
      await shown.goto(`${real.origin}/#/trace?workspace=`);
      await shown.locator(".call-row").first().waitFor();
      const other = await real.open("other", { client: { kind: "mcp", name: "<b>cursor</b>" } });
      await other.call("file.read", { path: "\u202eexe.txt" });
      await shown.locator(".call-row", { hasText: "<U+202E>exe.txt" }).waitFor();
      expect(await shown.locator(".call-row .client").first().textContent()).toBe("<b>cursor</b>");
    });

    it("shows the conversation of the agent with its calls, plan and usage", async () => {
      await shown.goto(`${real.origin}/#/sessions`);
      await shown.locator(".session-row", { hasText: "Fix the login" }).click();
      await shown.getByText("Plan 3 of 3").waitFor();
      expect(await shown.locator(".entry-user").count()).toBe(2);
      expect(await shown.locator(".entry-calls .tool").allTextContents()).toContain("edit.replace");
      expect(await shown.getByRole("img", { name: /^Usage: .*104\.\d k tokens/ }).count()).toBe(1);
      expect(errors).toEqual([]);
    });

    it("asks to sign in again when another console took its place", async () => {
      await shown.evaluate('localStorage.setItem("toolcrib.api", "/api/wrong")');
      await shown.reload();
      await shown.getByRole("heading", { name: "Sign in from the terminal" }).waitFor();
      await shown.goto(`${real.origin}/#code=${real.newCode()}`);
      await shown.reload();
      await shown.getByRole("link", { name: "Trace" }).waitFor();
    });
  },
);

it.skipIf(missingBrowser)(
  "starts an agent in the browser, steers it and answers its question by a key (with Chromium)",
  async () => {
    await using fixture = await cliWithModel([
      { text: "I delete it.", calls: [{ name: "file_delete", input: { path: "a.txt" } }] },
      { text: "Deleted **a.txt**." },
    ]);
    fixture.write(join(fixture.home, "config/config.toml"), 'dialect = "toolcrib"\n');
    await fixture.run("call", "file.write", "--path", "a.txt", "--content", "one");
    const run = { program: [process.execPath, builtProgram], variables: fixture.env };
    await using real = await openTestConsole({ home: fixture.home, pageFolder: folder.path, run });
    const shown = await browser.newPage();
    shown.setDefaultTimeout(30_000);
    watch(shown);
    await shown.goto(`${real.origin}/#code=${real.newCode()}`);
    await shown.getByText("No agent is running").waitFor();
    await shown.keyboard.press("g");
    await shown.keyboard.press("s");
    await shown.getByRole("button", { name: "Start a session" }).waitFor();
    await shown.keyboard.press("c");
    const dialog = shown.getByRole("dialog");
    await dialog.getByLabel("Task").fill("Delete a.txt.");
    await dialog.getByRole("combobox", { name: "Mode" }).selectOption("safe");
    await dialog.getByRole("button", { name: "Start", exact: true }).click();
    await shown.getByText("A question waits").waitFor();
    await shown.getByLabel("Message to the agent").fill("Be brief.");
    await shown.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => shown.getByLabel("Message to the agent").inputValue()).toBe("");
    const session = shown.url();
    await shown.locator(".page-title").click();
    await shown.keyboard.press("g");
    await shown.keyboard.press("q");
    await shown.locator(".question.selected", { hasText: "file.delete" }).waitFor();
    await shown.waitForTimeout(500);
    await shown.keyboard.press("y");
    await shown.goto(session);
    await shown.getByText("Deleted a.txt.").waitFor();
    await shown.locator(".session-head").getByText("closed").waitFor();
    const said = await shown.locator(".entry-user .text, .entry-model").allTextContents();
    expect([said, existsSync(join(fixture.workspace, "a.txt")), errors]).toEqual([
      ["Delete a.txt.", "I delete it.", "Be brief.", "Deleted a.txt."],
      false,
      [],
    ]);
    await shown.close();
  },
);

/** Notes errors of the page, such as a violated security policy. The browser also reports answers that refuse something. */
function watch(watched: Page): void {
  watched.on("pageerror", (error) => errors.push(String(error.stack)));
  watched.on("console", (message) => {
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRefusal) errors.push(message.text());
  });
}

function heightOf(element: { getBoundingClientRect(): { height: number } }): number {
  return element.getBoundingClientRect().height;
}

/** Keys count for a question that has been shown for a moment. */
function settle(): Promise<void> {
  return page.waitForTimeout(500);
}

/** Opens a route, and waits until nothing loads any longer. */
async function open(hash: string): Promise<void> {
  await page.goto(`${server.url}/${hash}`);
  await page.reload();
  await page.getByText("toolcrib 0.1.0").waitFor({ state: "attached" });
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
