import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Tests take an environment and never change the process, so they may share one.
    pool: "threads",
    isolate: false,
    globalSetup: ["test/bubblewrap.ts"],
    setupFiles: ["test/fixed-seed.ts"],
    testTimeout: 60_000,
  },
});
