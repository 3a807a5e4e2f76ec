import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { roundsFactor } from "./test/support/rounds.ts";
import { TagReporter } from "./test/support/tag-reporter.ts";
import { TestOrder } from "./test/support/test-order.ts";

const include = ["src/**/*.test.ts", "test/**/*.test.ts"];

/** `npm test` does not even load files in which all tests are slow: what they import may not be installed. */
function slowFiles(): readonly string[] {
  if (!process.argv.includes("--tags-filter=!slow")) return [];
  return globSync(include).filter((path) => readFileSync(path, "utf8").startsWith("/** @module-tag slow */"));
}

export default defineConfig({
  test: {
    include,
    // The library's tests need SDKs that `npm run test:library` installs.
    exclude: ["**/node_modules/**", "test/library/**", ...slowFiles()],
    // Tests take an environment and never change the process, so many of them may share one.
    pool: "forks",
    isolate: false,
    // Collecting young garbage less often takes a twelfth less CPU, and up to 190 MB more memory per process.
    execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=64"],
    // They often wait for programs that they have started.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: TestOrder },
    reporters: ["default", new TagReporter()],
    globalSetup: [
      "test/support/bubblewrap.ts",
      "test/support/console/unpack-browser.ts",
      "test/support/once-per-run.ts",
      "test/support/remote/setup.ts",
      "test/support/worker-variables.ts",
    ],
    setupFiles: ["test/support/fixed-seed.ts", "test/support/resolve-once.ts"],
    tags: [
      {
        name: "slow",
        description: "Takes 0.5 s or more, or tries again what a fast test shows.",
        timeout: 180_000 * roundsFactor,
      },
      { name: "root", description: "Behaves differently as root." },
    ],
    // Node runs the TypeScript files itself, which takes a sixth less CPU than Vite's module runner.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A busy machine takes long, and a test that fails may.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000 * roundsFactor,
    hookTimeout: 120_000,
  },
});
