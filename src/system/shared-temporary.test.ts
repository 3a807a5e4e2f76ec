import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { SharedTemporary } from "./shared-temporary.ts";

it("replaces the innermost temporary directory, as sandboxed commands see it", async () => {
  await using folder = temporaryFolder();
  const temporary = ["/tmp", "/tmp/inner"];
  const shared = SharedTemporary.open(folder.path, { temporary, write: [] })!;
  const located = ["/tmp/a.txt", "/tmp/inner/b.txt", "/usr/c.txt"].map((path) => shared.locate(path));
  expect(located).toEqual([join(shared.directory, "a.txt"), join(shared.directory, "b.txt"), "/usr/c.txt"]);
});
