/** Runs types, lint and unused code at the same time, and prints the output of each. Fails when one of them fails. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

async function passes(name: string): Promise<boolean> {
  const check = spawn(`npm run --silent ${name} 2>&1`, { shell: true, stdio: ["ignore", "pipe", "inherit"] });
  const [output, [code]] = await Promise.all([text(check.stdout), once(check, "close")]);
  console.log(`npm run ${name}: ${code === 0 ? "passed" : "FAILED"}\n${output}`);
  return code === 0;
}

const passed = await Promise.all(["types", "lint", "unused"].map(passes));
if (passed.includes(false)) process.exitCode = 1;
