/** Measures how long the policy takes to analyse a command: `node scripts/measure-commands.ts`. */
import { readCommand } from "../src/engine/policy/commands/read-command.ts";

const parts = [
  "git status --short",
  "rg -n foo src | head -5",
  "cat 'a file.txt' 2>/dev/null",
  "sed -n '1,20p' a.ts",
  "find . -name '*.ts' -type f",
];
const fifty = Array.from({ length: 50 }, (_, index) => parts[index % parts.length]).join(" && ");

measure("ls -la", "ls -la", 5000);
measure("50 parts", fifty, 500);
measure("50 parts in sh -c", `sh -c "${fifty}"`, 500);
measure("120 kB of commands", "ls -la src; ".repeat(10_000), 10);

function measure(name: string, command: string, rounds: number): void {
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    readCommand(command);
    return performance.now() - start;
  }).sort((left, right) => left - right);
  const at = (share: number) => `${times[Math.floor((rounds - 1) * share)]!.toFixed(3)} ms`;
  console.log(`${name.padEnd(20)} min ${at(0)}  p50 ${at(0.5)}  p95 ${at(0.95)}`);
}
