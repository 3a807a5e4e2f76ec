import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type OpenConsole, openTestConsole } from "../../../test/support/console/open-console.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { consoleCommands } from "../../cli/console/console-commands.ts";
import type { ApprovalRequest } from "../../engine/approvals/approval-request.ts";
import { AllPendingApprovals } from "../../engine/approvals/approvals.ts";
import { QuestionStore } from "../../engine/approvals/question-store.ts";
import { policyFiles } from "../../system/policy-files.ts";
import type { Toolcrib } from "../../toolcrib/index.ts";
import type { ConsoleEvent, PendingQuestion } from "../api.ts";
import { Questions } from "./questions.ts";
import { Workspaces } from "./workspaces.ts";

type Page = Awaited<ReturnType<OpenConsole["login"]>>;

/** Makes a call that needs approval, and waits until the page shows its question. */
async function ask(console: OpenConsole, options: { readonly tool?: string; readonly input?: object } = {}) {
  const { tool = "file.delete", input = { path: "a.txt" } } = options;
  const crib = await console.open("one", {
    mode: "safe",
    pendingApprovals: true,
    approvalWaitMs: 60_000,
    client: { kind: "mcp", name: "claude-code" },
    sandbox: "none",
  });
  const page = await console.login();
  const setUp = await console.open("one", { mode: "yolo" });
  await setUp.call("file.write", { path: "a.txt", content: "one\ntwo\n" });
  const call = crib.call(tool, input);
  const question = await questionIn(page);
  return { crib, page, call, question };
}

async function questionIn(page: Page): Promise<PendingQuestion> {
  await using stream = await page.events();
  const isAsked = (event: ConsoleEvent): event is Extract<ConsoleEvent, { type: "overview" }> =>
    event.type === "overview" && event.overview.approvals.some(({ isAnswered }) => !isAnswered);
  const { overview } = await stream.until(isAsked);
  return overview.approvals.find(({ isAnswered }) => !isAnswered)!;
}

