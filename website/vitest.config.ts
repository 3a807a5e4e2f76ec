import { defineConfig } from "vitest/config";

// Apart from `npm test`, because the website has packages of its own to install.
export default defineConfig({
  test: {
    include: ["website/*.test.ts"],
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 180_000,
    // Installs and builds the website.
    hookTimeout: 900_000,
  },
});
