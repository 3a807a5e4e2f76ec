import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const folder = import.meta.dirname;

/** Files and folders of this repository that import packages of test/package.json. */
const withPackages: string[] = readJson("tsconfig.json").include.map((path: string) => join("test", path));

/** In two parts, because vitest would read the whole as a tag of this file. */
const head = ["/** @module-tag", "slow */"].join(" ");

describe("files that need packages of test/package.json", () => {
  it("are not compiled by npm run types, which runs without these packages", () => {
    expect(readJson("../tsconfig.json").exclude).toEqual(expect.arrayContaining(withPackages));
  });

  it("are not loaded by npm test, when they are tests", () => {
    const tests = globSync(
      withPackages.map((path) => `${path}/**/*.test.ts`),
      { cwd: join(folder, "..") },
    );
    const loaded = tests.filter((path) => !read(join("..", path)).startsWith(head));
    expect(tests.length).toBeGreaterThan(10);
    expect(loaded).toEqual([]);
  });
});

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

function readJson(path: string) {
  return JSON.parse(read(path));
}
