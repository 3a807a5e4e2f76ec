/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const repository = join(import.meta.dirname, "../..");

/** Runs a project of one file, and then repeats what failed as `.ci/run` does. Returns both exit codes. */
function runAndRepeat(test: string): readonly (number | null)[] {
  // A project imports vitest from a folder above it.
  const cache = join(repository, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const root = mkdtempSync(join(cache, "tag-reporter-"));
  try {
    const reporter = JSON.stringify(join(import.meta.dirname, "tag-reporter.ts"));
    writeFileSync(
      join(root, "vitest.config.ts"),
      `import { TagReporter } from ${reporter};\nexport default { test: { reporters: ["dot", new TagReporter()] } };\n`,
    );
    writeFileSync(
      join(root, "some.test.ts"),
      `import { existsSync, writeFileSync } from "node:fs";\nimport { expect, it } from "vitest";\n
/** Whether this is the first run. */
const isFirst = !existsSync("begun");
writeFileSync("begun", "");
${test}\n`,
    );
    const program = join(repository, "node_modules/vitest/vitest.mjs");
    return [[], ["--lastFailed", "--passWithNoTests=false"]].map(
      (more) =>
        spawnSync(process.execPath, [program, "run", ...more], { cwd: root, timeout: 120_000 }).status,
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const fails = 'it("fails once", () => expect(isFirst).toBe(false));';
const rejects = 'it("leaves an error", () => { if (isFirst) void Promise.reject(new Error("lost")); });';

it("repeating what failed passes only when nothing but tests had failed", () => {
  expect({
    test: runAndRepeat(fails),
    error: runAndRepeat(rejects),
    both: runAndRepeat(`${fails}\n${rejects}`),
    nothing: runAndRepeat('it("passes", () => {});'),
  }).toEqual({ test: [1, 0], error: [1, 1], both: [1, 1], nothing: [0, 1] });
});
