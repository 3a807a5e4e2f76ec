/** @module-tag slow */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { BackgroundBuild } from "../build/background-build.ts";
import { type LexicalRequest, TrigramCollector } from "../build/build-lexical.ts";
import { commitLexical } from "../build/commit.ts";
import { FilesByPath } from "../build/list-workspace.ts";
import { WorkspaceState } from "../build/workspace-state.ts";
import { findCandidates } from "../query/find-candidates.ts";
import { IndexStore } from "./index-store.ts";
import { mergeSmallSegments } from "./merge-segments.ts";

const turns = { signal: new AbortController().signal, mayMerge: () => true, pause: async () => {} };
const listed = { figures: [1, 2, 3, 4, 5], settled: true } as const;
const paths = Array.from({ length: 30 }, (_, number) => `f${number}`);

const collector = new TrigramCollector();

/** Each file has a segment of its own. */
function indexed(directory: string, others: readonly string[] = []) {
  const store = new IndexStore(directory);
  const files = new FilesByPath(new Map([...paths, ...others].map((path) => [path, listed])));
  const state = new WorkspaceState(files, store);
  const put = (path: string, text: string) => {
    const bytes = Buffer.from(`${text}\n${manyTrigrams(text)}`);
    collector.add(bytes);
    const traits = { binary: false, oddCase: false, unparsed: false };
    const content = { hash: contentHash(bytes), language: undefined, traits, document: 0 };
    state.outdated.add(files.find(path)!);
    const read = [{ path, listed, knownHash: undefined }];
    commitLexical(store, state, read, { files: [content], segment: collector.write() });
  };
  const find = (text: string) =>
    findCandidates({ kind: "literal", text, ignoreCase: false }, { store, state });
  return { store, state, put, find, segments: () => [...store.segments.lexical].length };
}

/** Enough that merging takes several time slices. */
function manyTrigrams(text: string): string {
  const hash = (number: number) => createHash("sha512").update(`${text}${number}`).digest("base64");
  return Array.from({ length: 200 }, (_, number) => hash(number)).join("\n");
}

it("answers while it merges, and finds what a file contains after a change", async () => {
  await using folder = temporaryFolder();
  const { store, put, find, segments } = indexed(join(folder.path, "index"));
  for (const path of paths) put(path, `holds ${path}.`);
  const answers: (readonly string[])[] = [];
  const pause = async () => {
    if (answers.length === 1) put("f3", "is new.");
    answers.push(find("holds f2."));
  };
  await mergeSmallSegments(store, { ...turns, pause });
  expect(answers.length).toBeGreaterThan(1);
  expect(new Set(answers.map(String))).toEqual(new Set(["f2"]));
  expect([find("holds f3."), find("is new."), find("holds f29.")]).toEqual([[], ["f3"], ["f29"]]);
  expect(segments()).toBeLessThanOrEqual(24);
  store.close();
});

it("leaves segments to another process that has merged them first", async () => {
  await using folder = temporaryFolder();
  const directory = join(folder.path, "index");
  const { store, put, find, segments } = indexed(directory);
  for (const path of paths) put(path, `holds ${path}.`);
  const other = indexed(directory);
  other.store.sync();
  // It has merged and removed the same segments before the first slice.
  const pause = () => mergeSmallSegments(other.store, turns);
  await mergeSmallSegments(store, { ...turns, pause });
  expect([segments(), other.segments()]).toEqual([19, 19]);
  expect(paths.map((path) => find(`holds ${path}.`))).toEqual(paths.map((path) => [path]));
  store.close();
  other.store.close();
});

it("does not delay the next build when the index is discarded meanwhile", async () => {
  await using folder = temporaryFolder();
  const directory = join(folder.path, "index");
  const { store, state, put } = indexed(directory);
  for (const path of paths) put(path, `holds ${path}.`);
  // The words are not built here.
  state.wordless.clear();
  const quiet = async () => store.discard();
  const { signal } = turns;
  const options = { workers: [], directory, signal, discard: () => {}, done: () => {}, quiet };
  const build = new BackgroundBuild(options);
  build.begin(store, state);
  await build.stop();
  expect([store.isOpen, build.isRunning, build.problem]).toEqual([false, false, undefined]);
});

it("does not delay a query that waits for the last files", async () => {
  await using folder = temporaryFolder();
  const directory = join(folder.path, "index");
  const { store, state, put } = indexed(directory, ["last"]);
  for (const path of paths) put(path, `holds ${path}.`);
  state.wordless.clear();
  const order: string[] = [];
  const reached = async (step: string) => {
    await new Promise((resolve) => void setImmediate(resolve));
    if (!order.includes(step)) order.push(step);
  };
  const worker = {
    lexical: async () => {
      await reached("last file");
      return { files: ["gone" as const], segment: collector.write() };
    },
    words: async () => expect.unreachable(),
    retire: () => {},
    close: async () => {},
  };
  const { signal } = turns;
  const options = { workers: [worker], directory, signal, discard: () => {}, done: () => {} };
  const build = new BackgroundBuild({ ...options, quiet: () => reached("merging") });
  build.begin(store, state);
  await build.settled({ signal, progress: () => {}, giveUpAt: Number.POSITIVE_INFINITY });
  order.push("answer");
  await build.stop();
  expect(order).toEqual(["last file", "answer", "merging"]);
  store.close();
});

it.each([
  ["few", 0, []],
  ["many", 2001, [30, 30]],
])("ends the processes of its workers first when they have read %s files", async (_, count, expected) => {
  await using folder = temporaryFolder();
  const directory = join(folder.path, "index");
  const gone = Array.from({ length: count }, (_, number) => `gone${number}`);
  const { store, state, put, segments } = indexed(directory, gone);
  for (const path of paths) put(path, `holds ${path}.`);
  state.wordless.clear();
  const retired: number[] = [];
  const worker = {
    // These files are gone.
    lexical: async ({ files }: LexicalRequest) => ({
      files: files.map(() => "gone" as const),
      segment: collector.write(),
    }),
    words: async () => expect.unreachable(),
    retire: () => retired.push(segments()),
    close: async () => {},
  };
  const { signal } = turns;
  const options = { workers: [worker, worker], directory, signal, discard: () => {}, done: () => {} };
  const build = new BackgroundBuild({ ...options, quiet: async () => {} });
  build.begin(store, state);
  await build.stop();
  expect([retired, segments()]).toEqual([expected, 19]);
  store.close();
});
