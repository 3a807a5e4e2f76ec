import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { bundledProgram } from "../support/bundled-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Check, type Leg, type Revision, revisions, type Scenario } from "./scenario.ts";
import { servedFixtures } from "./served-fixtures.ts";

export interface ScenarioRun extends Scenario {
  readonly checks: readonly Check[];
}

/** Everything that the suite knows of both revisions, in its order. */
export async function allScenarios(): Promise<readonly Scenario[]> {
  const lists = revisions.map(async (revision) => {
    const { stdout } = await conformance("list", "--requirements", revision);
    return scenariosIn(stdout, revision);
  });
  return (await Promise.all(lists)).flat();
}

/** Our server, all scenarios of a revision at once. */
export async function runServer(scenarios: readonly Scenario[]): Promise<readonly ScenarioRun[]> {
  await using served = await servedFixtures();
  await using results = temporaryFolder();
  const wanted = new Set(scenarios.map(({ revision }) => revision));
  for (const revision of wanted) {
    const output = join(results.path, revision);
    await conformance("server", "--url", served.url, "--requirements", revision, "--output-dir", output);
  }
  return scenarios.map((scenario) => ({
    ...scenario,
    checks: checksIn(join(results.path, scenario.revision), `server-${scenario.name}`),
  }));
}

/** Our hub, one process for each scenario and two at a time: the suite would start all of them at once. */
export async function runClient(scenarios: readonly Scenario[]): Promise<readonly ScenarioRun[]> {
  await using results = temporaryFolder();
  const runs: ScenarioRun[] = [];
  const waiting = scenarios.entries();
  const work = async () => {
    for (const [index, scenario] of waiting) {
      const output = join(results.path, String(index));
      const { name, revision } = scenario;
      const words = ["--scenario", name, "--spec-version", revision, "--output-dir", output];
      await conformance("client", "--command", client, "--timeout", "60000", ...words);
      runs[index] = { ...scenario, checks: checksIn(output, name) };
    }
  };
  await Promise.all([work(), work()]);
  return runs;
}

const folder = join(import.meta.dirname, "../..");
const program = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
/** The suite cuts the command at its spaces, so the path is relative. */
const client = `node ${relative(folder, await bundledProgram(new URL("client.ts", import.meta.url)))}`;

/** Fails where checks do: what it writes down is what counts. */
async function conformance(...words: readonly string[]): Promise<{ readonly stdout: string }> {
  const environment = { ...process.env, PATH: `${join(folder, "node_modules/.bin")}:${process.env.PATH}` };
  const run = promisify(execFile)(process.execPath, [program, ...words], {
    cwd: folder,
    env: environment,
    maxBuffer: 64 * 1024 * 1024,
  });
  return run.catch(({ stdout }: { readonly stdout: string }) => ({ stdout }));
}

function checksIn(output: string, name: string): readonly Check[] {
  const stamp = "-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*";
  const [file] = globSync(join(output, `${name}${stamp}`, "checks.json"));
  return file === undefined ? [] : JSON.parse(readFileSync(file, "utf8"));
}

/** Its own words: headings, and below them a name a line. */
function scenariosIn(list: string, revision: Revision): readonly Scenario[] {
  const scenarios: Scenario[] = [];
  let leg: Leg = "server";
  let uncounted: string | undefined;
  for (const line of list.split("\n")) {
    if (line.startsWith("Client scenarios")) leg = "client";
    const [, reason] = /^ {2}(\S+) \(\d+\):$/.exec(line) ?? [];
    uncounted = reason ?? uncounted;
    const [, name, other] = /^ +- (\S+)(?: \[(server|client)\])?/.exec(line) ?? [];
    if (name === undefined) continue;
    scenarios.push({
      leg: (other as Leg | undefined) ?? leg,
      revision,
      name,
      ...(uncounted !== undefined && { uncounted }),
    });
  }
  return scenarios;
}
