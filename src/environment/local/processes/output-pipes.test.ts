import { expect, it } from "vitest";
import { asOrdinaryUser } from "../../../../test/support/as-ordinary-user.ts";
import { OutputPipes } from "./output-stream.ts";

const pipeUser = new URL("../../../../test/support/environment/pipe-user.ts", import.meta.url);

it.skipIf(process.platform !== "linux")(
  "returns outputs that can be reopened but not read, and reuses them once they are closed",
  { tags: "differs-for-root" },
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
  expect(await new OutputPipes(async () => "/nowhere/mkfifo").take()).toBeUndefined();
});
