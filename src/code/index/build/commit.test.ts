import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { IndexStore } from "../storage/index-store.ts";
import { SegmentWriter } from "../storage/segment.ts";
import { commitGone, commitLexical } from "./commit.ts";
import { FilesByPath } from "./list-workspace.ts";
import { WorkspaceState } from "./workspace-state.ts";

const listed = { figures: [1, 2, 3, 4, 5], settled: true } as const;
const segment = new SegmentWriter(0, { weighted: false }).done();
const traits = { binary: false, oddCase: false, unparsed: false };
const hash = "ab".repeat(32);
const pathsIn = ({ records }: IndexStore) => Array.from(records.values(), ({ path }) => path);
const filesOf = (...paths: string[]) => new FilesByPath(new Map(paths.map((path) => [path, listed])));
const outdatedIn = ({ outdated, files }: WorkspaceState) =>
  Array.from(outdated, (place) => files.pathAt(place));
const content = { hash, language: undefined, traits, document: undefined };

it("reads a file again when another process has removed its record", async () => {
  await using folder = temporaryFolder();
  const store = new IndexStore(join(folder.path, "index"));
  const state = new WorkspaceState(filesOf("a"), store);
  const read = [{ path: "a", listed, knownHash: hash }];
  commitLexical(store, state, read, { files: ["same"], segment });
  expect(outdatedIn(state)).toEqual(["a"]);
  commitLexical(store, state, read, { files: [content], segment });
  expect([outdatedIn(state), pathsIn(store)]).toEqual([[], ["a"]]);
  store.close();
});

it("does not know a file whose record another process has replaced", async () => {
  await using folder = temporaryFolder();
  const directory = join(folder.path, "index");
  const [store, other] = [new IndexStore(directory), new IndexStore(directory)];
  const state = new WorkspaceState(filesOf("a"), store);
  commitLexical(store, state, [{ path: "a", listed, knownHash: undefined }], { files: [content], segment });
  expect(state.knows(store.records.get("a"))).toBe(true);
  const later = { figures: [1, 3, 3, 4, 5], settled: true } as const;
  other.sync();
  other.change(() => {
    other.records.get("a")!.figures = later.figures;
    other.update(other.records.get("a")!);
  });
  store.sync();
  state.catchUp(store);
  expect([outdatedIn(state), state.knows(store.records.get("a"))]).toEqual([["a"], false]);
  store.close();
  other.close();
});

it("counts a file whose record another process has replaced", async () => {
  await using folder = temporaryFolder();
  const directory = join(folder.path, "index");
  const [store, other] = [new IndexStore(directory), new IndexStore(directory)];
  const state = new WorkspaceState(filesOf("a"), store);
  const binary = { ...content, traits: { ...traits, binary: true } };
  commitLexical(store, state, [{ path: "a", listed, knownHash: undefined }], { files: [binary], segment });
  other.sync();
  other.change(() => {
    const { path, figures, settled, hash, language, traits, lexical, words } = other.records.get("a")!;
    other.add({ path, figures, settled, hash, language, traits, lexical, words });
  });
  store.sync();
  expect(state.count(store)).toMatchObject({ files: 1, indexed: 1 });
  store.close();
  other.close();
});

it("keeps files that another process added during a scan", async () => {
  await using folder = temporaryFolder();
  const directory = join(folder.path, "index");
  const [store, other] = [new IndexStore(directory), new IndexStore(directory)];
  const put = (path: string) => {
    const read = [{ path, listed, knownHash: undefined }];
    const state = new WorkspaceState(filesOf(path), other);
    commitLexical(other, state, read, { files: [content], segment });
  };
  put("old");
  store.sync();
  const next = store.nextFile;
  put("new");
  commitGone(store, new WorkspaceState(filesOf(), store), next);
  expect(pathsIn(store)).toEqual(["new"]);
  store.close();
  other.close();
});

it("keeps what it has read while others write, however new the file is", async () => {
  await using folder = temporaryFolder();
  const directory = join(folder.path, "index");
  const [store, other] = [new IndexStore(directory), new IndexStore(directory)];
  const young = { ...listed, settled: false };
  const files = new FilesByPath(new Map([["a", young]]));
  const state = new WorkspaceState(files, store);
  const read = [{ path: "a", listed: young, knownHash: undefined }];
  commitLexical(store, state, read, { files: [content], segment });
  const elsewhere = new WorkspaceState(filesOf("b"), other);
  commitLexical(other, elsewhere, [{ path: "b", listed, knownHash: undefined }], {
    files: [content],
    segment,
  });
  store.sync();
  state.catchUp(store);
  // A later reader must read it again.
  expect([outdatedIn(state), outdatedIn(new WorkspaceState(files, store))]).toEqual([[], ["a"]]);
  store.close();
  other.close();
});
