import { expect, it } from "vitest";
import { toolContext } from "../../test/support/tool-context.ts";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { exampleGuard } from "../environment/conformance/guarding.ts";
import { openLocalWorld } from "../environment/conformance/local-world.ts";
import { overChannel } from "../environment/conformance/remote-world.ts";
import { withGuard } from "../environment/foreign-environment.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import { fileList } from "../tools/file/list.ts";
import { type GrepInput, searchGrep } from "../tools/search/grep.ts";
import { listWhole, searchWhole } from "./whole-operations.ts";

const whole = { search: searchWhole, list: listWhole };

const files = {
  "a.txt": "needle one\nother\n",
  "b/c.txt": "x\nneedle two\nneedle three\n",
  "b/binary": "\0needle",
  "key.secret": "needle secret\n",
  ".hidden": "needle hidden\n",
  "ignored.log": "needle ignored\n",
  ".gitignore": "*.log\n",
};

/** An environment there, with and without ripgrep. */
function served(local: Environment, { hasRipgrep }: { readonly hasRipgrep: boolean }): Environment {
  return overrideEnvironment(local, {
    start: async (program, options) => {
      if (program === "rg" && !hasRipgrep) throw new ToolError("unavailable", "rg is missing");
      return local.start(program, options);
    },
  });
}

it.for([true, false])("searches and lists as here, with ripgrep there: %s", async (hasRipgrep) => {
  await using world = openLocalWorld({ files });
  const here = withGuard(served(world.environment, { hasRipgrep }), exampleGuard);
  const remote = await overChannel(served(world.environment, { hasRipgrep }), whole);
  const there = withGuard(remote, exampleGuard);
  const searches: readonly GrepInput[] = [
    { pattern: "needle" },
    { pattern: "needle", limit: 2 },
    { pattern: "needle t", path: "b" },
    { pattern: "needle", path: "b/c.txt", context: 1 },
    { pattern: "needle", mode: "count" },
    { pattern: "needle", mode: "files", hidden: true, no_ignore: true },
    { pattern: "needle", glob: ["*.txt", "!a.*"], max_per_file: 1 },
    { pattern: "absent" },
  ];
  for (const input of searches) {
    const { data: expected, text } = await searchGrep.run(input, toolContext(here));
    const found = await searchGrep.run(input, toolContext(there));
    // A search there does not say which files the policy denies.
    const { guarded: _, ...skipped } = expected.skipped;
    expect(found.data).toEqual({ ...expected, skipped, searchedFiles: found.data.searchedFiles });
    const firstLine = (shown: string) => shown.split("\n")[0]!.replace(/\d+ files/, "");
    expect(firstLine(found.text)).toBe(firstLine(text));
    expect(JSON.stringify(found)).not.toContain("needle secret");
  }
  for (const input of [{}, { path: "b", hidden: true }])
    expect(await fileList.run(input, toolContext(there))).toEqual(
      await fileList.run(input, toolContext(here)),
    );
  await remote.close();
});

it("gives up a target that returns files which a search was to leave out", async () => {
  await using world = openLocalWorld({ files });
  const lying = {
    search: (...[environment, wanted, { signal }]: Parameters<typeof searchWhole>) =>
      searchWhole(environment, wanted, { signal }),
  };
  const remote = await overChannel(world.environment, lying);
  const there = withGuard(remote, exampleGuard);
  await expect(searchGrep.run({ pattern: "needle" }, toolContext(there))).rejects.toMatchObject({
    code: "internal",
  });
  await remote.close();
});
