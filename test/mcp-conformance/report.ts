import { join } from "node:path";
import { type Exception, notForUs } from "./not-for-us.ts";
import { allScenarios, runClient, runServer, type ScenarioRun } from "./run-suite.ts";
import { type Leg, revisions, type Scenario } from "./scenario.ts";

export const conformancePage: string = join(import.meta.dirname, "../../docs/mcp-conformance.md");

/** Runs everything that applies to us, and formats it as tables. */
export async function conformanceReport(): Promise<string> {
  const scenarios = await allScenarios();
  const [server, client] = [ofLeg(scenarios, "server"), ofLeg(scenarios, "client")];
  // Each scenario takes a process, and failing ones take long.
  const [passedOver, applying] = [client.filter(isNotForUs), client.filter((one) => !isNotForUs(one))];
  const served = await triedTwice(server, runServer);
  const called = await triedTwice(applying, runClient);
  return [
    "## Our server",
    tableOf(server, served),
    "## Our hub, as a client",
    tableOf(client, [...called, ...passedOver.map((scenario) => ({ ...scenario, checks: [] }))]),
  ].join("\n\n");
}

/** The suite allows some answers less than a second, which is too short on a busy machine. */
async function triedTwice(
  scenarios: readonly Scenario[],
  run: (scenarios: readonly Scenario[]) => Promise<readonly ScenarioRun[]>,
): Promise<readonly ScenarioRun[]> {
  const runs = await run(scenarios);
  const failed = runs.filter((one) => verdictOn(one).startsWith("FAILED"));
  if (failed.length === 0) return runs;
  const again = await run(failed);
  return runs.map((one) => again[failed.indexOf(one)] ?? one);
}

/** Returns the page with everything below its introduction replaced. */
export function withReport(page: string, report: string): string {
  return `${page.slice(0, page.indexOf("## Our server"))}${report}\n`;
}

function ofLeg(scenarios: readonly Scenario[], leg: Leg): readonly Scenario[] {
  return scenarios.filter((scenario) => scenario.leg === leg);
}

function exceptionTo({ leg, name }: Scenario): Exception | undefined {
  return notForUs.find(
    (exception) =>
      exception.leg === leg &&
      exception.scenarios.some((pattern) =>
        pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
      ),
  );
}

function isNotForUs(scenario: Scenario): boolean {
  const exception = exceptionTo(scenario);
  return exception !== undefined && exception.checks === undefined;
}

/** One line per scenario; applicable ones first. */
function tableOf(scenarios: readonly Scenario[], runs: readonly ScenarioRun[]): string {
  const names = [...new Set(scenarios.map(({ name }) => name))];
  const rows = names.map((name) => {
    const own = runs.filter((run) => run.name === name);
    const verdicts = revisions.map((revision) => {
      const run = own.find((one) => one.revision === revision);
      return run === undefined ? "" : verdictOn(run);
    });
    const uncounted = own.find((run) => run.uncounted !== undefined)?.uncounted;
    const exception = exceptionTo(own[0]!);
    const label = uncounted === undefined ? name : `${name} (${uncounted})`;
    const words = [label, ...verdicts, exception?.because ?? ""].map((cell) =>
      ` ${cell} |`.replace("  |", " |"),
    );
    return {
      line: `|${words.join("")}`,
      applies: !verdicts.includes("does not apply"),
    };
  });
  const applying = rows.filter(({ applies }) => applies);
  const others = rows.filter(({ applies }) => !applies);
  return [
    `${applying.length} scenarios apply, ${others.length} do not apply.`,
    "",
    `| scenario | ${revisions.join(" | ")} | |`,
    "|---|---|---|---|",
    ...[...applying, ...others].map(({ line }) => line),
  ].join("\n");
}

function verdictOn(run: ScenarioRun): string {
  const exception = exceptionTo(run);
  const own = run.checks.filter(({ id }) => !id.startsWith("wire-schema"));
  const bad = run.checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const passes = own.some(({ status }) => status === "SUCCESS");
  if (isNotForUs(run))
    return passes && bad.length === 0 ? "PASSES, though it is said not to apply" : "does not apply";
  const excused = exception?.checks ?? [];
  const left = excused.filter((id) => bad.some((check) => check.id === id));
  const unexpected = bad.filter(({ id }) => !excused.includes(id));
  if (unexpected.length > 0)
    return `FAILED: ${unexpected.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join("; ")}`;
  if (!passes) return "FAILED: nothing was found out";
  return left.length === 0 ? "passed" : `passed but ${left.join(", ")}`;
}
