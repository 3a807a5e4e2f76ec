/**
 * Runs all tests, and beside them the checks of types, style and unused code, at a lower priority. Arguments are for
 * vitest. When a check fails, its output is printed and the tests are stopped. When up to three test files fail, they
 * run once more, alone: a file that passes then is reported as unstable (docs/decisions/0057-unstable-tests.md).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const script = "npm run types && npm run lint && npm run unused";
const mostUnstable = 3;

const folder = mkdtempSync(join(tmpdir(), "toolcrib-check-"));
const report = join(folder, "failed.json");
const reporters = ["--reporter=default", "--reporter=./scripts/failed-files-reporter.ts"];
const tests = startTests([...process.argv.slice(2), ...reporters]);
const [[exit], failed] = await Promise.all([once(tests, "exit"), stopTestsOnFailure()]);
if (failed === undefined) console.log("Types, lint and unused code: passed");
else console.error(`${failed}\nA check failed: ${script}`);
process.exitCode = failed === undefined && (exit === 0 || (await onlyUnstable())) ? 0 : 1;
rmSync(folder, { recursive: true });

function startTests(options: readonly string[]) {
  const env = { ...process.env, TOOLCRIB_FAILED_FILES: report };
  return spawn("vitest", ["run", ...options], { stdio: "inherit", env });
}

async function stopTestsOnFailure(): Promise<string | undefined> {
  const output = await failedChecks();
  if (output !== undefined) tests.kill("SIGINT");
  return output;
}

/** Returns the output of the checks when one fails. */
async function failedChecks(): Promise<string | undefined> {
  // Some tests wait only a limited time for the programs that they start.
  const checks = spawn("nice", ["-n", "10", "sh", "-c", `{ ${script}; } 2>&1`], {
    stdio: ["ignore", "pipe", "inherit"],
    // The compiler is a Go program: it collects garbage less often, and takes a tenth less CPU.
    env: { ...process.env, GOGC: "400" },
  });
  const [output, [exit]] = await Promise.all([text(checks.stdout), once(checks, "exit")]);
  return exit === 0 ? undefined : output;
}

/** Returns whether the few test files that failed pass when they run alone. */
async function onlyUnstable(): Promise<boolean> {
  const files = failedFiles();
  if (files.length === 0 || files.length > mostUnstable) return false;
  console.log(`\nThese test files failed and now run once more, alone:\n${files.join("\n")}`);
  const [again] = await once(startTests(files), "exit");
  if (again === 0)
    console.log(`Unstable tests, which failed and then passed alone. Fix them:\n${files.join("\n")}`);
  return again === 0;
}

/** Returns no file when vitest stopped early or failed for another reason than a test. */
function failedFiles(): string[] {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return [];
  }
}
