import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { FolderWatch } from "./folder-watch.ts";

describe("FolderWatch", () => {
  it("tells once about a group that changes, until it is watched again", async () => {
    await using place = temporaryFolder();
    const folder = place.path;
    const [one, other] = [join(folder, "one"), join(folder, "other")];
    for (const path of [one, other]) mkdirSync(path);
    const told: string[] = [];
    let next = Promise.withResolvers<void>();
    const watch = new FolderWatch((group) => {
      told.push(group);
      next.resolve();
    });
    watch.add("both", [one, other, join(folder, "missing")]);
    watch.add("missing", [join(folder, "missing")]);
    expect([watch.has("both"), watch.has("missing")]).toEqual([true, false]);
    for (let count = 0; count < 20; count += 1) writeFileSync(join(other, `${count}`), "");
    await next.promise;
    expect([told, watch.has("both")]).toEqual([["both"], false]);
    next = Promise.withResolvers();
    watch.add("both", [one, other]);
    rmSync(one, { recursive: true });
    await next.promise;
    expect(told).toEqual(["both", "both"]);
    watch.add("both", [other]);
    watch.close();
    expect(watch.has("both")).toBe(false);
  });
});
