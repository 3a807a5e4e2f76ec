import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLocalEnvironment } from "../src/environment/local/local-environment.ts";
import { type Environment, ToolError } from "../src/toolcrib/index.ts";
import { type GrepData, searchGrep } from "../src/tools/search/grep.ts";
import { toolContext } from "../test/support/tool-context.ts";

/** More files than are searched in process, before the raced ones. */
const crowd = 300;

/** An environment whose `readFile` searches instead, so that a search can be raced like a read. */
export function openSearchedEnvironment(
  workspace: string,
  { by }: { by: "in process" | "ripgrep" },
): Environment {
  if (by === "ripgrep") writeCrowd(join(workspace, "crowd"));
  const programs = by === "ripgrep" ? {} : { rg: undefined };
  const environment = openLocalEnvironment({ workspace, programs });
  return {
    workspace,
    readFile: async (path: string) => {
      const matches = (await search(environment)).matches.filter((match) => match.path === path);
      if (matches.length === 0) throw new ToolError("not-found", "Nothing was found there.");
      return { bytes: Buffer.from(matches[0]!.text) };
    },
    close: () => environment.close(),
  } as unknown as Environment;
}

async function search(environment: Environment): Promise<GrepData> {
  return (await searchGrep.run({ pattern: "inside|secret" }, toolContext(environment))).data;
}

function writeCrowd(folder: string): void {
  mkdirSync(folder);
  for (let index = 0; index < crowd; index++) writeFileSync(join(folder, `${index}.txt`), "nothing\n");
}
