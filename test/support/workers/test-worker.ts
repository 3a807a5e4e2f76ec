/** A worker for tests: adds, hangs, takes memory of both kinds. */
import type { Reading } from "../../../src/contract/code.ts";
import { serveParent } from "../../../src/workers/serve-parent.ts";

/** The methods of its parent that it calls. */
export interface TestStarter {
  hangs(): void;
}

export interface TestService {
  add(numbers: readonly number[], options: Reading): Promise<number>;
  hang(_: undefined, options: Reading): Promise<never>;
  /** Keeps as many bytes, and returns the resident bytes. */
  keepBytes(count: number, options: Reading): Promise<number>;
  takeBytes(_: undefined, options: Reading): Promise<never>;
  takeObjects(_: undefined, options: Reading): Promise<never>;
}

const kept: Buffer[] = [];

serveParent<TestStarter>({ retireAbove: 200_000_000, endAbove: 300_000_000 }, async ({ parent }) => {
  const service: TestService = {
    add: async (numbers) => numbers.reduce((sum, number) => sum + number, 0),
    hang: async (_, options) => {
      await parent.ask("hangs", undefined as never, options);
      for (;;);
    },
    keepBytes: async (count) => {
      kept.push(Buffer.alloc(count, 1));
      return process.memoryUsage.rss();
    },
    takeBytes: async () => {
      const held: Buffer[] = [];
      for (;;) held.push(Buffer.alloc(8_000_000, held.length + 1));
    },
    takeObjects: async () => {
      const held: object[] = [];
      for (;;) held.push({ held: [held.length] });
    },
  };
  return service;
});
