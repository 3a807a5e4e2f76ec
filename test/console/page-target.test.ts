/** @module-tag slow */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { launcher } from "../support/built-program.ts";
import { cliWithModel } from "../support/cli-with-model.ts";
import { openTestConsole } from "../support/console/open-console.ts";
import { describeTarget } from "../support/remote/real-targets.ts";
import { faultsOf } from "./accessibility.ts";
import { missingBrowser, still } from "./browser.ts";
import { clickOldestCall, desk, pageFolder, phone, type ShownPage, settle, showPage } from "./shown-page.ts";

describe.skipIf(missingBrowser)("the page (with Chromium)", () => {
  let fixture: ShownPage;
  beforeAll(async () => {
    fixture = await showPage();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await fixture?.[Symbol.asyncDispose]();
  });

  describeTarget("ssh", (target) => {
    it("starts and resumes an agent on a target, answers it, and undoes there", async () => {
      const { env, name, folder, here } = target();
      const place = `${name}:${folder}`;
      await using cli = await cliWithModel(
        [
          { text: "I delete it.", calls: [{ name: "file_delete", input: { path: "a.txt" } }] },
          { text: "Deleted a.txt." },
          { text: "Nothing else is left." },
        ],
        { PATH: env.PATH },
      );
      cli.write(join(cli.home, "config/config.toml"), 'dialect = "toolcrib"\n');
      vi.stubEnv("TOOLCRIB_HOME", cli.home);
      vi.stubEnv("PATH", env.PATH);
      writeFileSync(join(here, "a.txt"), "one\n");
      await cli.run("call", "file.read", "a.txt", "--target", place);
      const run = { program: [process.execPath, launcher], variables: cli.env };
      await using real = await openTestConsole({ home: cli.home, pageFolder, run });
      const shown = await fixture.browser.newPage({ ...still, viewport: desk });
      fixture.watch(shown);
      await shown.goto(`${real.origin}/#code=${real.newCode()}`);
      await shown.locator(".workspace-row", { hasText: "target" }).waitFor();
      await shown.setViewportSize(phone);
      // The whole name is visible.
      const sizes = `(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector(".workspace-row .title"))`;
      const [needed, shownWidth] = (await shown.evaluate(sizes)) as [number, number];
      expect(needed).toBeLessThanOrEqual(shownWidth);
      await shown.setViewportSize(desk);
      await shown.goto(`${real.origin}/#/sessions`);
      await shown.getByRole("button", { name: "Start a session" }).click();
      const dialog = shown.getByRole("dialog");
      await shown.setViewportSize(phone);
      const body = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".dialog-body"))`;
      expect(await shown.evaluate(body)).toBe(0);
      await shown.setViewportSize(desk);
      await dialog.getByLabel("Task").fill("Delete a.txt.");
      await dialog.getByRole("combobox", { name: "Mode" }).selectOption("safe");
      await dialog.getByRole("button", { name: "Start", exact: true }).click();
      await shown.locator(".question-bar").getByText(`run wants file.delete on ${place}`).waitFor();
      await shown.locator(".session-head").getByText(`on ${place}`).waitFor();
      const session = shown.url();
      await shown.goto(`${real.origin}/#/now`);
      await shown.locator(".question", { hasText: place }).waitFor();
      await settle(shown);
      await shown.keyboard.press("y");
      await shown.goto(session);
      await shown.getByText("Deleted a.txt.").waitFor();
      await shown.locator(".session-head").getByText("closed").waitFor();
      expect(existsSync(join(here, "a.txt"))).toBe(false);
      await shown.getByLabel("Message that resumes the session").fill("Is anything left?");
      await shown.getByRole("button", { name: "Send" }).click();
      await shown.getByText("Nothing else is left.").waitFor();
      await clickOldestCall(shown, real.origin, "file.delete", "1 call");
      await shown.keyboard.press("u");
      await dialog.getByText("a.txt").first().waitFor();
      await settle(shown);
      await dialog.getByText(`On ${place}`).waitFor();
      await dialog.getByRole("button", { name: "Undo", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      expect(readFileSync(join(here, "a.txt"), "utf8")).toBe("one\n");
      await shown.goto(`${real.origin}/#/health`);
      await shown.getByRole("region", { name: "Findings" }).getByText("without a finding").waitFor();
      expect(await faultsOf(shown)).toEqual([]);
      expect(fixture.errors).toEqual([]);
      await shown.close();
    });
  });
});
