import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resultWith } from "../../test/support/fleet/examples.ts";
import { runWith } from "../../test/support/fleet/fixtures.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { readRunFile } from "./read-artifact.ts";

describe("readRunFile", () => {
  it("reads only folders that are named after the run", async () => {
    await using folder = temporaryFolder();
    const { id } = runWith();
    for (const name of ["private", id]) {
      mkdirSync(join(folder.path, name));
      writeFileSync(join(folder.path, name, "patch.diff"), name);
    }
    const read = (artifacts: string) =>
      readRunFile(
        runWith({ result: { ...resultWith(""), artifacts, artifactNames: ["patch.diff"] } }),
        "patch.diff",
      );
    const own = join(folder.path, id);
    expect((await read(own)).toString()).toBe(id);
    for (const other of [join(folder.path, "private"), `${own}/../private`, "s3://another-bucket/secrets"])
      await expect(read(other)).rejects.toMatchObject({ code: "unavailable" });
  });
});
