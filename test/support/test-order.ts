import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that take long, whatever their size. */
const longest: readonly string[] = [
  "test/package.test.ts",
  "test/mcp-conformance/mcp-conformance.test.ts",
  "test/hostile-server/hostile-server.test.ts",
  "test/document-sessions-long.test.ts",
  "src/fleet/work/work-run.test.ts",
  "test/console/page.test.ts",
  "test/document-sessions.test.ts",
  "test/console/page-real.test.ts",
  "test/conformance/run.test.ts",
  "test/sandboxed-work/bwrap.test.ts",
  "test/sandboxed-work/landlock.test.ts",
  "test/agent/matrix/faults.test.ts",
  "src/environment/shells/shells.test.ts",
  "src/journal/transactions/transactions-crash.test.ts",
  "src/tools/shell/run.test.ts",
  "src/environment/local/changes/change-crash.test.ts",
  "src/pipeline/stages/keep-undo-crash.test.ts",
  "src/engine/journal/effects/scanner.test.ts",
  "src/sandbox/limits/limits.test.ts",
  "src/environment/conformance/conformance.test.ts",
  "test/attacks/process-facts.test.ts",
  "src/environment/local/race.test.ts",
  "test/attacks/every-way.test.ts",
  "src/cli/policy/policy.test.ts",
];

/** Tests that mostly compute. */
const computing =
  /^(?:src\/(?:adapters|code|contract|dialects|documents|edit|files|lib|models|policy|web|wire|tools\/(?:code|document|edit|file|notebook|web))|test\/(?:edit|golden))\//;

/**
 * Starts with the longest tests, so that no worker is left with one at the end. Ends with those that compute: they
 * make the process larger, and a large process takes several times as long to start a program.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const stages = Map.groupBy(sorted, ({ moduleId }) => stageOf(relative(this.ctx.config.root, moduleId)));
    return [0, 1, 2].flatMap((stage) => stages.get(stage) ?? []);
  }
}

function stageOf(path: string): number {
  if (longest.includes(path)) return 0;
  return computing.test(path) ? 2 : 1;
}
