import { expect, it } from "vitest";
import type { FileChange } from "../../contract/environment.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import {
  contentOf,
  directoryFailure,
  failure,
  failureOf,
  missingFailure,
  type OpenWorld,
  outsideFailure,
  specialFailure,
  throughFileFailure,
  workspaceFailure,
} from "./world.ts";

const text = (content: string) => Buffer.from(content);
const hash = (content: string) => contentHash(text(content));

const staleFailure = (path: string, what: string) =>
  failure("stale", `${path} ${what}; nothing was changed`, "Read it again, then change its current content.");

const add = (path: string, content: string): FileChange => ({
  path,
  before: "nothing",
  after: text(content),
});
const update = (path: string, before: string, after: string): FileChange => ({
  path,
  before: hash(before),
  after: text(after),
});
const remove = (path: string, before: string): FileChange => ({
  path,
  before: hash(before),
  after: "nothing",
});

export function testChanging(open: OpenWorld): void {
  it("adds, updates, deletes and moves files together, and reports the changes", async () => {
    await using world = await open({ files: { one: "1", two: "2", "folder/three": "3", same: "=" } });
    const { environment } = world;
    await environment.change([{ ...update("two", "2", "2"), mode: 0o711 }]);
    const paths = ["new/deep/file", "new/other", "one", "two", "moved/three", "folder/three", "same"];
    const infos = () => Promise.all(paths.map((path) => environment.info(path).catch(() => undefined)));
    const before = await infos();
    const receipts = await environment.change([
      add("new/deep/file", "new"),
      { ...add("new/other", "mode"), mode: 0o600 },
      update("one", "1", "one and more"),
      update("two", "2", "two"),
      { ...add("moved/three", "3"), like: "two" },
      remove("folder/three", "3"),
      update("same", "=", "="),
    ]);
    const after = await infos();
    expect(receipts).toEqual(
      paths.map((path, index) => ({
        realPath: `${environment.workspace}/${path}`,
        before: before[index],
        after: after[index],
      })),
    );
    expect([1, 3, 4].map((index) => after[index]?.mode)).toEqual([0o600, 0o711, 0o711]);
    expect(before[6]).toEqual(after[6]);
    expect(await contentOf(environment)).toEqual({
      folder: "(directory)",
      moved: "(directory)",
      "moved/three": "3",
      new: "(directory)",
      "new/deep": "(directory)",
      "new/deep/file": "new",
      "new/other": "mode",
      one: "one and more",
      same: "=",
      two: "two",
    });
  });

  it("changes a single file, or none", async () => {
    await using world = await open({ files: { one: "1" } });
    const { environment } = world;
    expect(await environment.change([])).toEqual([]);
    await environment.change([update("one", "1", "2")]);
    expect(await contentOf(environment)).toEqual({ one: "2" });
    await environment.change([add("a/b", "3")], { durable: false });
    expect(await contentOf(environment)).toEqual({ one: "2", a: "(directory)", "a/b": "3" });
    await environment.change([remove("one", "2")]);
    expect(await contentOf(environment)).toEqual({ a: "(directory)", "a/b": "3" });
  });

  it("changes modes with or without the content", async () => {
    await using world = await open({ files: { one: "1", two: "2" } });
    const { environment } = world;
    await environment.change([
      { ...update("one", "1", "1"), mode: 0o755 },
      { ...update("two", "2", "two"), mode: 0o600 },
    ]);
    const modes = await Promise.all(["one", "two"].map(async (path) => (await environment.info(path)).mode));
    expect([await contentOf(environment), modes]).toEqual([{ one: "1", two: "two" }, [0o755, 0o600]]);
  });

  it("follows links to the files it changes, and deletes links themselves", async () => {
    await using world = await open({ files: { "folder/file": "1", "folder/other": "2" } });
    const { environment } = world;
    world.link("link", "folder/file");
    world.link("way", "folder");
    world.link("to-new", "folder/new");
    const link = await environment.info("link", { followLinks: false });
    const receipts = await environment.change([
      update("way/other", "2", "two"),
      add("to-new", "3"),
      remove("link", "1"),
    ]);
    const real = (path: string) => `${environment.workspace}/${path}`;
    expect(receipts.map(({ realPath }) => realPath)).toEqual([
      real("folder/other"),
      real("folder/new"),
      real("link"),
    ]);
    expect([receipts[2]?.before, receipts[2]?.after]).toEqual([link, undefined]);
    await environment.change([update("to-new", "3", "three")]);
    expect(await contentOf(environment)).toEqual({
      folder: "(directory)",
      "folder/file": "1",
      "folder/new": "three",
      "folder/other": "two",
      "to-new": "(link)",
      way: "(link)",
    });
  });

  it("changes nothing when one file has changed", async () => {
    await using world = await open({ files: { one: "1", two: "2", three: "3" } });
    const { environment } = world;
    world.link("dangling", "nowhere");
    const before = await contentOf(environment);
    const tries: readonly [FileChange, object][] = [
      [update("two", "other", "x"), staleFailure("two", "has changed")],
      [update("two", "other", "2"), staleFailure("two", "has changed")],
      [update("two", "other", "other"), staleFailure("two", "has changed")],
      [remove("two", "other"), staleFailure("two", "has changed")],
      [add("two", "x"), staleFailure("two", "exists now")],
      [update("missing", "other", "x"), staleFailure("missing", "no longer exists")],
      [update("no/file", "other", "x"), staleFailure("no/file", "no longer exists")],
      [remove("missing", "other"), staleFailure("missing", "no longer exists")],
      [update("dangling", "other", "x"), staleFailure("dangling", "no longer exists")],
      [{ path: "two", before: "nothing", after: "nothing" }, staleFailure("two", "exists now")],
    ];
    for (const [change, expected] of tries) {
      for (const changes of [
        [change],
        [update("one", "1", "x"), add("new/file", "x"), change, remove("three", "3")],
      ]) {
        expect([change, await failureOf(environment.change(changes))]).toEqual([change, expected]);
        expect(await contentOf(environment)).toEqual(before);
      }
    }
    expect(await environment.change([{ path: "no/file", before: "nothing", after: "nothing" }])).toEqual([
      { realPath: `${environment.workspace}/no/file`, before: undefined, after: undefined },
    ]);
    expect(await contentOf(environment)).toEqual(before);
  });

  it("refuses entries that are not files, lead outside, or are missing", async () => {
    const handle = "out_abcdefabcdef";
    await using world = await open({
      files: { "folder/file": "1", one: "1" },
      outputs: { [handle]: "kept" },
    });
    const { environment } = world;
    world.makeSpecial("special");
    world.link("out", `${world.outside}/secret`);
    world.link("dangling", "nowhere");
    const before = await contentOf(environment);
    const tries: readonly [FileChange, object][] = [
      [update("folder", "1", "x"), directoryFailure("folder")],
      [remove("folder", "1"), directoryFailure("folder")],
      [add("new/", "x"), directoryFailure("new/")],
      [add("folder/file/x", "x"), throughFileFailure("folder/file/x")],
      [update("special", "1", "x"), specialFailure("special")],
      [remove("special", "1"), specialFailure("special")],
      [update(".", "1", "x"), workspaceFailure(".")],
      [update("out", "secret", "x"), outsideFailure(world, "out")],
      [remove("out", "secret"), outsideFailure(world, "out")],
      [update("../x", "1", "x"), outsideFailure(world, "../x")],
      [{ ...add("new", "x"), like: "missing" }, missingFailure("missing")],
      [{ ...add("new", "x"), like: "folder" }, directoryFailure("folder")],
      [
        remove("dangling", "x"),
        failure(
          "not-found",
          "dangling is a link to nowhere, which does not exist",
          "Create the target, or delete the link.",
        ),
      ],
      [
        update(handle, "kept", "x"),
        failure(
          "denied",
          `${handle} is a stored output and cannot be changed`,
          "Write to a path in the workspace instead.",
        ),
      ],
    ];
    for (const [change, expected] of tries) {
      for (const changes of [[change], [update("one", "1", "x"), change]]) {
        expect([change.path, await failureOf(environment.change(changes))]).toEqual([change.path, expected]);
      }
    }
    expect(await contentOf(environment)).toEqual(before);
  });

  it("refuses the same file twice, and a file inside a file", async () => {
    await using world = await open({ files: { "folder/file": "1", two: "2" } });
    const { environment } = world;
    world.link("link", "folder/file");
    world.link("way", "folder");
    const before = await contentOf(environment);
    const twice = (one: string, other: string) =>
      failure("invalid-input", `${one} and ${other} are the same file`, "Combine the two changes.");
    const inside = (path: string, file: string) =>
      failure(
        "invalid-input",
        `This call changes ${path}, but it also deletes ${file} or writes it as a file`,
        "Choose another path, or delete in one call and write in the next.",
      );
    const tries: readonly [readonly FileChange[], object][] = [
      [[update("two", "2", "x"), update("./two", "2", "y")], twice("two", "./two")],
      [[update("link", "1", "x"), update("way/file", "1", "y")], twice("link", "way/file")],
      [[update("link", "1", "x"), remove("folder/file", "1")], twice("link", "folder/file")],
      [[add("new", "x"), add("two/../new", "y")], twice("new", "two/../new")],
      [[add("new/a/b", "x"), add("new", "y")], inside("new/a/b", "new")],
      [[add("new", "x"), add("new/a", "y")], inside("new/a", "new")],
    ];
    for (const [changes, expected] of tries) {
      expect(await failureOf(environment.change(changes))).toEqual(expected);
    }
    expect(await contentOf(environment)).toEqual(before);
    await environment.change([update("folder/file", "1", "x"), remove("link", "1")]);
    expect(await contentOf(environment)).toEqual({
      folder: "(directory)",
      "folder/file": "x",
      two: "2",
      way: "(link)",
    });
  });

  it("changes nothing for a call that is cancelled", async () => {
    await using world = await open({ files: { one: "1" } });
    const { environment } = world;
    const signal = AbortSignal.abort();
    for (const changes of [[], [update("one", "1", "x")], [update("one", "1", "x"), add("new/file", "x")]]) {
      expect(await failureOf(environment.change(changes, { signal }))).toEqual(
        failure("cancelled", "The call was cancelled", undefined),
      );
    }
    expect(await contentOf(environment)).toEqual({ one: "1" });
  });

  it("applies one of many concurrent changes of the same files", async () => {
    await using world = await open({ files: { a: "old", "folder/b": "old" } });
    const { environment } = world;
    const tries = Array.from({ length: 20 }, (_, index) => {
      const changes = [
        update("a", "old", `${index}`),
        update("folder/b", "old", `${index}`),
        add(`new/${index}`, "x"),
      ];
      return environment.change(index % 2 === 0 ? changes : changes.toReversed(), { durable: false });
    });
    const results = await Promise.allSettled(tries);
    const winner = results.findIndex((result) => result.status === "fulfilled");
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    expect(await contentOf(environment)).toEqual({
      a: `${winner}`,
      folder: "(directory)",
      "folder/b": `${winner}`,
      new: "(directory)",
      [`new/${winner}`]: "x",
    });
  });

  it("applies many change sets of different files concurrently", async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`folder/${index}`, "old"]));
    await using world = await open({ files });
    const { environment } = world;
    const sets = Array.from({ length: 20 }, (_, index) => [
      update(`folder/${2 * index}`, "old", "new"),
      remove(`folder/${2 * index + 1}`, "old"),
      add(`made/${index}`, "new"),
    ]);
    await Promise.all(sets.map((changes) => environment.change(changes, { durable: false })));
    const expected = [
      ["folder", "(directory)"],
      ["made", "(directory)"],
    ];
    for (let index = 0; index < 20; index += 1) {
      expected.push([`folder/${2 * index}`, "new"], [`made/${index}`, "new"]);
    }
    expect(await contentOf(environment)).toEqual(Object.fromEntries(expected));
  });
}
