import { type Dirent, lstat, lstatSync, readdir, readdirSync, rmSync, writeFileSync } from "node:fs";
import { lstat as lstatLater, readdir as readdirLater } from "node:fs/promises";
import { join } from "node:path";
import type { Outcome, ToolCall } from "../../src/contract/call.ts";
import { openScanner } from "../../src/engine/journal/effects/scanner.ts";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { openBlobs } from "../../src/journal/blobs.ts";
import { Journal } from "../../src/journal/journal.ts";
import { makePrivateDirectory } from "../../src/system/directories.ts";
import { dataPath } from "../data/data.ts";
import type { Case, Contender, Group } from "../harness.ts";
import { ShadowGit } from "../shadow-git.ts";

const project = dataPath("project");
const plain = dataPath("plain-project");
const shadowed = dataPath("shadowed-project");

/** Measures finding the changes of a command in 17 503 files with 228 MB, and its cost. */
export const group: Group = {
  needs: ["project", "plain-project", "shadowed-project"],
  cases: [
    {
      name: "look at 17 503 files",
      about:
        "One scan: kind, size, times, inode and permissions of every entry, race-safe, against bare walks that keep nothing.",
      rounds: 25,
      goals: [{ measure: "p50Ms", timesReference: 1.2 }],
      contenders: {
        "parallel lstat walk": () => ({ run: () => walkInParallel(project) }),
        toolcrib: () => {
          const environment = openLocalEnvironment({ workspace: project });
          return { run: async () => (await environment.listEntries!()).entries.size };
        },
        "lstat walk by promises": () => ({ run: () => walkByPromises(project) }),
        "lstat walk, synchronous": () => ({ run: () => walkAtOnce(project) }),
      },
    },
    {
      ...scanning(0),
      name: "a command that changes nothing",
      goals: [{ measure: "p50Ms", timesReference: 1.2 }],
    },
    { ...scanning(1), name: "a command that changes 1 file" },
    { ...scanning(20), name: "a command that changes 20 files" },
    {
      name: "the first command ever",
      about: "Nothing is known yet. In a repository git holds the files; without one all are copied once.",
      rounds: 3,
      warmUpRounds: 0,
      goals: [],
      contenders: {
        "shadow git": () => {
          const git = new ShadowGit(shadowed, dataPath("shadow-git-first"));
          return { reset: () => git.begin(), run: () => git.snapshot().length };
        },
        toolcrib: () => scanFirst(project, "first-in-git"),
        "toolcrib, without git": () => scanFirst(plain, "first-without-git"),
      },
    },
  ],
};

function scanning(files: number): Case {
  return {
    name: "",
    about: `All that is done before and after a command, journal included; ${files} files change meanwhile. Peers' way: a snapshot before, and what differs after.`,
    rounds: 15,
    goals: [],
    contenders: {
      "parallel lstat walk, twice": () => ({
        run: async () => [await walkInParallel(project), await walkInParallel(project)].length - 2,
      }),
      toolcrib: () => scanAgain(project, `git-${files}`, files),
      "toolcrib, without git": () => scanAgain(plain, `plain-${files}`, files),
      "shadow git": () => {
        const git = new ShadowGit(shadowed, dataPath(`shadow-git-${files}`));
        git.begin();
        return {
          run: () => {
            const tree = git.snapshot();
            change(shadowed, files);
            return git.changesSince(tree).length;
          },
        };
      },
    },
  };
}

function scanAgain(workspace: string, name: string, files: number): Contender {
  const state = dataPath(`scan-state/${name}`);
  const scan = openScan(workspace, state);
  return {
    run: async () => scan.around(() => change(workspace, files)),
    close: () => {
      scan.close();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

function scanFirst(workspace: string, name: string): Contender {
  const state = dataPath(`scan-state/${name}`);
  let scan: Scan | undefined;
  const close = () => {
    scan?.close();
    rmSync(state, { recursive: true, force: true });
  };
  return {
    reset: () => {
      close();
      scan = openScan(workspace, state);
    },
    run: () => scan!.around(() => {}),
    close,
  };
}

interface Scan {
  /** Returns the number of changes found. */
  around(act: () => void): Promise<number>;
  close(): void;
}

function openScan(workspace: string, state: string): Scan {
  rmSync(state, { recursive: true, force: true });
  makePrivateDirectory(state);
  const journal = new Journal({ file: join(state, "journal.sqlite"), session: "session_bench" });
  const environment = openLocalEnvironment({ workspace, effectRecords: join(state, "scans") });
  const blobs = openBlobs(join(state, "blobs"));
  const scanner = openScanner({ environment, journal, blobs, folder: join(state, "scans") });
  let calls = 0;
  return {
    around: async (act) => {
      calls += 1;
      const signal = new AbortController().signal;
      const call = { id: `call_${calls}`, accesses: [], account: {}, signal, notify: () => {} };
      await scanner.around(call as unknown as ToolCall, async () => {
        act();
        return { ok: true, text: "", fullText: "" } as Outcome;
      });
      return journal.changesOf([call.id]).length;
    },
    close: () => journal.close(),
  };
}

let version = 0;

/** Writes other contents into some files. */
function change(workspace: string, count: number): void {
  version += 1;
  for (const path of firstFiles(workspace, count))
    writeFileSync(path, `${version}\n`.repeat(1000 + (version % 7)));
}

function firstFiles(workspace: string, count: number): readonly string[] {
  const known = filesOf.get(workspace);
  if (known !== undefined) return known.slice(0, count);
  const found = readdirSync(join(workspace, "packages"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .slice(0, 20)
    .map((entry) => join(entry.parentPath, entry.name));
  filesOf.set(workspace, found);
  return found.slice(0, count);
}

const filesOf = new Map<string, readonly string[]>();

/** Hashes as many files at once as Node has threads, and stores nothing. */
function walkInParallel(root: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let waiting = 1;
  let found = 0;
  const done = () => {
    waiting -= 1;
    if (waiting === 0) resolve(found);
  };
  const enter = (directory: string) =>
    readdir(directory, { withFileTypes: true }, (error, entries: Dirent[]) => {
      if (error) return reject(error);
      for (const entry of entries) {
        if (entry.name === ".git") continue;
        const path = `${directory}/${entry.name}`;
        found += 1;
        waiting += 1;
        lstat(path, done);
        if (!entry.isDirectory()) continue;
        waiting += 1;
        enter(path);
      }
      done();
    });
  enter(root);
  return promise;
}

async function walkByPromises(directory: string): Promise<number> {
  const entries = (await readdirLater(directory, { withFileTypes: true })).filter(
    ({ name }) => name !== ".git",
  );
  const counts = await Promise.all(
    entries.map(async (entry) => {
      const path = `${directory}/${entry.name}`;
      await lstatLater(path);
      return entry.isDirectory() ? 1 + (await walkByPromises(path)) : 1;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

function walkAtOnce(root: string): number {
  const waiting = [root];
  let found = 0;
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    for (const name of readdirSync(directory)) {
      if (name === ".git") continue;
      const path = `${directory}/${name}`;
      found += 1;
      if (lstatSync(path).isDirectory()) waiting.push(path);
    }
  }
  return found;
}