function answerTo({ workspace, id, shown }: PendingQuestion) {
  return { workspace, id, shown };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const hasFile = (crib: Toolcrib) => existsSync(join(crib.workspace, "a.txt"));

it("a question says how many recorded questions each width of always would have answered", async () => {
  const { countAnswered } = consoleCommands;
  await using console = await openTestConsole({ commands: { countAnswered } });
  vi.stubEnv("TOOLCRIB_HOME", console.directories.state);
  const earlier = await console.open("one", { mode: "safe" });
  for (const path of ["a.txt", "a.txt", "b.txt"]) {
    writeFileSync(join(earlier.workspace, path), path);
    expect((await earlier.call("file.delete", { path })).error?.code).toBe("needs-approval");
  }
  const { page, question } = await ask(console);
  expect(question.view.choices[1]?.rules.join()).toContain("a.txt");
  await using stream = await page.events();
  const isCounted = (event: ConsoleEvent) =>
    event.type === "overview" && event.overview.approvals.some(({ saved }) => saved[0] === 2);
  await stream.until(isCounted);
});

describe("POST /api/approvals/answer", () => {
  it("lets the waiting client go on at once", async () => {
    await using console = await openTestConsole();
    const { crib, page, call, question } = await ask(console);
    expect(question).toMatchObject({
      tool: "file.delete",
      title: "a.txt",
      client: { kind: "mcp", name: "claude-code" },
      view: { risk: "destructive" },
      isAnswered: false,
    });
    const { status } = await page.post("/approvals/answer", { ...answerTo(question), answer: "once" });
    expect([status, (await call).error, hasFile(crib)]).toEqual([200, null, false]);
  });

  it("shows every argument of a command", async () => {
    await using console = await openTestConsole();
    const { question } = await ask(console, {
      tool: "shell.run",
      input: { command: "npm test > b.txt", background: true, description: "Run the tests" },
    });
    const texts = question.view.body.map(({ label, text }) => [label, text]);
    expect([texts.slice(0, 3), question.waiting]).toEqual([
      [
        ["Command", "npm test > b.txt"],
        ["Input", '{"background":true}'],
        ["Purpose", "Run the tests"],
      ],
      1,
    ]);
  });

  it("shows the diff of an edit as hunks", async () => {
    await using console = await openTestConsole();
    const input = { path: "a.txt", content: "one\nTWO\n" };
    const { page, call, question } = await ask(console, { tool: "file.write", input });
    expect(question.files).toMatchObject([{ path: "a.txt", kind: "changed" }]);
    expect(question.files[0]!.hunks[0]!.lines).toEqual([
      { kind: " ", text: "one" },
      { kind: "-", text: "two" },
      { kind: "+", text: "TWO" },
    ]);
    await page.post("/approvals/answer", { ...answerTo(question), answer: "no", message: "Use b.txt" });
    expect((await call).error).toMatchObject({
      code: "denied",
      message: expect.stringContaining("Use b.txt"),
    });
  });

  it("adds the rules of the chosen width for always", async () => {
    await using console = await openTestConsole();
    const { crib, page, call, question } = await ask(console);
    const { id, rules } = question.view.choices.at(-2)!;
    await page.post("/approvals/answer", { ...answerTo(question), answer: id });
    expect((await call).error).toBe(null);
    const { granted } = policyFiles(console.directories.config, crib.workspace);
    for (const rule of rules) expect(readFileSync(granted, "utf8")).toContain(rule);
  });

  it("refuses an answer to another request, twice, to what was not shown, or that was not offered", async () => {
    await using console = await openTestConsole();
    const { crib, page, call, question } = await ask(console);
    const given = { ...answerTo(question), answer: "once" };
    const other = "0".repeat(64);
    const statusOf = async (body: object) => (await page.post("/approvals/answer", body)).status;
    expect([
      await statusOf({ ...given, shown: other }),
      await statusOf({ ...given, id: "222222" }),
      await statusOf({ ...given, workspace: "other-0000" }),
      await statusOf({ ...given, answer: "always 3" }),
      await statusOf({ ...given, answer: "always", rules: ["allow run *"] }),
      await statusOf({ ...given, answer: "yes" }),
      await statusOf({ ...given, shown: question.shown.toUpperCase() }),
    ]).toEqual([409, 409, 409, 409, 400, 400, 400]);
    const database = new DatabaseSync(join(console.directories.state, "approvals.db"));
    const change = (from: string, to: string) =>
      database.prepare("UPDATE questions SET request = replace(request, ?, ?)").run(from, to);
    change('"words":"delete', '"words":"read');
    expect(await statusOf({ ...given, answer: "always" })).toBe(409);
    change('"words":"read', '"words":"delete');
    database.close();
    expect(hasFile(crib)).toBe(true);
    expect(await statusOf(given)).toBe(200);
    await call;
    expect(hasFile(crib)).toBe(false);
    expect(await statusOf(given)).toBe(409);
  });
});

it("notices every change of the questions, also two within one tick of the file system's clock", {
  tags: "slow",
}, async () => {
  await using folder = temporaryFolder();
  const directories = { state: folder.path, config: folder.path };
  const questions = new Questions(new Workspaces(folder.path), { directories, commands: consoleCommands });
  const store = new QuestionStore(folder.path);
  const asker = { workspace: "/w", session: "session_1", client: { kind: "library" } } as const;
  const request = { hash: "a", previewHash: "a", parts: [] } as unknown as ApprovalRequest;
  const before = questions.hasChanged();
  const seen: boolean[] = [];
  for (let round = 0; round < 20; round += 1) {
    const open = store.open(request, asker)!;
    seen.push(questions.hasChanged());
    open.close();
    seen.push(questions.hasChanged());
  }
  expect([before, questions.hasChanged(), seen]).toEqual([false, false, Array(40).fill(true)]);
});

it("a question disappears with the process that asked it, without any other change", {
  tags: "slow",
}, async () => {
  await using console = await openTestConsole();
  const page = await console.login();
  const crib = await console.open("one", { mode: "safe", pendingApprovals: true });
  writeFileSync(join(crib.workspace, "a.txt"), "one\n");
  const program = join(import.meta.dirname, "../../toolcrib/index.ts");
  const { state, config } = console.directories;
  const options = { workspace: crib.workspace, stateDirectory: state, configDirectory: config, mode: "safe" };
  const script = `import { openToolcrib } from ${JSON.stringify(program)};
    setInterval(() => {}, 1000);
    const crib = await openToolcrib({ ...${JSON.stringify(options)}, approve: () => new Promise(() => {}) });
    await crib.call("file.delete", { path: "a.txt" });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
  try {
    await questionIn(page);
    await using stream = await page.events();
    child.kill("SIGKILL");
    const isGone = (event: ConsoleEvent) =>
      event.type === "overview" && event.overview.approvals.length === 0;
    expect(await stream.until(isGone)).toMatchObject({ overview: { approvals: [] } });
  } finally {
    child.kill("SIGKILL");
  }
});

it("a question that was denied elsewhere is no longer in the overview, although no call waits", async () => {
  await using console = await openTestConsole();
  const crib = await console.open("one", { mode: "safe", pendingApprovals: true });
  writeFileSync(join(crib.workspace, "a.txt"), "one\n");
  const page = await console.login();
  expect((await crib.call("file.delete", { path: "a.txt" })).error?.code).toBe("needs-approval");
  const question = await questionIn(page);
  await using stream = await page.events();
  const pending = new AllPendingApprovals(console.directories);
  await pending.answer(pending.find(question.id)!, { allow: false });
  const isGone = (event: ConsoleEvent) => event.type === "overview" && event.overview.approvals.length === 0;
  expect(await stream.until(isGone)).toMatchObject({ overview: { approvals: [] } });
  expect((await crib.call("file.delete", { path: "a.txt" })).error?.code).toBe("denied");
});
