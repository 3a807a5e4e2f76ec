import { runCommandLine } from "./run-command-line.ts";

// The launcher loads this with `require`, which is faster and does not allow top-level await.
void runCommandLine(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
