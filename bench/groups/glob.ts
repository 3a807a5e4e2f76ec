import { statSync } from "node:fs";
import { join } from "node:path";
import { dataPath } from "../data/data.ts";
import type { Case, Group } from "../harness.ts";
import { fileSystemServer, importPeer } from "../peers.ts";
import { ripgrepFiles } from "../ripgrep.ts";
import { callContender } from "../subject.ts";

const pattern = "**/*.test.ts";
const ignored = ["**/node_modules/**", "**/dist/**"];

/** Finds the test files of a large tree, newest first. */
export const group: Group = {
  needs: ["git-tree", "plain-tree"],
  cases: [
    {
      name: "30 000 files in a git repository, newest first",
      about:
        "`**/*.test.ts` sorted by time of change. ripgrep lists, the contender asks for times and sorts.",
      rounds: 12,
      goals: [{ measure: "cpuMs", timesReference: 0.6 }],
      contenders: contenders("git-tree"),
    },
    {
      name: "30 000 files without git, newest first",
      about: "The same tree without a repository around it.",
      rounds: 12,
      goals: [{ measure: "cpuMs", timesReference: 1.2 }],
      contenders: contenders("plain-tree"),
    },
  ],
};

function contenders(data: string): Case["contenders"] {
  const root = dataPath(data);
  return {
    "ripgrep + statSync": () => ({
      run: async () => newestFirst(root, await ripgrepFiles(root, ["--glob", pattern])).length,
    }),
    toolcrib: () =>
      callContender<{ files: unknown[] }>(
        root,
        "search.glob",
        { pattern, limit: 10_000 },
        ({ files }) => files.length,
      ),
    "fast-glob, two folders ignored": async () => {
      const { default: glob } = await importPeer("fast-glob", "out/index.js");
      return {
        run: async () => {
          const entries = await glob(pattern, { cwd: root, ignore: ignored, stats: true });
          entries.sort((one: Entry, other: Entry) => other.stats.mtimeMs - one.stats.mtimeMs);
          return entries.length;
        },
      };
    },
    "tinyglobby + statSync, two folders ignored": async () => {
      const { glob } = await importPeer("tinyglobby", "dist/index.mjs");
      return {
        run: async () => newestFirst(root, await glob(pattern, { cwd: root, ignore: ignored })).length,
      };
    },
    "server-filesystem, unsorted": async () => {
      const { searchFilesWithValidation } = await fileSystemServer(root);
      return { run: async () => (await searchFilesWithValidation(root, pattern, [root])).length };
    },
  };
}

interface Entry {
  readonly stats: { readonly mtimeMs: number };
}

function newestFirst(root: string, files: readonly string[]): readonly string[] {
  return files
    .map((file) => ({ file, changed: statSync(join(root, file)).mtimeMs }))
    .sort((one, other) => other.changed - one.changed)
    .map(({ file }) => file);
}
