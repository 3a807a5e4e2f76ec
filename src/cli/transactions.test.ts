import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { builtProgram } from "../../test/support/built-program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const folder = temporaryFolder();
const workspace = join(folder.path, "a workspace");
afterAll(() => folder[Symbol.asyncDispose]());

beforeAll(() => {
  mkdirSync(workspace);
  writeFileSync(join(workspace, "poem.txt"), "one\n");
});

/** What a call answers; each is a process of its own. */
function call(
  tool: string,
  ...words: readonly string[]
): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [builtProgram, "call", tool, ...words, "--mode", "yolo"],
    {
      cwd: workspace,
      encoding: "utf8",
      env: { ...process.env, TOOLCRIB_HOME: join(folder.path, "home") },
    },
  );
  return { status, text: (stdout + stderr).replaceAll(/transaction_\w+/g, "transaction_1") };
}

const poem = () => readFileSync(join(workspace, "poem.txt"), "utf8");

it("lets a transaction go on from one call of the command line to the next", { timeout: 60_000 }, () => {
  const began =
    "Began transaction_1. Every change belongs to it until transaction.commit or transaction.rollback.\n";
  const write = (text: string) => call("file.write", "--path", "poem.txt", "--content", text);
  expect(call("transaction.begin")).toEqual({ status: 0, text: began });
  expect(write("two\n").status).toBe(0);
  expect(call("transaction.check", "--command", "grep -q one poem.txt")).toEqual({
    status: 0,
    text: "The check failed with exit code 1.\nRolled back transaction_1: 1 path restored.\npoem.txt\n",
  });
  expect(poem()).toBe("one\n");

  expect(call("transaction.begin")).toEqual({ status: 0, text: began });
  expect(write("three\n").status).toBe(0);
  expect(call("transaction.commit")).toEqual({
    status: 0,
    text: 'Committed transaction_1 with 1 call. To undo it: journal.undo with `call: "transaction_1"`.\n',
  });
  expect(poem()).toBe("three\n");
  expect(call("transaction.rollback")).toEqual({
    status: 1,
    text: "No transaction is open\nBegin one with transaction.begin.\n",
  });
});
