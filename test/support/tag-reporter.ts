import { relative } from "node:path";
import type { Reporter, SerializedError, TestModule, Vitest } from "vitest/node";

/**
 * Names the slowest tests that take 0.5 s or more without the tag `slow`. It fails nothing: the machine may be busy.
 * Forgets the failed tests after an error outside of a test, which repeating them with `--lastFailed` would hide.
 */
export class TagReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
  ): Promise<void> {
    if (unhandledErrors.length > 0) await this.#vitest?.clearCache();
    const untagged = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => !test.tags.includes("slow"))
      .map((test) => ({ test, ms: Math.round(test.diagnostic()?.duration ?? 0) }))
      .filter(({ ms }) => ms >= 500)
      .sort((one, other) => other.ms - one.ms);
    if (untagged.length === 0) return;
    console.log(`\nTests that took 0.5 s or more without the tag "slow": ${untagged.length}`);
    for (const { test, ms } of untagged.slice(0, 10))
      console.log(`  ${ms} ms  ${relative(process.cwd(), test.module.moduleId)} > ${test.fullName}`);
  }
}
