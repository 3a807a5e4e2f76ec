import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { missingHere } from "../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib } from "./index.ts";

/** A workspace inside of data of a program: runs of other users, and a database. */
async function openInside(sandbox: "auto" | "none") {
  const folder = temporaryFolder();
  const data = join(folder.path, "data of a program");
  const workspace = join(data, "runs/own/workspace");
  for (const path of [workspace, join(data, "runs/other/workspace")]) {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "a.txt"), path === workspace ? "own text\n" : "other text\n");
  }
  writeFileSync(join(workspace, ".env"), "TOKEN=own text\n");
  const crib = await openToolcrib({
    ...{ workspace, sandbox, mode: "yolo", hiddenPaths: [data], stateDirectory: join(folder.path, "state") },
    // No rule of a caller can open what the program hides.
    rules: [`open '${data}/**'`, `allow read '${data}/**'`],
  });
  return {
    ...{ data, crib },
    run: async (command: string) => {
      const { error, content } = await crib.call("shell.run", { command });
      return `${error?.code ?? ""} ${content}`;
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

it("hide data around the workspace from every tool, and leave the workspace as it is", async () => {
  await using opened = await openInside("none");
  const { crib, run, data } = opened;
  expect(await run("cat a.txt; for f in a*; do cat \"$f\"; done; find . -name 'a*' | xargs cat")).toContain(
    "own text\nown text\nown text",
  );
  expect((await crib.call("file.read", { path: "a.txt" })).content).toContain("own text");
  expect((await crib.call("file.write", { path: "deep/b.txt", content: "new" })).error).toBeNull();
  const attacks = [
    ...["cat ../../other/workspace/a.txt", `cat '${data}/runs/other/workspace/a.txt'`],
    ...["cat ../../*/workspace/a.txt", "grep -r text ../..", "cp -r ../../other .", "echo x > ../planted"],
    "cd ../../other/workspace && cat a.txt",
  ];
  for (const attack of attacks)
    expect([attack, await run(attack)]).toEqual([attack, expect.stringMatching(/^denied/)]);
  for (const path of ["../../other/workspace/a.txt", join(data, "runs/other/workspace/a.txt")])
    expect((await crib.call("file.read", { path })).error?.code).toMatch(/^(?:denied|outside-workspace)$/);
  expect(existsSync(join(data, "runs/own/planted"))).toBe(false);
});

it.skipIf((await missingHere("bwrap")) !== undefined)(
  "hide it in the sandbox also from programs that do not name it",
  { tags: "slow" },
  async () => {
    await using opened = await openInside("auto");
    const { run } = opened;
    expect(await run("sh -c 'cat a.t*'")).toContain("own text");
    const hidden = await run(
      `p=..; sh -c 'cat '$p/$p'/oth*/workspace/a.t*'; find / -name a.txt 2>/dev/null | xargs cat`,
    );
    expect(hidden).not.toContain("other text");
  },
);
