import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { npmPackageFolder } from "../support/npm-package-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Check, type Leg, type Revision, revisions, type Scenario } from "./scenario.ts";
import { servedFixtures } from "./served-fixtures.ts";
import { servedHub } from "./served-hub.ts";

export interface ScenarioRun extends Scenario {
  readonly checks: readonly Check[];
}

/** Lists all scenarios of both revisions, in the suite's order. */
export async function allScenarios(): Promise<readonly Scenario[]> {
  const { stdout } = await start([programOfSuite(), "list", "--requirements", revisions.join()]);
  const lists = stdout.split(/^(?=Required for )/m);
  return revisions.flatMap((revision) =>
    scenariosIn(lists.find((list) => list.startsWith(`Required for ${revision} `))!, revision),
  );
}

/** Tests our server with all scenarios of a revision at once. */
export async function runServer(scenarios: readonly Scenario[]): Promise<readonly ScenarioRun[]> {
  await using served = await servedFixtures();
  await using results = temporaryFolder();
  const wanted = new Set(scenarios.map(({ revision }) => revision));
  await conformance(
    [...wanted].map((revision) => {
      const output = join(results.path, revision);
      return ["server", "--url", served.url, "--requirements", revision, "--output-dir", output];
    }),
  );
  return scenarios.map((scenario) => ({
    ...scenario,
    checks: checksIn(join(results.path, scenario.revision), `server-${scenario.name}`),
  }));
}

/** Tests our hub with one scenario after the other: the suite would start all of them at once. */
export async function runClient(scenarios: readonly Scenario[]): Promise<readonly ScenarioRun[]> {
  await using hub = await servedHub();
  await using results = temporaryFolder();
  const outputOf = (index: number) => join(results.path, String(index));
  await conformance(
    scenarios.map(({ name, revision, uncounted }, index) => {
      const words = ["--scenario", name, "--spec-version", revision, "--output-dir", outputOf(index)];
      // Extensions belong to no revision, and are skipped otherwise.
      if (uncounted === "extension") words.push("--force");
      return ["client", "--command", "hub", "--timeout", "60000", ...words];
    }),
    { TOOLCRIB_CONFORMANCE_HUB: hub.socket },
  );
  return scenarios.map((scenario, index) => ({
    ...scenario,
    checks: checksIn(outputOf(index), scenario.name),
  }));
}

const folder = join(import.meta.dirname, "../..");
const programOfSuite = () => join(npmPackageFolder("@modelcontextprotocol/conformance"), "dist/index.js");

/** Runs command lines of the suite. Their written results count, so a failing scenario is not an error here. */
async function conformance(
  lines: readonly (readonly string[])[],
  variables: NodeJS.ProcessEnv = {},
): Promise<void> {
  const script = fileURLToPath(new URL("suite-process.ts", import.meta.url));
  await start([script, programOfSuite(), JSON.stringify(lines)], variables);
}

async function start(
  words: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<{ readonly stdout: string }> {
  return promisify(execFile)(process.execPath, words, {
    cwd: folder,
    env: { ...process.env, ...variables },
    maxBuffer: 64 * 1024 * 1024,
  });
}

function checksIn(output: string, name: string): readonly Check[] {
  const stamp = "-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*";
  const [file] = globSync(join(output, `${name}${stamp}`, "checks.json"));
  return file === undefined ? [] : JSON.parse(readFileSync(file, "utf8"));
}

/** Parses the suite's own list: headings, and below them one name per line. */
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
