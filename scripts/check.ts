/**
 * Runs all tests, and beside them the checks of types, style and unused code, at a lower priority. Arguments are for
 * vitest. When a check fails, its output is printed and the tests are stopped.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

const script = "npm run types && npm run lint && npm run unused";

const tests = spawn("vitest", ["run", ...process.argv.slice(2)], { stdio: "inherit" });
const [[exit], failed] = await Promise.all([once(tests, "exit"), stopTestsOnFailure()]);
if (failed === undefined) console.log("Types, lint and unused code: passed");
else console.error(`${failed}\nA check failed: ${script}`);
process.exitCode = failed === undefined && exit === 0 ? 0 : 1;

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
  });
  const [output, [exit]] = await Promise.all([text(checks.stdout), once(checks, "exit")]);
  return exit === 0 ? undefined : output;
}
