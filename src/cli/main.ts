import { runCommandLine } from "./run-command-line.ts";

// No top-level await: the launcher loads this with `require`, which is faster and cannot wait.
void runCommandLine(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
