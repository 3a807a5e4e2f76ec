import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Tests take an environment and never change the process, so many of them may share one.
    pool: "forks",
    isolate: false,
    // They often wait for programs that they have started.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/bubblewrap.ts", "test/compile-cache.ts"],
    setupFiles: ["test/fixed-seed.ts"],
    testTimeout: 60_000,
  },
});
