/**
 * Does the same work with Toolcrib and with other MCP servers, and writes docs/comparison.md.
 *   npm run comparison [-- --page] [--only <server>,…]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { workDirectory } from "../data/data.ts";
import { describeMachine } from "../report.ts";
import { runChecks } from "./checks.ts";
import { type Installed, installServer } from "./install.ts";
import {
  type Contestant,
  measureReads,
  measureStarts,
  measureTasks,
  writeMeasuredFiles,
} from "./measures.ts";
import { comparisonPage } from "./page.ts";
import type { Comparison, Measure } from "./result.ts";
import { servers } from "./servers.ts";

const stored = new URL("../../docs/comparison.json", import.meta.url);
const page = new URL("../../docs/comparison.md", import.meta.url);

const { values: options } = parseArgs({
  options: { page: { type: "boolean", default: false }, only: { type: "string" } },
});

if (!options.page) {
  const only = options.only?.split(",");
  const result = await compare(only);
  const text = `${JSON.stringify(result, undefined, 2)}\n`;
  if (only === undefined) writeFileSync(stored, text);
  else process.stdout.write(text);
}
writeFileSync(page, comparisonPage(JSON.parse(readFileSync(stored, "utf8")) as Comparison));

async function compare(only: readonly string[] | undefined): Promise<Comparison> {
  const compared = servers.filter(({ name }) => only === undefined || only.includes(name));
  const installed = new Map(compared.map((server) => [server.name, installServer(server)]));
  const contestants = compared.map((server): Contestant => {
    const folder = join(workDirectory, "comparison files", server.name);
    rmSync(folder, { recursive: true, force: true });
    const [workspace, home] = [join(folder, "measured"), join(folder, "home")];
    for (const each of [workspace, home]) mkdirSync(each, { recursive: true });
    writeRepository(workspace);
    return { server, options: { program: installed.get(server.name)!.program, workspace, home } };
  });
  const [load] = loadavg();
  const starts = await measureStarts(contestants);
  const failures: string[] = [];
  const report = (failure: string) => void failures.push(failure);
  const tasks = await measureTasks(contestants, report);
  const reads = await measureReads(contestants, report);
  return {
    machine: describeMachine(),
    load: load!,
    servers: compared.map(({ name, settings }) => ({
      name,
      version: installed.get(name)!.version,
      settings,
    })),
    measures: [...starts, ...tasks, ...reads, ...measureSizes(installed)],
    failures,
    checks: await runChecks(contestants),
  };
}

/** A repository with one commit and one changed file. */
function writeRepository(workspace: string): void {
  writeMeasuredFiles(workspace);
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=Bench", "-c", "user.email=bench@localhost", ...words], {
      cwd: workspace,
      stdio: "ignore",
    });
  git("init");
  git("add", ".");
  git("commit", "--message", "Begin");
  writeFileSync(join(workspace, "file-0.ts"), "changed\n");
}

function measureSizes(installed: ReadonlyMap<string, Installed>): readonly Measure[] {
  const values = (pick: (each: Installed) => number) =>
    Object.fromEntries([...installed].map(([name, each]) => [name, pick(each)]));
  const about = "in `node_modules` after `npm install`, with everything it depends on";
  return [
    {
      name: "installed size",
      about,
      unit: "MB",
      better: "less",
      values: values(({ megabytes }) => megabytes),
    },
    {
      name: "installed packages",
      about,
      unit: "",
      better: "less",
      values: values(({ packages }) => packages),
    },
  ];
}
