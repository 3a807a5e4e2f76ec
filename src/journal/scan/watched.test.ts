import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { openCommandFixture, treeOf } from "../../../test/support/journal-scan/command-fixture.ts";

const canConfine =
  process.platform === "linux" &&
  ["bwrap", "perl"].every((program) => spawnSync(program, ["--version"]).status === 0);

/** Enough entries for a watch, in a folder that the comparisons skip. */
const filler = Array.from({ length: 5000 }, (_, index) => [`filler/${index % 20}/${index}`, ""] as const);

const behindOurBack = {
  "rename over": "printf new > ../t; mv ../t d/one",
  "hard link": "printf 2 >> ../two",
  "old size and time": "cp -p d/one ../t; printf NEW > d/one; touch -r ../t d/one",
  "swapped directories": "mv d/e t; mv f d/e; mv t f; printf 3 >> f/two",
  "a file that came and went": "ln f/two d/t; printf 4 >> d/t; rm d/t",
};

it.skipIf(!canConfine)("undoes confined commands exactly, whatever others change between them", async () => {
  const files = { "d/one": "one", "d/e/two": "two", "f/three": "three", ...Object.fromEntries(filler) };
  await using fixture = await openCommandFixture(files, { git: true, sandbox: "bwrap" });
  fixture.beside("ln d/e/two ../two");
  for (let count = 0; count < 3; count += 1) await fixture.bash(`printf ${count} > count`);
  const tree = () => treeOf(fixture.workspace, { without: [".git", "filler"] });
  for (const [name, script] of Object.entries(behindOurBack)) {
    fixture.beside(script);
    const before = tree();
    const call = await fixture.bash(
      "for file in $(find d f -type f); do printf more >> $file; done; rm count",
    );
    expect([name, call.isError, call.content]).toEqual([name, false, ""]);
    const undo = await fixture.undo(call);
    expect([name, tree(), undo.content]).toEqual([name, before, ""]);
  }
});
