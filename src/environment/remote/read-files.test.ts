import { symlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { openLocalWorld } from "../conformance/local-world.ts";
import { overChannel } from "../conformance/remote-world.ts";
import { withGuard } from "../foreign-environment.ts";

const { signal } = new AbortController();

it("reads many files at once, except those that are known, linked, too large or refused", async () => {
  const files = { "a/one": "1", "a/two": "22", "b/large": "x".repeat(100), "b/secret": "s", top: "0" };
  await using world = openLocalWorld({ files });
  symlinkSync("a", world.path("linked"));
  symlinkSync("one", world.path("a/link"));
  const remote = withGuard(await overChannel(world.environment), (_use, path) =>
    path.endsWith("secret") ? { reason: "is secret", rule: "secret" } : undefined,
  );
  const paths = ["a/link", "a/one", "a/two", "a/three", "b/large", "b/secret", "linked/one", "top"];
  const known = new Map([["a/one", contentHash("1")]]);
  const read = async (maxBytes: number) => {
    const results = await remote.readFiles!(paths, { maxFileBytes: 50, maxBytes, known, signal });
    return results.map((result) => (typeof result === "string" ? result : `${Buffer.from(result)}`));
  };
  const all = ["gone", "same", "22", "gone", "unreadable", "unreadable", "gone", "0"];
  expect(await read(1000)).toEqual(all);
  expect(await read(1)).toEqual(all.slice(0, 3));
  await remote.close();
});

it("reads so many files that the parts of their message are joined", async () => {
  const names = Array.from({ length: 600 }, (_, index) => `file ${index}`);
  await using world = openLocalWorld({ files: Object.fromEntries(names.map((name) => [name, name])) });
  const remote = await overChannel(world.environment);
  const results = await remote.readFiles!(names, { maxFileBytes: 50, maxBytes: 100_000, signal });
  expect(results.map((result) => `${Buffer.from(result as Uint8Array)}`)).toEqual(names);
  await remote.close();
});
