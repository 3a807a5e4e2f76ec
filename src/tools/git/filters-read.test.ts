/** @module-tag slow */
import { existsSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GitFixture, openGitFixture } from "../../../test/support/git-tools/git-fixture.ts";

/** The filter of this repository stores files in capital letters. */
async function openFiltered(lines: string): Promise<GitFixture> {
  const opened = await openGitFixture({ lines, sandbox: "auto" });
  opened.configure({ "filter.loud.clean": "tr a-z A-Z" });
  opened.write({ ".gitattributes": "*.txt filter=loud\n", "a.txt": "hello\n", "b.md": "quiet\n" });
  opened.sh("git add -A && git commit -q -m First");
  // Now git must read the file again to see that nothing changed.
  utimesSync(join(opened.workspace, "a.txt"), new Date(0), new Date(0));
  return opened;
}

const note =
  '1 file goes through the filter loud, which was not run: unchanged ones may look changed. The rule "allow run tr a-z A-Z" lets it run in the sandbox.';

describe("reading files with a filter", () => {
  it("shows them as changed while the filter may not run, with a note", { tags: "slow" }, async () => {
    await using opened = await openFiltered("deny run tr **");
    const status = await opened.call("git.status", {});
    const diff = await opened.call("git.diff", { stat: true });
    expect([status.data, diff.data]).toMatchObject([
      { unstaged: [{ path: "a.txt", change: "modified" }], notes: [note] },
      { files: [{ path: "a.txt" }], notes: [note] },
    ]);
    expect(diff.content).toBe(`a.txt +1 -1\n[working tree against index: 1 file changed, +1 -1]\n[${note}]`);
  });

  it("compares the filtered content once a rule allows the filter", async () => {
    await using opened = await openFiltered("allow run tr a-z A-Z");
    const status = await opened.call("git.status", {});
    expect(status.data).toMatchObject({ clean: true, notes: [] });
    opened.write({ "a.txt": "hello you\n" });
    const diff = await opened.call("git.diff", {});
    expect(diff.content.match(/^[-+]\w.*$/gm)).toEqual(["-HELLO", "+HELLO YOU"]);
  });

  it("does not show hidden secrets as changed", async () => {
    await using opened = await openFiltered("allow run tr a-z A-Z");
    opened.write({ ".env": "KEY=hush\n", "server.key": "hush\n" });
    opened.sh("git add -f .env server.key && git commit -q -m Secrets");
    expect((await opened.call("git.status", {})).data).toMatchObject({ clean: true, notes: [] });
    const diff = await opened.call("git.diff", {});
    expect({ isError: diff.isError, hush: diff.content.includes("hush") }).toEqual({
      isError: false,
      hush: false,
    });
  });

  it("runs no other program, and nothing outside the sandbox", { tags: "slow" }, async () => {
    await using opened = await openFiltered("allow run tr a-z A-Z");
    opened.configure({
      "core.fsmonitor": opened.payload("payload"),
      "filter.evil.clean": opened.payload("other"),
    });
    opened.write({ ".gitattributes": "*.txt filter=loud\n*.md filter=evil\n", "b.md": "louder\n" });
    const index = readFileSync(join(opened.workspace, ".git/index"));
    await opened.call("git.status", {});
    await opened.call("git.diff", {});
    expect({
      ran: existsSync(join(opened.home, "ran")),
      index: readFileSync(join(opened.workspace, ".git/index")).equals(index),
    }).toEqual({ ran: false, index: true });
  });
});
