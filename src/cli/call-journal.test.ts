import { expect, it } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../../test/support/cli-workspace.ts";

/** Changes a poem with one call, and returns its id. */
async function editedPoem(fixture: CliWorkspace): Promise<string> {
  fixture.write("poem.txt", "one\ntwo\nthree\n");
  const words = ["call", "edit.replace", "--path", "poem.txt", "--find", "two", "--replace", "2", "--json"];
  return JSON.parse((await fixture.run(...words)).stdout).callId;
}

it("shows, undoes and redoes the latest call that changed something, in any session", async () => {
  await using fixture = cliWorkspace();
  const callId = await editedPoem(fixture);
  await fixture.run("call", "file.read", "--path", "poem.txt");
  const diff = "--- a/poem.txt\n+++ b/poem.txt\n@@ -1,3 +1,3 @@ hunk 1\n one\n-two\n+2\n three\n";
  expect(await fixture.run("diff")).toEqual({ exit: 0, stdout: diff, stderr: "" });
  expect(await fixture.run("undo", "--dry-run")).toEqual({
    exit: 0,
    stdout: `Would undo ${callId}, 1 path:\n${diff.replace("-two\n+2", "-2\n+two")}`,
    stderr: "",
  });
  expect(await fixture.run("undo")).toEqual({
    exit: 0,
    stdout: `Undid ${callId}, 1 path:\nrestored poem.txt\nTo redo, run: toolcrib redo\n`,
    stderr: "",
  });
  expect(fixture.read("poem.txt")).toBe("one\ntwo\nthree\n");
  const { stdout, exit } = await fixture.run("redo");
  expect([exit, stdout]).toEqual([
    0,
    expect.stringMatching(/^Undid the undo call_\w+, 1 path:\nrestored poem.txt\n$/),
  ]);
  expect(fixture.read("poem.txt")).toBe("one\n2\nthree\n");
});

it("refuses to undo changed paths with exit code 1, and suggests flags", async () => {
  await using fixture = cliWorkspace();
  const callId = await editedPoem(fixture);
  fixture.write("poem.txt", "one\n2\nthree\nfour\n");
  expect(await fixture.run("undo")).toEqual({
    exit: 1,
    stdout: "",
    stderr: [
      "Nothing was undone: 1 of 1 path has changed since.",
      `poem.txt has changed since ${callId}:`,
      "--- a/poem.txt",
      "+++ b/poem.txt",
      "@@ -1,3 +1,4 @@ hunk 1",
      " one",
      " 2",
      " three",
      "+four",
      "Remove only these changes from the current files with --merge.",
      "",
    ].join("\n"),
  });
  const { stdout, exit } = await fixture.run("undo", callId, "--merge", "--json");
  expect([exit, JSON.parse(stdout)]).toMatchObject([
    0,
    { isError: false, data: { calls: [callId], files: [{ path: "poem.txt" }] }, error: null },
  ]);
  expect(fixture.read("poem.txt")).toBe("one\ntwo\nthree\nfour\n");
});

it("sets checkpoints, lists them, compares with them and returns to them", async () => {
  await using fixture = cliWorkspace();
  await editedPoem(fixture);
  expect(await fixture.run("checkpoint", "draft")).toEqual({
    exit: 0,
    stdout: "Set checkpoint draft. To return to it, run: toolcrib undo --to draft\n",
    stderr: "",
  });
  expect((await fixture.run("checkpoint", "the draft")).stdout).toBe(
    "Set checkpoint the draft. To return to it, run: toolcrib undo --to 'the draft'\n",
  );
  await fixture.run("call", "file.write", "--path", "new.txt", "--content", "new");
  await fixture.run("call", "file.write", "--path", "poem.txt", "--content", "gone");
  expect((await fixture.run("checkpoint", "list")).stdout).toMatch(
    /^draft, .* UTC, 2 calls changed something since\nthe draft, .*\n$/,
  );
  expect((await fixture.run("diff", "draft", "--stat")).stdout).toBe(
    "A new.txt +1 -0\nM poem.txt +1 -3\n2 paths changed by 2 calls.\n",
  );
  expect((await fixture.run("undo", "--to", "draft", "--file", "poem.txt")).exit).toBe(0);
  expect(fixture.read("poem.txt")).toBe("one\n2\nthree\n");
  expect(await fixture.run("undo", "--last", "2")).toMatchObject({ exit: 0 });
  expect(() => fixture.read("new.txt")).toThrow("ENOENT");
});

it("undoes one hunk, and explains wrong arguments", async () => {
  await using fixture = cliWorkspace();
  const callId = await editedPoem(fixture);
  const runs = await Promise.all([
    fixture.run("undo", callId, "--hunk", "2"),
    fixture.run("undo", "call_none"),
    fixture.run("undo", "--to", "nowhere"),
    fixture.run("undo", "--last", "2", "--to", "draft"),
    fixture.run("undo", "one", "two"),
    fixture.run("redo"),
  ]);
  expect(runs.map(({ exit, stderr }) => [exit, stderr.split("\n")[0]])).toEqual([
    [2, "poem.txt has 1 hunk, no hunk 2"],
    [1, 'There is no call "call_none" in the journal of this workspace'],
    [1, 'No checkpoint is named "nowhere"'],
    [2, "give only one of --last, --to"],
    [2, "Unexpected argument: two"],
    [1, "There is no undo to redo"],
  ]);
  expect((await fixture.run("undo", callId, "--hunk", "1")).exit).toBe(0);
  expect(fixture.read("poem.txt")).toBe("one\ntwo\nthree\n");
});

it("also works through the tool itself, in a separate session", async () => {
  await using fixture = cliWorkspace();
  await editedPoem(fixture);
  expect((await fixture.run("call", "journal.undo")).exit).toBe(0);
  expect(fixture.read("poem.txt")).toBe("one\ntwo\nthree\n");
});

it("undoes changes since a time like 2h, and refuses an unclear time", async () => {
  await using fixture = cliWorkspace();
  const callId = await editedPoem(fixture);
  const unclear = await fixture.run("undo", "--since", "5");
  expect([unclear.exit, unclear.stderr.split("\n")[0]]).toEqual([2, '--since must be a time, not "5"']);
  const { exit, stdout } = await fixture.run("undo", "--since", "2h", "--dry-run");
  expect([exit, stdout.split("\n")[0]]).toEqual([0, `Would undo ${callId}, 1 path:`]);
});
