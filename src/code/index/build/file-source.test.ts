import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { workerHere } from "../../../../test/support/code-index/open-index.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { Environment } from "../../../contract/environment.ts";
import { openLocalWorld } from "../../../environment/conformance/local-world.ts";
import { overChannel } from "../../../environment/conformance/remote-world.ts";
import { walkWhole } from "../../../files/walk.ts";
import { overrideEnvironment } from "../../../lib/override-environment.ts";
import { Channel } from "../../../workers/channel.ts";
import type { IndexerCallbacks } from "../../worker/index-service.ts";
import { filesOf } from "../../worker/index-worker.ts";
import { openIndexer } from "../indexer.ts";
import { FilesElsewhere } from "./file-source.ts";

const { signal } = new AbortController();
const none = () => {};

/** An indexer whose parent has the connection. Both run in this process. */
function openIndex(environment: Environment, directory: string) {
  const parent: Channel<never> = new Channel((message) => worker.receive(message), filesOf(environment));
  const worker: Channel<IndexerCallbacks> = new Channel((message) => parent.receive(message), {});
  const files = new FilesElsewhere(worker);
  // The workers must not find the files by themselves.
  const workers = [files.serving(workerHere("/missing"))];
  const mayRead = async (paths: readonly string[]) => paths.map(() => true);
  const index = openIndexer({ workspace: environment.workspace, directory, mayRead, workers, files });
  return {
    built: () => index.refresh({ signal, progress: none, patienceMs: 60_000 }),
    files: async (text: string) => {
      await index.refresh({ signal, progress: none, patienceMs: 60_000 });
      return index.candidates({ kind: "literal", text, ignoreCase: false }, { signal });
    },
    [Symbol.asyncDispose]: () => index.close(),
  };
}

it("reads each file of another machine once, and later only those that have changed", async () => {
  const files = { "a/one.ts": "class One {}\n", "b.txt": "two words", "c.log": "x", ".gitignore": "*.log\n" };
  const git = { ".git/HEAD": "ref: refs/heads/main\n", ".git/info/exclude": "", ".git/refs/none": "" };
  await using world = openLocalWorld({ files: { ...files, ...git } });
  await using folder = temporaryFolder();
  const remote = await overChannel(world.environment, { walk: walkWhole });
  const calls: string[] = [];
  const counted = overrideEnvironment(remote, {
    listEntries: (options) => {
      calls.push("list");
      return remote.listEntries!(options);
    },
    walk: (...wanted) => {
      calls.push("walk");
      return remote.walk!(...wanted);
    },
    readFiles: async (paths, wanted) => {
      const results = await remote.readFiles!(paths, wanted);
      calls.push(...paths.filter((path, index) => !path.startsWith(".git/") && results[index] !== "same"));
      return results;
    },
  });
  const taken = () => calls.splice(0).sort();
  await using index = openIndex(counted, join(folder.path, "index"));
  expect(await index.built()).toMatchObject({ files: 2, indexed: 2, outlined: 1 });
  expect(taken()).toEqual(["a/one.ts", "b.txt", "list", "walk"]);
  await expect.poll(async () => [await index.files("words"), taken()]).toEqual([["b.txt"], ["list"]]);
  writeFileSync(world.path("b.txt"), "other words");
  expect(await index.files("other")).toEqual(["b.txt"]);
  expect(taken()).toEqual(["b.txt", "list", "walk"]);
  writeFileSync(world.path(".git/info/exclude"), "b.txt\n");
  expect(await index.files("other")).toEqual([]);
  await remote.close();
});

it("blames no file for a lost connection", { tags: "slow" }, async () => {
  await using world = openLocalWorld({ files: { "one.ts": "class One {}\n" } });
  await using folder = temporaryFolder();
  const directory = join(folder.path, "index");
  const remote = await overChannel(world.environment, { walk: walkWhole });
  const lost = overrideEnvironment(remote, {
    readFiles: () => Promise.reject(new Error("The connection to the target was lost")),
  });
  const { built, ...broken } = openIndex(lost, directory);
  expect((await built()).problem).toContain("The connection to the target was lost");
  await broken[Symbol.asyncDispose]();
  await using index = openIndex(remote, directory);
  expect(await index.built()).toMatchObject({ files: 1, outlined: 1 });
  rmSync(world.path("one.ts"));
  expect(await index.built()).toMatchObject({ files: 0 });
  await remote.close();
});
