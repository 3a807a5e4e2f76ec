import { runCommandLine } from "./run-command-line.ts";
import { isAllWritten } from "./terminal.ts";

const words = process.argv.slice(2);

// The launcher loads this with `require`, which is faster and does not allow top-level await.
void runCommandLine(words).then((code) => {
  process.exitCode = code;
  // Node would take a tenth of the time of a call to dismantle its heap, and a round of its event loop would collect
  // garbage first. Warnings are printed before: Node prints them in earlier ticks.
  if (words[0] === "call" && isAllWritten()) process.nextTick(() => process.exit());
});
