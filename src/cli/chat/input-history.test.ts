import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { InputHistory } from "./input-history.ts";

it("keeps typed lines for the next time, readable only by the user", async () => {
  await using folder = temporaryFolder();
  const directory = join(folder.path, "state");
  const lines = new InputHistory(directory);
  for (const line of ["one", "two", "two", "  ", "three"]) lines.add(line);
  const file = join(directory, "chat-history");
  chmodSync(file, 0o644);
  expect([lines.newestFirst, new InputHistory(directory).newestFirst, statSync(file).mode & 0o777]).toEqual([
    ["three", "two", "one"],
    ["three", "two", "one"],
    0o600,
  ]);
});

it("keeps at most a thousand lines", async () => {
  await using folder = temporaryFolder();
  const file = join(folder.path, "chat-history");
  writeFileSync(file, Array.from({ length: 1500 }, (_, index) => `line ${index}\n`).join(""));
  const { newestFirst } = new InputHistory(folder.path);
  expect([newestFirst.length, newestFirst[0], readFileSync(file, "utf8").split("\n").length]).toEqual([
    1000,
    "line 1499",
    1001,
  ]);
});

it("works without a history when none can be stored", async () => {
  await using folder = temporaryFolder();
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  const lines = new InputHistory(join(file, "below"));
  lines.add("one");
  expect(lines.newestFirst).toEqual(["one"]);
});
