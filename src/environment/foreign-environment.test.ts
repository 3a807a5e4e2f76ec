import { expect, it } from "vitest";
import { overrideEnvironment } from "../lib/override-environment.ts";
import { exampleGuard } from "./conformance/guarding.ts";
import { contentOf, failure, failureOf } from "./conformance/world.ts";
import { withGuard, withOutputs } from "./foreign-environment.ts";
import { MemoryEnvironment } from "./memory/memory-environment.ts";

it("changes files of the environment, but no stored output", async () => {
  const handle = "out_abcdefabcdef";
  const inner = new MemoryEnvironment();
  const environment = withOutputs(inner, new MemoryEnvironment({ files: { [handle]: "kept" } }));
  const add = (path: string) => ({ path, before: "nothing", after: Buffer.from("new") });
  await environment.change([add("one"), add("two")]);
  expect(await failureOf(environment.change([add("three"), add(handle)]))).toEqual(
    failure(
      "denied",
      `${handle} is a stored output and cannot be changed`,
      "Write to a path in the workspace instead.",
    ),
  );
  expect(await contentOf(inner)).toEqual({ one: "new", two: "new" });
});

it("moves a folder back when another program adds a secret to it after the check", async () => {
  const inner = new MemoryEnvironment({ files: { "folder/a": "1" } });
  let isFirst = true;
  const disturbed = overrideEnvironment(inner, {
    move: async (from, to, options) => {
      if (isFirst) await inner.writeFile("folder/b.secret", Buffer.from("2"));
      isFirst = false;
      return inner.move(from, to, options);
    },
  });
  const environment = withGuard(disturbed, exampleGuard);
  await expect(environment.move("folder", "moved")).rejects.toMatchObject({ code: "denied" });
  expect(Object.keys(await contentOf(inner)).sort()).toEqual(["folder", "folder/a", "folder/b.secret"]);
});

it("refuses a move when a folder on the way becomes a link after the check", async () => {
  const inner = new MemoryEnvironment({ files: { "one/a": "1", "two/a": "2" } });
  const disturbed = overrideEnvironment(inner, {
    move: async (_, to, options) => inner.move("two/a", to, options),
  });
  const moved = withGuard(disturbed, () => undefined).move("one/a", "b");
  await expect(moved).rejects.toMatchObject({ code: "stale" });
  expect(await contentOf(inner)).toMatchObject({ "one/a": "1", "two/a": "2" });
});

it("gives up a search whose results are always in denied files", async () => {
  let rounds = 0;
  const search = async () => {
    rounds += 1;
    const hits = [{ path: `${rounds}.secret`, matches: 1, lines: [] }];
    return { scope: { kind: "directory", path: "" }, hits, skipped: {} } as never;
  };
  const environment = withGuard(Object.assign(new MemoryEnvironment(), { search }), exampleGuard);
  const { signal } = new AbortController();
  expect(await failureOf(environment.search!({} as never, { signal } as never))).toEqual(
    failure(
      "too-large",
      "Too many results are in files that the rules deny",
      "Search a narrower `path`, or exclude them with `glob`.",
    ),
  );
  expect(rounds).toBe(50);
});

it("gives up a search that returns excluded files", async () => {
  const hits = [{ path: "a.secret", matches: 1, lines: [] }];
  const search = async () => ({ scope: { kind: "directory", path: "" }, hits, skipped: {} }) as never;
  const environment = withGuard(Object.assign(new MemoryEnvironment(), { search }), exampleGuard);
  const { signal } = new AbortController();
  await expect(environment.search!({} as never, { signal } as never)).rejects.toMatchObject({
    message: "The target returned files that the search excludes",
  });
});
