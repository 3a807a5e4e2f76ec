import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { Journal } from "../../src/journal/journal.ts";
import { workspaceDirectory } from "../../src/system/directories.ts";
import { openToolcrib } from "../../src/toolcrib/index.ts";
import { type Browser, type Page, startBrowser } from "../../test/console/browser.ts";
import { builtProgram } from "../../test/support/built-program.ts";
import { workDirectory } from "../data/data.ts";
import { type CaseResult, type Group, shortNumber, type Verdict } from "../harness.ts";
import { Talk } from "../mcp/talk.ts";
import { cpuNsOf } from "../process-tree.ts";

const folder = join(workDirectory, "console");
const home = join(folder, "home");
const workspace = join(folder, "workspace 0");

/** The console as users get it, in a real browser, with a history of 100,000 calls and 20 workspaces. */
export const group: Group = {
  needs: [],
  cases: [],
  run: async function* ({ only }) {
    process.env.TOOLCRIB_HOME = home;
    await makeHistory();
    await using stage = await openStage();
    for (const [name, measure] of Object.entries(measures))
      if (name.includes(only)) yield { group: "console", name, contenders: [], ...(await measure(stage)) };
  },
};

const measures = {
  "first load": firstLoad,
  "first rows": firstRows,
  "rows while scrolling": rowsInDocument,
  "filter 100,000 calls by text": filterByText,
  "a question becomes visible": question,
  "undo of a hunk": undoHunk,
  idle,
  "a busy MCP server": busy,
};

type Measured = Pick<CaseResult, "about" | "table" | "verdicts">;

interface Stage extends AsyncDisposable {
  readonly page: Page;
  readonly console: ChildProcessWithoutNullStreams;
  readonly address: string;
}

/** Records through the journal's own code, in its batches. */
async function makeHistory(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  for (let index = 0; index < 20; index += 1) {
    const path = join(folder, `workspace ${index}`);
    mkdirSync(path, { recursive: true });
    const crib = await openToolcrib({ ...directories, workspace: path });
    await crib.call("file.write", { path: "a.txt", content: "a\n" });
    await crib.close();
  }
  const file = join(workspaceDirectory(home, workspace), "journal.sqlite");
  const journal = new Journal({
    file,
    session: "session_bench",
    workspace,
    client: { kind: "mcp", name: "bench" },
  });
  const began = Date.now() - 100_000_000;
  for (let index = 0; index < 100_000; index += 1) {
    const input = { path: `src/${words[index % words.length]}/file-${index}.ts`, limit: index % 100 };
    const attempt = {
      callId: `call_${index}`,
      tool: tools[index % tools.length]!,
      input,
      startedAt: began + index * 900,
    };
    const isFailed = index % 17 === 0;
    const ending = {
      outcome: isFailed ? "not-found" : "ok",
      message: isFailed ? `No file: ${input.path}` : undefined,
    } as const;
    journal.finish(attempt, { ...ending, outputHandle: undefined, durationMs: index % 50, account: {} });
  }
  journal.close();
}

const directories = { stateDirectory: home, configDirectory: join(home, "config") };
const tools = ["file.read", "search.grep", "file.write", "shell.run", "edit.replace"];
const words = [
  "server",
  "login",
  "cart",
  "parser",
  "index",
  "router",
  "tests",
  "models",
  "session",
  "journal",
  "view",
];

