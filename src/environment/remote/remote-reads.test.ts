import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { answering, file, info, invalid, read } from "../../../test/support/remote/hostile-target.ts";
import { ToolError } from "../../contract/error.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { overrideEnvironment } from "../../lib/override-environment.ts";
import { openLocalWorld } from "../conformance/local-world.ts";
import { overChannel } from "../conformance/remote-world.ts";
import { failureOf } from "../conformance/world.ts";

const { signal } = new AbortController();
const long = (letter: string) => letter.repeat(10_000);
const wanted = { maxFileBytes: 50_000, maxBytes: 100_000, signal };

/** Contents that this machine has. */
function contentsOf(...texts: readonly string[]) {
  const known = new Map(texts.map((text) => [contentHash(text), Buffer.from(text)]));
  return {
    has: (hash: string) => known.has(hash),
    read: async (hash: string) => known.get(hash)!,
  };
}

it("returns the current content of files whose contents are known, new, equal or damaged here", async () => {
  const files = { a: long("a"), b: long("b"), c: long("c"), d: long("c"), e: long("e"), f: "short" };
  await using world = openLocalWorld({ files });
  const remote = await overChannel(world.environment);
  const contents = contentsOf(files.a, files.e);
  remote.useContents!({
    has: contents.has,
    read: async (hash) => {
      if (hash === contentHash(files.e)) throw new ToolError("unavailable", "The stored content is damaged");
      return contents.read(hash);
    },
  });
  const paths = Object.keys(files);
  const results = await remote.readFiles!(paths, wanted);
  expect(results.map((result) => `${Buffer.from(result as Uint8Array)}`)).toEqual(Object.values(files));
  for (const [path, text] of Object.entries(files)) {
    const { bytes, info } = await remote.readFile(path, { maxBytes: 50_000 });
    expect([`${Buffer.from(bytes)}`, info.bytes]).toEqual([text, text.length]);
  }
  await remote.close();
});

it("returns as many files as fit, and at least one", async () => {
  const files = { a: long("a"), b: long("b"), c: long("c"), d: long("b") };
  await using world = openLocalWorld({ files });
  const remote = await overChannel(world.environment);
  remote.useContents!(contentsOf(files.a));
  const count = async (maxBytes: number) =>
    (await remote.readFiles!(Object.keys(files), { ...wanted, maxBytes })).length;
  expect([await count(1), await count(15_000), await count(40_000)]).toEqual([1, 2, 4]);
  await remote.close();
});

it("returns the content that was sent when a file changes after its hash was named", async () => {
  await using world = openLocalWorld({ files: { a: long("a"), b: long("a") } });
  let reads = 0;
  const changing = overrideEnvironment(world.environment, {
    openDirectory: (path) => {
      reads += 1;
      if (reads === 2) writeFileSync(world.path("a"), long("n"));
      return world.environment.openDirectory(path);
    },
  });
  const remote = await overChannel(changing);
  remote.useContents!(contentsOf());
  // The second file had the content of the first one, which was not sent.
  const results = await remote.readFiles!(["a", "b"], wanted);
  expect(results.map((result) => `${Buffer.from(result as Uint8Array)}`)).toEqual([long("n")]);
  await remote.close();
});

it.each<readonly [string, object, string]>([
  ["a hash that was not asked for", { hash: contentHash("x") }, "bytes is not bytes"],
  ["an unknown hash twice", { hash: contentHash("y") }, "bytes is not bytes"],
  ["the hash of a longer content", { hash: contentHash(long("k")) }, "a file is longer than was asked for"],
  ["a hash that names a path", { hash: "../../../etc/passwd" }, "bytes is not bytes"],
])("refuses %s", async (name, answer, fault) => {
  const environment = await answering({ ...answer, info, realPath: file.realPath });
  if (name !== "a hash that was not asked for") environment.useContents!(contentsOf(long("k")));
  expect(await failureOf(read(environment))).toEqual(invalid(fault));
});

it("refuses a hash instead of a content that must be sent", async () => {
  const environment = await answering([{ hash: contentHash("y") }]);
  environment.useContents!(contentsOf());
  expect(await failureOf(environment.readFiles!(["a"], wanted))).toEqual(invalid("a content is not sent"));
});
