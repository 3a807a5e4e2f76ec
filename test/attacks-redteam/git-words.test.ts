/** @module-tag slow */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openGitFixture } from "../support/git-tools/git-fixture.ts";

it("escapes names from a repository that would control a terminal or forge an output line", async () => {
  const evil = "\x1b[31mx\x07\u202e";
  await using fixture = await openGitFixture({
    files: { "a.txt": "one\n", "b.txt": "two\n" },
    sandbox: "auto",
  });
  const at = (...names: string[]) => join(fixture.workspace, ...names);
  fixture.git("commit", "-q", "--allow-empty", "-m", `Subject ${evil}`);
  writeFileSync(at(".gitmodules"), `[submodule "x"]\n\tpath = "../o${evil}\\nforged"\n`);
  const hooks = `hooks${evil}\nforged`;
  mkdirSync(at(hooks));
  for (const name of ["pre-commit", "post-index-change"])
    writeFileSync(at(hooks, name), "#!/bin/sh\n", { mode: 0o755 });
  appendFileSync(
    at(".git/config"),
    `[core]\n\thooksPath = "hooks${evil}\\nforged"\n[filter "f${evil}"]\n\tclean = "no-such ${evil}\\nforged"\n`,
  );
  writeFileSync(at(".git/info/attributes"), `b.txt filter=f${evil}\n`);
  fixture.write({ "a.txt": "changed\n", "b.txt": "changed\n", [`new${evil}\nforged`]: "new\n" });
  const calls = [
    ["git.status", {}],
    ["git.diff", { stat: true }],
    ["git.log", {}],
    ["git.show", { revision: "HEAD" }],
    ["git.stage", { paths: ["b.txt"] }],
    ["git.stage", { paths: ["a.txt"] }],
    ["git.commit", { amend: true }],
    ["git.branch", { name: "made", from: "HEAD", switch: true }],
    ["git.branch", {}],
  ] as const;
  const outputs: unknown[] = [];
  for (const [tool, input] of calls) {
    const { content, error } = await fixture.call(tool, input);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
    outputs.push([tool, error?.code, /[\x1b\x07\u202e]|^forged/m.exec(content)?.[0]]);
  }
  expect(outputs).toEqual(
    calls.map(([tool, input]) => [
      tool,
      "paths" in input && input.paths[0] === "b.txt" ? "denied" : undefined,
      undefined,
    ]),
  );
});