async function openStage(): Promise<Stage> {
  const child = spawn(process.execPath, [builtProgram, "console", "--json"], { cwd: workspace });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const browser: Browser = await startBrowser();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(120_000);
  await page.goto(url);
  await page.getByText("100,00").first().waitFor();
  return {
    page,
    console: child,
    address: new URL(url).origin,
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
}

async function firstLoad(): Promise<Measured> {
  const files = globSync("*", { cwd: join(builtProgram, "../console") });
  const sizes = files.map((name) => gzipSync(readFileSync(join(builtProgram, "../console", name))).length);
  const kilobytes = sizes.reduce((sum, size) => sum + size) / 1000;
  return result("All files of the page, compressed by gzip.", atMost(60, kilobytes, "kB"));
}

async function firstRows({ page, address }: Stage): Promise<Measured> {
  await page.addInitScript(`new MutationObserver((_, observer) => {
    if (!document.querySelector(".call-row")) return;
    globalThis.rowsAt = performance.now(); observer.disconnect();
  }).observe(document, { childList: true, subtree: true })`);
  const times: number[] = [];
  await page.goto(`${address}/#/trace`);
  for (let round = 0; round < 15; round += 1) {
    await page.reload();
    await page.locator(".call-row").first().waitFor();
    times.push(await page.evaluate("rowsAt - performance.getEntriesByType('navigation')[0].loadEventEnd"));
  }
  const about =
    "The trace of 100,000 calls: from the load event of the page to the first row in the document, p50 of 15.";
  return result(about, atMost(150, quantile(times, 0.5), "ms"), times);
}

async function rowsInDocument({ page, address }: Stage): Promise<Measured> {
  await page.goto(`${address}/#/trace`);
  await page.locator(".call-row").first().waitFor();
  let most = 0;
  for (let top = 0; top < 60_000; top += 1_500) {
    await page.locator(".scroller").evaluate((element, to) => element.scrollTo(0, to), top);
    await page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
    );
    most = Math.max(most, await page.locator(".virtual > li").count());
  }
  return result("The most rows in the document, over 40 steps.", atMost(200, most, "rows"));
}

async function filterByText({ page }: Stage): Promise<Measured> {
  const wanted = [
    ...words,
    "file-99",
    "file-12345",
    "nothing has this",
    "No file",
    "src/cart grep",
    "shell",
    "%",
  ];
  const times = await page.evaluate<number[]>(`(async (wanted) => {
    const times = [];
    for (let round = 0; round < 5; round++) for (const text of wanted) {
      const began = performance.now();
      await (await fetch(localStorage["toolcrib.api"] + "/calls?limit=200&text=" + encodeURIComponent(text))).json();
      times.push(performance.now() - began);
    }
    return times;
  })(${JSON.stringify(wanted)})`);
  const about =
    "From the request of the page to its parsed answer: 18 texts, rare, common and absent, five times; p95.";
  return result(about, atMost(50, quantile(times, 0.95), "ms"), times);
}

async function question({ page, address }: Stage): Promise<Measured> {
  await page.goto(`${address}/#/now`);
  const talk = await new Talk([
    builtProgram,
    "mcp",
    "--mode",
    "safe",
    "--workspace",
    join(folder, "workspace 1"),
  ]).open();
  const times: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const path = `new-${round}.txt`;
    const seen = page.evaluate<number>(`new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (!document.body.textContent.includes("${path}")) return;
        observer.disconnect(); resolve(Date.now());
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    })`);
    const began = Date.now();
    await talk.request("tools/call", { name: "file_write", arguments: { path, content: "x" } });
    times.push((await seen) - began);
  }
  await talk.close();
  const about =
    "From the call of an MCP client to the question in the document, the call included: p95 of 15.";
  return result(about, atMost(300, quantile(times, 0.95), "ms"), times);
}

async function undoHunk({ page }: Stage): Promise<Measured> {
  const path = join(folder, "workspace 2");
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const crib = await openToolcrib({ ...directories, workspace: path, mode: "yolo" });
  const calls: string[] = [];
  for (let round = 0; round < 15; round += 1) {
    writeFileSync(join(path, `${round}.txt`), lines.join("\n"));
    await crib.call("file.read", { path: `${round}.txt` });
    const content = lines.map((line, index) => (index % 30 === 2 ? `${line} changed` : line)).join("\n");
    calls.push((await crib.call("file.write", { path: `${round}.txt`, content })).callId);
  }
  await crib.close();
  const id = workspaceDirectory(home, path).split("/").at(-1);
  const times: number[] = [];
  for (const [round, call] of calls.entries()) {
    const body = { workspace: id, calls: [call], paths: [`${round}.txt`], hunk: 1, dryRun: false };
    const [status, ms] = await page.evaluate<[number, number]>(`(async () => {
      const began = performance.now();
      const answer = await fetch(localStorage["toolcrib.api"] + "/undo", { method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(body))} });
      await answer.json();
      return [answer.status, performance.now() - began];
    })()`);
    if (status !== 200) throw new Error(`The undo was refused: ${status}`);
    times.push(ms);
  }
  const about = "From the request of the page to the answer, the file changed and recorded: p50 of 15.";
  return result(about, atMost(100, quantile(times, 0.5), "ms"), times);
}

