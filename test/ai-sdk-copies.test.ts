import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/** Each provider package pins these exactly, so upgrading one alone would install a second copy. */
it.each(["provider", "provider-utils"])("has one copy of @ai-sdk/%s", { tags: "slow" }, (name) => {
  const copies = globSync(`node_modules/**/@ai-sdk/${name}/package.json`, { cwd: root });
  expect(copies).toEqual([`node_modules/@ai-sdk/${name}/package.json`]);
});

it("pins the provider packages, which must match", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const pinned = Object.entries<string>(devDependencies).filter(([name]) => name.startsWith("@ai-sdk/"));
  expect(pinned.filter(([, range]) => !/^\d/.test(range))).toEqual([]);
});
