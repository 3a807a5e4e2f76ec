import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { dataPath } from "../data/data.ts";
import type { Contender, Group } from "../harness.ts";
import { callContender } from "../subject.ts";

const run = promisify(execFile);

/** Compares git through the whole pipeline with git itself. */
export const group: Group = {
  needs: ["git-tree"],
  cases: [
    {
      name: "git.status on 30 000 files",
      about:
        "`git status --porcelain=v2 -z -b` against the same with every setting held that could run something, parsed.",
      rounds: 15,
      goals: [{ measure: "cpuMs", timesReference: 1.1 }],
      contenders: {
        git: () => bare(),
        toolcrib: () =>
          callContender<{ untracked: readonly string[] }>(
            dataPath("git-tree"),
            "git.status",
            {},
            ({ untracked }) => untracked.length,
          ),
        "git --no-optional-locks": () => bare("--no-optional-locks"),
      },
    },
  ],
};

function bare(...options: readonly string[]): Contender {
  const words = [...options, "status", "--porcelain=v2", "-z", "-b"];
  return {
    run: async () => {
      const { stdout } = await run("git", words, { cwd: dataPath("git-tree"), maxBuffer: 2 ** 26 });
      return stdout.split("\0").filter((record) => record.startsWith("? ")).length;
    },
  };
}
