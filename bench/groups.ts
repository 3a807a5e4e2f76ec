import { join } from "node:path";
import { installPackages } from "../scripts/install-packages.ts";
import type { Group } from "./harness.ts";

/** Its package.json has the browser and PostgreSQL. */
const testFolder = join(import.meta.dirname, "../test");

const loaders: Readonly<Record<string, () => Promise<{ readonly group: Group }>>> = {
  grep: () => import("./groups/grep.ts"),
  glob: () => import("./groups/glob.ts"),
  read: () => import("./groups/read.ts"),
  write: () => import("./groups/write.ts"),
  pipeline: () => import("./groups/pipeline.ts"),
  policy: () => import("./groups/policy.ts"),
  start: () => import("./groups/start.ts"),
  journal: () => import("./groups/journal.ts"),
  scan: () => import("./groups/scan.ts"),
  sandbox: () => import("./groups/sandbox.ts"),
  shell: () => import("./groups/shell.ts"),
  edit: () => import("./groups/edit.ts"),
  outline: () => import("./groups/outline.ts"),
  symbols: () => import("./groups/symbols.ts"),
  index: () => import("./groups/index.ts"),
  retrieval: () => import("./groups/retrieval.ts"),
  meaning: () => import("./groups/meaning.ts"),
  git: () => import("./groups/git.ts"),
  "confined-git": () => import("./groups/confined-git.ts"),
  documents: () => import("./groups/documents.ts"),
  calculator: () => import("./groups/calculator.ts"),
  mcp: () => import("./groups/mcp.ts"),
  agent: () => import("./groups/agent.ts"),
  tokens: () => import("./groups/tokens.ts"),
  // The compiler at the root, which has no types of the browser, does not follow this path.
  console: () => import(String("./groups/console.ts")),
  remote: () => import("./groups/remote.ts"),
  fleet: () => import("./groups/fleet.ts"),
  script: () => import("./groups/script.ts"),
  servers: () => import("./groups/servers.ts"),
  growth: () => import("./groups/growth.ts"),
  weight: () => import("./groups/weight.ts"),
};

export const groupNames: readonly string[] = Object.keys(loaders);

export async function loadGroup(name: string): Promise<Group> {
  const load = loaders[name];
  if (!load) throw new Error(`There is no group "${name}". Known: ${groupNames.join(", ")}.`);
  if (name === "console" || name === "fleet") installPackages(testFolder);
  return (await load()).group;
}
