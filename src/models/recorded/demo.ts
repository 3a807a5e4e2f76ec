import type { ModelRecording } from "./recorded-model.ts";

/**
 * A session on the project of src/cli/session/demo.ts, whose test fails. Only the replies are recorded; the tools
 * really run.
 */
export const demoRecording: ModelRecording = {
  name: "demo",
  replies: [
    {
      text: "I'll look at the project and run its tests first.\n",
      calls: [
        { name: "file.list", input: { path: ".", depth: 2 } },
        { name: "shell.run", input: { command: "node --test" } },
      ],
      usage: { input: 3_180, output: 86 },
    },
    {
      text: "One test fails: the discount is not subtracted. I'll look for where it is computed.\n",
      calls: [
        { name: "search.grep", input: { pattern: "discount", path: "src" } },
        { name: "file.read", input: { path: "src/price.js" } },
      ],
      usage: { input: 3_720, cached: 3_180, output: 94 },
    },
    {
      text: "`total` adds the discount instead of subtracting it, and a price can drop below zero.\n",
      calls: [
        {
          name: "edit.replace",
          input: {
            path: "src/price.js",
            find: "  return sum + discount;",
            replace: "  return Math.max(0, sum - discount);",
          },
        },
      ],
      usage: { input: 4_060, cached: 3_720, output: 121 },
    },
    {
      calls: [{ name: "shell.run", input: { command: "node --test" } }],
      usage: { input: 4_290, cached: 4_060, output: 38 },
    },
    {
      text: "All tests pass now. `total` in src/price.js added the discount; now it subtracts it and stops at zero.\n",
      usage: { input: 4_480, cached: 4_290, output: 57 },
    },
  ],
};
