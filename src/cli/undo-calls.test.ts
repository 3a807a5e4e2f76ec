import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../../test/support/cli-workspace.ts";
import { hasTerminals } from "../../test/support/pseudo-terminal.ts";
import { openToolcrib } from "../toolcrib/index.ts";

describe("toolcrib undo --session", () => {
  it("undoes everything that one session changed, and nothing of others", async () => {
    await using fixture = cliWorkspace();
    const options = { workspace: fixture.workspace, stateDirectory: fixture.home };
    const [one, other] = [await openToolcrib(options), await openToolcrib(options)];
    await one.call("file.write", { path: "a.txt", content: "1" });
    await other.call("file.write", { path: "b.txt", content: "2" });
    await one.call("file.write", { path: "c/d.txt", content: "3" });
    await one.call("file.write", { path: "a.txt", content: "4" });
    await Promise.all([one.close(), other.close()]);
    const beginning = one.session.slice("session_".length, -1);
    const preview = await fixture.run("undo", "--session", beginning, "--dry-run", "--json");
    expect(JSON.parse(preview.stdout).data.files.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(["a.txt", "c/d.txt"]),
    );
    const { exit, stdout } = await fixture.run("undo", "--session", beginning);
    expect([exit, stdout.split("\n").sort()]).toEqual([
      0,
      expect.arrayContaining(["removed a.txt", "removed c/d.txt", "To redo, run: toolcrib redo"]),
    ]);
    expect(() => fixture.read("a.txt")).toThrow("ENOENT");
    expect(fixture.read("b.txt")).toBe("2");
    await fixture.run("call", "file.write", "--path", "e.txt", "--content", "5");
    expect((await fixture.run("undo", "--session", "last")).stdout).toContain("removed e.txt");
  });

  it("names the fix for a session that does not exist or changed nothing", async () => {
    await using fixture = cliWorkspace();
    await fixture.run("call", "file.list");
    const [{ session }] = JSON.parse((await fixture.run("log", "--json")).stdout);
    expect(
      await Promise.all([
        fixture.run("undo", "--session", session),
        fixture.run("undo", "--session", "session_unknown"),
        fixture.run("undo", "call_1", "--session", session),
      ]),
    ).toEqual([
      {
        exit: 2,
        stdout: "",
        stderr: `The session ${session} changed no files\nTo list its calls: toolcrib log --session ${session}\n`,
      },
      {
        exit: 2,
        stdout: "",
        stderr:
          'No session of this folder has the id "session_unknown"\nTo list the sessions, run: toolcrib sessions list\n',
      },
      { exit: 2, stdout: "", stderr: "A call and --session cannot be combined\nSee: toolcrib help undo\n" },
    ]);
  });
});

function git(fixture: CliWorkspace, ...words: string[]): string {
  const settings = ["-c", "user.name=u", "-c", "user.email=u@example.org"];
  return execFileSync("git", [...settings, ...words], { cwd: fixture.workspace, encoding: "utf8" }).trim();
}

/** A repository with one commit before a call, and one after it. */
async function committedChange(): Promise<{ fixture: CliWorkspace; commit: string }> {
  const fixture = cliWorkspace();
  git(fixture, "init", "-q");
  fixture.write("poem.txt", "one\n");
  git(fixture, "add", ".");
  git(fixture, "commit", "-qm", "Start");
  await fixture.run("call", "file.write", "--path", "poem.txt", "--content", "two\n");
  git(fixture, "commit", "-qam", "Count \u001b[2Jon");
  return { fixture, commit: git(fixture, "rev-parse", "--short=7", "HEAD") };
}

describe("an undo of what was committed since", () => {
  it("fails with exit code 4 without a terminal, names the commit and a copyable fix", {
    tags: "slow",
  }, async () => {
    const { fixture, commit } = await committedChange();
    await using _ = fixture;
    const refused = await fixture.run("undo", "--last", "1");
    const message = `Commit ${commit} "Count \\u001b[2Jon" contains these changes; undo changes the files, not the commit`;
    const hint = "To undo anyway, run: toolcrib undo --last 1 --yes";
    expect(refused).toEqual({ exit: 4, stdout: "", stderr: `${message}\n${hint}\n` });
    const json = await fixture.run("undo", "--json");
    expect([json.exit, JSON.parse(json.stdout).error]).toEqual([
      4,
      { code: "needs-approval", message, hint: "To undo anyway, run: toolcrib undo --json --yes" },
    ]);
    expect(fixture.read("poem.txt")).toBe("two\n");
    const done = await fixture.run("undo", "--yes");
    expect([done.exit, done.stdout]).toEqual([0, expect.stringContaining(`Commit ${commit} `)]);
    expect(fixture.read("poem.txt")).toBe("one\n");
  });

  it("is found in a repository inside the workspace, and also before a redo", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    git(fixture, "init", "-q", "lib/inner");
    for (const path of ["lib/inner/src/a.txt", "b.txt"])
      await fixture.run("call", "file.write", "--path", path, "--content", "1\n");
    git(fixture, "-C", "lib/inner", "add", ".");
    git(fixture, "-C", "lib/inner", "commit", "-qm", "Inner");
    const both = await fixture.run("undo", "--last", "2");
    expect([both.exit, both.stderr]).toEqual([4, expect.stringMatching(/^Commit \w{7} "Inner" contains/)]);
    expect((await fixture.run("undo", "--last", "2", "--yes")).exit).toBe(0);
    git(fixture, "-C", "lib/inner", "commit", "-qam", "Gone");
    const refused = await fixture.run("redo");
    expect([refused.exit, refused.stderr]).toEqual([
      4,
      expect.stringMatching(
        /^Commit \w{7} "Gone" contains the undone state; redo changes the files, not the commit\nTo redo anyway, run: toolcrib redo --yes\n$/,
      ),
    ]);
    const done = await fixture.run("redo", "--yes");
    expect([done.exit, done.stdout]).toEqual([0, expect.stringContaining("Redo changes the files")]);
    expect(fixture.read("lib/inner/src/a.txt")).toBe("1\n");
  });

  if (!hasTerminals) it.skip("at a terminal (skipped: `script` of util-linux is missing)", () => {});
  it.runIf(hasTerminals)("asks at a terminal", { tags: "slow" }, async () => {
    const { fixture, commit } = await committedChange();
    await using _ = fixture;
    const no = await fixture.onTerminal(["undo"], [["Undo anyway?", "n\n"]]);
    expect([no.exit, no.screen]).toEqual([3, expect.stringContaining(`Commit ${commit} "Count `)]);
    expect(fixture.read("poem.txt")).toBe("two\n");
    const yes = await fixture.onTerminal(["undo"], [["Undo anyway?", "y\n"]]);
    expect([yes.exit, fixture.read("poem.txt")]).toEqual([0, "one\n"]);
  });

  it("does not ask when the commit came before the change, even in the same second", async () => {
    await using fixture = cliWorkspace();
    git(fixture, "init", "-q");
    fixture.write("poem.txt", "one\n");
    git(fixture, "add", ".");
    git(fixture, "commit", "-qm", "Start");
    await fixture.run("call", "file.write", "--path", "poem.txt", "--content", "two\n");
    const { exit, stdout } = await fixture.run("undo");
    expect([exit, stdout]).toEqual([0, expect.not.stringContaining("Commit")]);
  });
});
