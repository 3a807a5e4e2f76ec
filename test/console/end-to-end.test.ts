/** @module-tag slow */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedReply, SeenRequest } from "../providers/provider-server.ts";
import { type CliWithModel, cliWithModel } from "../support/cli-with-model.ts";
import { type McpProcess, mcpProcess } from "../support/mcp-process.ts";
import { missingBrowser, startBrowser, still } from "./browser.ts";

/** The built program in real processes: an MCP client, an agent and a command in two workspaces, and consoles that come and go. */
describe.skipIf(missingBrowser)("the console of a busy machine (with Chromium)", () => {
  let machine: CliWithModel;
  let browser: Browser;
  let mcp: McpProcess;
  let removal: Promise<string>;
  let agent: ChildProcessWithoutNullStreams;
  let agentOutput: Promise<string>;
  let first: RunningConsole;
  let second: RunningConsole;
  let page: Page;
  const errors: string[] = [];
  const steered = Promise.withResolvers<void>();
  const notes = () => join(machine.workspace, "../notes");

  /** The model. Its third reply waits until the user has steered the agent. */
  async function reply({ messages }: SeenRequest): Promise<ScriptedReply> {
    const round = messages.filter(({ role }) => role === "assistant").length;
    const read = { name: "file_read", input: { path: "limits.ts" } };
    const write = { name: "file_write", input: { path: "limits.ts", content: limits(5, 64) } };
    if (round === 0) return { text: "I read the limits.", calls: [read] };
    if (round === 1) return { text: "I change both.", calls: [write] };
    if (round > 2) return { text: `You said: ${messages.findLast(({ role }) => role === "user")?.text}` };
    await steered.promise;
    return { text: "I check it.", calls: [read] };
  }

  beforeAll(async () => {
    machine = await cliWithModel(reply);
    mkdirSync(notes());
    writeFileSync(join(notes(), "old.md"), "# Old\n");
    machine.write("limits.ts", limits(50, 1024));
    machine.write(join(machine.home, "config/config.toml"), 'dialect = "toolcrib"\n');
    const waiting = ["--mode", "safe", "--approval-wait-ms", "600000"];
    agent = machine.start("run", ...waiting, "Lower the limits");
    agent.stdin.end();
    agentOutput = text(agent.stdout);
    const call = machine.runProcess("call", "search.grep", "--pattern", "attempts");
    mcp = await mcpProcess(waiting, { cwd: notes(), env: machine.env });
    await mcp.call("file_read", { path: "old.md" });
    removal = mcp.call("file_delete", { path: "old.md" });
    [first, second, browser] = await Promise.all([
      startConsole(machine),
      startConsole(machine),
      startBrowser(),
    ]);
    page = await openPage(first);
    expect((await call).exit).toBe(0);
  });

  afterAll(async () => {
    await browser?.close();
    steered.resolve();
    for (const child of [agent, mcp?.child, first?.child, second?.child]) child?.kill("SIGTERM");
    for (const child of [agent, mcp?.child, first?.child, second?.child])
      if (child && child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await machine?.[Symbol.asyncDispose]();
  });

  async function openPage(console: RunningConsole): Promise<Page> {
    const opened = await browser.newPage({ ...still, viewport: { width: 1440, height: 900 } });
    opened.setDefaultTimeout(30_000);
    opened.on("pageerror", (error) => errors.push(String(error.stack)));
    await opened.goto(console.url);
    return opened;
  }

  it("shows an MCP client, an agent and a command of two workspaces", async () => {
    await page.getByText("2 questions wait").waitFor();
    const sessions = page.getByRole("region", { name: "Open sessions" });
    await sessions.getByText("Lower the limits").waitFor();
    await sessions.getByText("trial").first().waitFor();
    await expect.poll(() => page.locator(".workspace-row .title").allTextContents()).toHaveLength(2);
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    for (const [client, tool] of [
      ["trial", "file.read"],
      ["run", "file.read"],
      ["cli", "search.grep"],
    ]) {
      const row = page.locator(".call-row", { hasText: tool! }).filter({ hasText: client! });
      await row.first().waitFor();
    }
  });

  it("counts the first of two answers to a question, and says so to the other console", async () => {
    const other = await openPage(second);
    const sent = Promise.withResolvers<void>();
    const isDecided = Promise.withResolvers<void>();
    await other.route("**/approvals/answer", async (route) => {
      sent.resolve();
      await isDecided.promise;
      await route.continue();
    });
    const card = (shown: Page) => shown.locator(".question", { hasText: "file.delete" });
    await card(other).getByRole("button", { name: "Allow once" }).click();
    await sent.promise;
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await card(page).getByRole("button", { name: "Deny…" }).click();
    await page.getByLabel("Message to the model").fill("Keep the old notes.");
    await page.getByRole("button", { name: "Deny", exact: true }).click();
    expect(await removal).toContain("Keep the old notes.");
    isDecided.resolve();
    await other.getByText("This question was already answered elsewhere").waitFor();
    expect(existsSync(join(notes(), "old.md"))).toBe(true);
    await other.close();
  });

  it("loses nothing when the console restarts: the question of the agent is answered by a key", async () => {
    const ended = once(first.child, "exit");
    first.child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
    await page.getByText("Offline, reconnecting…").waitFor();
    first = await startConsole(machine);
    await page.goto(first.url);
    const question = page.locator(".question.selected", { hasText: "limits.ts" });
    await question.waitFor();
    expect(await question.locator(".file-diff .added").first().textContent()).toBe("+2");
    // Keys count for a question that has been shown for a moment.
    await expect
      .poll(async () => {
        await page.keyboard.press("y");
        return question.count();
      })
      .toBe(0);
    await expect.poll(() => machine.read("limits.ts")).toBe(limits(5, 64));
  });

  it("steers the agent while its model works", async () => {
    await page.locator(".session-row", { hasText: "Lower the limits" }).click();
    await page.getByLabel("Message to the agent").fill("Be brief.");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => page.getByLabel("Message to the agent").inputValue()).toBe("");
    steered.resolve();
    await page.getByText("You said: Be brief.").waitFor();
    await page.locator(".session-head").getByText("closed").waitFor();
    expect(await agentOutput).toContain("You said: Be brief.");
    expect(machine.server.breaches).toEqual([]);
  });

  it("undoes one hunk of the agent's edit on disk", async () => {
    await page.locator(".entry-calls a", { hasText: "file.write" }).click();
    await page.getByRole("button", { name: "Undo hunk 2" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1024").first().waitFor();
    await dialog.getByRole("button", { name: "Undo", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(machine.read("limits.ts")).toBe(limits(5, 1024));
    expect(errors).toEqual([]);
  });
});

/** A file whose two values are far apart, so that changing both makes two hunks. */
function limits(attempts: number, body: number): string {
  const between = Array.from({ length: 20 }, (_, index) => `// ${index}`).join("\n");
  return `export const attempts = ${attempts};\n${between}\nexport const body = ${body};\n`;
}

interface RunningConsole {
  readonly child: ChildProcessWithoutNullStreams;
  readonly url: string;
}

async function startConsole(machine: CliWithModel): Promise<RunningConsole> {
  const child = machine.start("console", "--json");
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, "line")) as [string];
  return { child, url: (JSON.parse(line) as { url: string }).url };
}
