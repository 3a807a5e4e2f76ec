/**
 * Runs command lines of the official conformance suite one after the other in one process, because loading the suite
 * takes longer than most of its scenarios. `node suite-process.ts <program of the suite> <JSON list of arguments>`.
 */
import { pathToFileURL } from "node:url";

const [suite, lines] = process.argv.slice(2) as [string, string];
const exit = process.exit;

for (const [index, words] of (JSON.parse(lines) as readonly string[][]).entries()) {
  process.argv = [process.execPath, suite, ...words];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  // Every scenario ends with this call.
  process.exit = (() => end()) as typeof process.exit;
  // The query makes Node evaluate the program again.
  await import(`${pathToFileURL(suite)}?${index}`);
  await ended;
}
exit(0);
