import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { TestOrder } from "./test/support/test-order.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Needs SDKs that `npm run test:library` installs.
    exclude: ["**/node_modules/**", "test/library/**"],
    // Tests take an environment and never change the process, so many of them may share one.
    pool: "forks",
    isolate: false,
    // Collecting young garbage less often takes a twelfth less CPU, and up to 190 MB more memory per process.
    execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=64"],
    // They often wait for programs that they have started.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: TestOrder },
    globalSetup: [
      "test/support/bubblewrap.ts",
      "test/support/once-per-run.ts",
      "test/support/remote/setup.ts",
      "test/support/worker-variables.ts",
    ],
    setupFiles: ["test/support/fixed-seed.ts", "test/support/resolve-once.ts"],
    tags: [{ name: "differs-for-root", description: "Behaves differently as root." }],
    // Node runs the TypeScript files itself, which takes a sixth less CPU than Vite's module runner.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A busy machine takes long, and a test that fails may.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
