import { writeFileSync } from "node:fs";
import type { Reporter } from "vitest/node";

/**
 * A reporter of vitest for scripts/check.ts. Writes the paths of the failed test files as JSON to the file that
 * TOOLCRIB_FAILED_FILES names. Writes nothing when an error belongs to no test: another run would hide it.
 */
// biome-ignore lint/style/noDefaultExport: vitest loads the default export.
export default class FailedFilesReporter implements Reporter {
  readonly onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (files, errors) => {
    const target = process.env.TOOLCRIB_FAILED_FILES;
    if (target === undefined || errors.length > 0) return;
    const failed = files.filter((file) => file.state() === "failed").map(({ moduleId }) => moduleId);
    writeFileSync(target, JSON.stringify(failed));
  };
}
