import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that take ten seconds and more, whatever their size. */
const longest: readonly string[] = [
  "test/mcp-conformance/mcp-conformance.test.ts",
  "test/sandboxed-work.test.ts",
  "test/documents.test.ts",
  "src/environment/shells/shells.test.ts",
  "src/journal/transactions/transactions-crash.test.ts",
  "src/tools/shell/run.test.ts",
  "src/environment/local/changes/change-crash.test.ts",
  "src/pipeline/stages/keep-undo-crash.test.ts",
  "src/journal/scan/scanner.test.ts",
  "src/sandbox/limits/limits.test.ts",
  "src/environment/conformance/conformance.test.ts",
  "test/attacks/process-facts.test.ts",
  "src/environment/local/race.test.ts",
  "test/attacks/every-way.test.ts",
  "src/cli/policy/policy.test.ts",
];

/** Begins with them, so that no worker is left alone with one in the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.some((path) => moduleId.endsWith(`/${path}`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
