import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    pool: "forks",
    // SDKs leave timers and global settings behind.
    isolate: true,
    maxWorkers: availableParallelism(),
    // Node resolves and runs everything itself, as in the programs of users.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
