import { expect, it } from "vitest";
import { cliWorkspace } from "../../test/support/cli-workspace.ts";

const began =
  "Began transaction_1. Every change belongs to it until transaction.commit or transaction.rollback.\n";

function openPoem(run: "run" | "runProcess") {
  const cli = cliWorkspace();
  cli.write("poem.txt", "one\n");
  const call = async (tool: string, ...words: readonly string[]) => {
    const { exit, stdout, stderr } = await cli[run]("call", tool, ...words, "--mode", "yolo");
    return { exit, text: (stdout + stderr).replaceAll(/transaction_\w+/g, "transaction_1") };
  };
  const write = (text: string) => call("file.write", "--path", "poem.txt", "--content", text);
  return { ...cli, call, write };
}

it("continues a transaction in the next process, until a failed check rolls it back", {
  tags: "slow",
}, async () => {
  await using poem = openPoem("runProcess");
  expect(await poem.call("transaction.begin")).toEqual({ exit: 0, text: began });
  expect((await poem.write("two\n")).exit).toBe(0);
  expect(await poem.call("transaction.check", "--command", "grep -q one poem.txt")).toEqual({
    exit: 1,
    text: "The check failed with exit code 1.\nRolled back transaction_1: 1 path restored.\npoem.txt\n",
  });
  expect(poem.read("poem.txt")).toBe("one\n");
});

it("commits a transaction of several calls", async () => {
  await using poem = openPoem("run");
  expect(await poem.call("transaction.begin")).toEqual({ exit: 0, text: began });
  expect((await poem.write("three\n")).exit).toBe(0);
  expect(await poem.call("transaction.commit")).toEqual({
    exit: 0,
    text: 'Committed transaction_1 with 1 call. To undo it: journal.undo with `call: "transaction_1"`.\n',
  });
  expect(poem.read("poem.txt")).toBe("three\n");
  expect(await poem.call("transaction.rollback")).toEqual({
    exit: 1,
    text: "No transaction is open\nBegin one with transaction.begin.\n",
  });
});