async function idle({ console }: Stage): Promise<Measured> {
  const secondsOf = async (seconds: number) => {
    const before = cpuNsOf(console.pid!);
    await wait(seconds * 1000);
    return (cpuNsOf(console.pid!) - before) / 1e9;
  };
  // Earlier work may still cost: histories are prepared, and V8 frees memory some seconds after the last work.
  let [before, last] = [Number.POSITIVE_INFINITY, await secondsOf(5)];
  for (let tries = 0; tries < 20 && Math.abs(before - last) > 0.002 + last / 5; tries += 1)
    [before, last] = [last, await secondsOf(5)];
  const percent = ((await secondsOf(30)) / 30) * 100;
  const about =
    "Processor time of the console in 30 s, with a page open, 20 workspaces and nothing happening, once two windows of 5 s cost the same.";
  return result(about, atMost(1, percent, "%"));
}

/**
 * In pairs, because a busy machine affects both turns of a pair. In one turn of each pair the console is stopped by a signal;
 * it comes first in every second pair.
 */
async function busy({ console }: Stage): Promise<Measured> {
  const talk = await new Talk([builtProgram, "mcp", "--workspace", join(folder, "workspace 3")]).open();
  const work = async () => {
    const before = cpuNsOf(talk.child.pid!);
    for (let round = 0; round < 300; round += 1)
      await Promise.all(Array.from({ length: 10 }, () => talk.call("file_read", { path: "a.txt" })));
    return (cpuNsOf(talk.child.pid!) - before) / 1e6;
  };
  const followed = async () => {
    console.kill("SIGCONT");
    await wait(1_000);
    return work();
  };
  const alone = async () => {
    console.kill("SIGSTOP");
    await wait(1_000);
    return work();
  };
  // The first calls are compiled.
  for (let round = 0; round < 2; round += 1) await work();
  const pairs: { readonly with: number; readonly without: number }[] = [];
  try {
    for (let pair = 0; pair < 16; pair += 1) {
      const first = pair % 2 === 0 ? await followed() : await alone();
      const second = pair % 2 === 0 ? await alone() : await followed();
      pairs.push(pair % 2 === 0 ? { with: first, without: second } : { with: second, without: first });
    }
  } finally {
    console.kill("SIGCONT");
  }
  await talk.close();
  const more = pairs.map((pair) => (pair.with / pair.without - 1) * 100);
  const about =
    "Processor time of an MCP server for 3,000 reads, with a console that follows it and with a stopped one, in ms; p50 of 16 pairs, which take turns.";
  const costs = [pairs.map((pair) => pair.with), pairs.map((pair) => pair.without)];
  return result(about, atMost(5, quantile(more, 0.5), "% more"), ...costs);
}

function quantile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}

function atMost(limit: number, value: number, unit: string): Verdict {
  return {
    goal: `≤ ${limit} ${unit}`,
    value,
    measured: `${shortNumber(value)} ${unit}`,
    met: value <= limit,
  };
}

function result(about: string, verdict: Verdict, ...series: readonly (readonly number[])[]): Measured {
  const rows = series.map((times) => [0, 0.5, 0.95, 1].map((part) => shortNumber(quantile(times, part))));
  const table = rows.length > 0 ? { table: [["min", "p50", "p95", "max"], ...rows] } : {};
  return { about, ...table, verdicts: [verdict] };
}
