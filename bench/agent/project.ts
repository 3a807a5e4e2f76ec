import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workDirectory } from "../data/data.ts";

const folder = join(workDirectory, "agent", "project");
const file = "lines.txt";

/** The workspace of the agents: a repository with a file so long that no lines need to be read twice. */
export const project: { readonly folder: string; readonly file: string; readonly path: string } = {
  folder,
  file,
  path: join(folder, file),
};

export function writeProject(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const lines = Array.from({ length: 1_100 }, (_, index) => `const row${index} = price(${index}) * amount;`);
  writeFileSync(project.path, `${lines.join("\n")}\n`);
  const identity = { GIT_AUTHOR_NAME: "bench", GIT_AUTHOR_EMAIL: "bench@localhost" };
  const env = {
    ...process.env,
    ...identity,
    GIT_COMMITTER_NAME: identity.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: identity.GIT_AUTHOR_EMAIL,
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  for (const words of [
    ["init", "-q"],
    ["add", "."],
    ["commit", "-q", "-m", "Begin"],
  ])
    execFileSync("git", words, { cwd: folder, env });
}
