import { closeSync, fstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { asOrdinaryUser } from "../../../../test/support/as-ordinary-user.ts";
import { OutputPipes } from "./output-stream.ts";

const pipeUser = new URL("../../../../test/support/environment/pipe-user.ts", import.meta.url);

it.skipIf(process.platform !== "linux")(
  "returns outputs that can be reopened but not read, and reuses them once they are closed",
  { tags: ["root", "slow"] },
  async () => {
    expect(await asOrdinaryUser(pipeUser)).toEqual({
      openedAgain: ["out\nboth\n", "err\nboth\n"],
      readBack: ["1\n", ""],
      oneByOne: [
        ["1\n", ""],
        ["2\n", ""],
        ["3\n", ""],
      ],
      atOnce: [
        ["a\n", ""],
        ["b\n", ""],
        ["c\n", ""],
      ],
      leftInDirectory: [],
      held: ["", ""],
      replaced: "none",
    });
  },
);

it("returns none when they cannot be created", async () => {
  expect(await new OutputPipes(async () => "/nowhere/mkfifo").take(tmpdir())).toBeUndefined();
});

it.skipIf(process.platform !== "linux")("shares those that no program has used", async () => {
  let made = 0;
  const find = async () => {
    made += 1;
    return "/usr/bin/mkfifo";
  };
  const taken = [];
  // Earlier tests may have left some.
  for (let count = 0; count < 8; count += 1) taken.push(await new OutputPipes(find).take());
  expect([taken.includes(undefined), made <= 2]).toEqual([false, true]);
  const files = taken.flatMap((pipes) => pipes!.map(({ writeEnd }) => fstatSync(writeEnd).ino));
  expect(new Set(files).size).toBe(16);
  for (const { readEnd, writeEnd } of taken.flatMap((pipes) => pipes!)) {
    readEnd.destroy();
    closeSync(writeEnd);
  }
});
