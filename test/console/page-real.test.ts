/** @module-tag slow */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { launcher } from "../support/built-program.ts";
import { cliWithModel } from "../support/cli-with-model.ts";
import { type BusyMachine, makeBusy } from "../support/console/busy-machine.ts";
import { type OpenConsole, openTestConsole } from "../support/console/open-console.ts";
import { faultsOf } from "./accessibility.ts";
import { missingBrowser, still } from "./browser.ts";
import {
  clickOldestCall,
  desk,
  pageFolder,
  press,
  type ShownPage,
  settle,
  showPage,
  tabTo,
} from "./shown-page.ts";

let fixture: ShownPage;
beforeAll(async () => {
  if (missingBrowser === undefined) fixture = await showPage();
});
afterAll(() => fixture?.[Symbol.asyncDispose]());

describe.skipIf(missingBrowser)(
  "the page of a real server, with an MCP client, an agent and commands (with Chromium)",
  () => {
    let real: OpenConsole;
    let machine: BusyMachine;
    let shown: Page;
    const file = () => join(real.folder, "shop/src/server/login.ts");
    beforeAll(async () => {
      real = await openTestConsole({ pageFolder });
      // The commands behind rules and health look here, as in a terminal.
      vi.stubEnv("TOOLCRIB_HOME", real.directories.state);
      // Doctor attacks no sandbox, which takes seconds. It does so on the target of another test.
      vi.stubEnv("TOOLCRIB_SANDBOX", "none");
      machine = await makeBusy(real);
      shown = await fixture.browser.newPage({ ...still, viewport: desk });
      fixture.watch(shown);
      await shown.goto(`${real.origin}/#code=${real.newCode()}`);
    });
    afterAll(async () => {
      await machine?.[Symbol.asyncDispose]();
      await real?.[Symbol.asyncDispose]();
      vi.unstubAllEnvs();
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
      await clickOldestCall(shown, real.origin, "edit.replace", "2 calls");
      await shown.keyboard.press("u");
      const dialog = shown.getByRole("dialog");
      await dialog.getByText("login.ts").first().waitFor();
      const keep = dialog.getByLabel("Keep later edits, where they do not overlap");
      if (await dialog.getByRole("alert").isVisible()) await keep.check();
      await dialog.getByRole("button", { name: "Undo", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      expect(readFileSync(file(), "utf8")).toMatch(/codes\.has\(code\)[\s\S]*"64kb"/);
      await shown.getByRole("button", { name: "Redo", exact: true }).click();
      await dialog.getByRole("button", { name: "Redo", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      expect(readFileSync(file(), "utf8")).toMatch(/codes\.delete\(code\)[\s\S]*"64kb"/);
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
      expect(fixture.errors).toEqual([]);
    });

    it("undoes a whole session after a preview, and redoes it", async () => {
      const after = readFileSync(file(), "utf8");
      await shown.goto(`${real.origin}/#/sessions`);
      await shown.locator(".session-row", { hasText: "Fix the login" }).press("Enter");
      await shown.getByText("Plan 3 of 3").waitFor();
      await press(shown, "u");
      const dialog = shown.getByRole("dialog", { name: "Undo the whole session" });
      await dialog.getByText("codes.has(code)").waitFor();
      expect(readFileSync(file(), "utf8")).toBe(after);
      await tabTo(shown, "button", "Undo");
      await press(shown, "Enter");
      await dialog.waitFor({ state: "detached" });
      expect(readFileSync(file(), "utf8")).toMatch(/codes\.has\(code\)[\s\S]*"1mb"/);
      await tabTo(shown, "button", "Redo");
      await press(shown, "Enter");
      const redo = shown.getByRole("dialog", { name: "Redo the latest undo" });
      await redo.getByText("codes.delete(code)").waitFor();
      await tabTo(shown, "button", "Redo");
      await press(shown, "Enter");
      await redo.waitFor({ state: "detached" });
      expect(readFileSync(file(), "utf8")).toBe(after);
    });

    it("says why an undo is refused after a later edit, and keeps that edit", async () => {
      const before = readFileSync(file(), "utf8");
      writeFileSync(file(), before.replace("codes.delete(code)", "codes.delete(code.trim())"));
      await clickOldestCall(shown, real.origin, "edit.replace", "2 calls");
      await press(shown, "u");
      const dialog = shown.getByRole("dialog");
      await dialog.getByRole("alert").getByText("src/server/login.ts").waitFor();
      await dialog.getByRole("alert").getByText("“Keep later edits”").waitFor();
      await tabTo(shown, "checkbox", "Keep later edits, where they do not overlap");
      await press(shown, "Space");
      await dialog.getByRole("alert").getByText("it is now:").waitFor();
      expect(await dialog.getByRole("button", { name: "Undo", exact: true }).isDisabled()).toBe(true);
      await press(shown, "Escape");
      await dialog.waitFor({ state: "detached" });
      writeFileSync(file(), before);
    });

    it("explains a call, tries a rule on recorded calls, adds it and revokes it", async () => {
      await shown.goto(`${real.origin}/#/rules`);
      await shown.getByLabel("Workspace").selectOption({ label: "shop" });
      const explained = shown.getByRole("region", { name: "Explain a call" });
      const explain = async (verdict: string) => {
        await tabTo(shown, "textbox", "Call to explain");
        await shown.keyboard.press("ControlOrMeta+a");
        await shown.keyboard.insertText("write src/server/login.ts");
        await press(shown, "Enter");
        await explained.locator("p .verdict").getByText(verdict).waitFor();
      };
      await explain("allow");
      await tabTo(shown, "textbox", "Rules, one per line");
      await shown.keyboard.insertText("ask write src/server/**");
      await tabTo(shown, "button", "Try");
      await press(shown, "Enter");
      const changed = shown.locator(".tried-row");
      await changed.first().waitFor();
      expect(await changed.allTextContents()).toEqual([
        expect.stringMatching(/^allowask.*login\.ts/),
        expect.stringMatching(/^allowask.*login\.ts/),
      ]);
      await tabTo(shown, "button", "Add");
      await press(shown, "Enter");
      await shown.getByRole("button", { name: "Revoke ask write src/server/**" }).waitFor();
      await explain("ask");
      await tabTo(shown, "button", "Revoke ask write src/server/**");
      await press(shown, "Enter");
      await shown.getByText("No grants.").waitFor();
      await explain("allow");
    });

    it("exports a conversation as Markdown, and forks it", async () => {
      await shown.goto(`${real.origin}/#/sessions`);
      await shown.locator(".session-row", { hasText: "Fix the login" }).press("Enter");
      await shown.getByText("Plan 3 of 3").waitFor();
      const session = shown.url();
      const downloading = shown.waitForEvent("download");
      await tabTo(shown, "link", "Export");
      await press(shown, "Enter");
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/\.md$/);
      expect(readFileSync(await download.path(), "utf8")).toContain("One file changed, as intended.");
      await tabTo(shown, "button", "Fork before this");
      await press(shown, "Enter");
      await expect.poll(() => shown.url()).not.toBe(session);
      await shown.getByLabel("Message that resumes the session").waitFor();
      expect(await shown.locator(".entry-user .text").allTextContents()).toEqual([
        "Fix the login: a code must count only once. Also limit the body to 64 kB.",
      ]);
      expect(fixture.errors).toEqual([]);
    });

    it("verifies the journal, and shows the findings of doctor", async () => {
      await shown.goto(`${real.origin}/#/health`);
      await tabTo(shown, "button", "Verify the hash chain");
      await press(shown, "Enter");
      await shown.getByText(/Intact: \d+ records/).waitFor();
      const findings = shown.getByRole("region", { name: "Findings" });
      await findings.getByText(/^[1-9]\d* checks? without a finding$/).waitFor();
      expect(await faultsOf(shown)).toEqual([]);
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
    await using cli = await cliWithModel([
      { text: "I delete it.", calls: [{ name: "file_delete", input: { path: "a.txt" } }] },
      { text: "Deleted **a.txt**." },
    ]);
    cli.write(join(cli.home, "config/config.toml"), 'dialect = "toolcrib"\n');
    await cli.run("call", "file.write", "--path", "a.txt", "--content", "one");
    const run = { program: [process.execPath, launcher], variables: cli.env };
    await using real = await openTestConsole({ home: cli.home, pageFolder, run });
    const shown = await fixture.browser.newPage(still);
    fixture.watch(shown);
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
    await settle(shown);
    await shown.keyboard.press("y");
    await shown.goto(session);
    await shown.getByText("Deleted a.txt.").waitFor();
    await shown.locator(".session-head").getByText("closed").waitFor();
    const said = await shown.locator(".entry-user .text, .entry-model").allTextContents();
    expect([said, existsSync(join(cli.workspace, "a.txt")), fixture.errors]).toEqual([
      ["Delete a.txt.", "I delete it.", "Be brief.", "Deleted a.txt."],
      false,
      [],
    ]);
    await shown.close();
  },
);
