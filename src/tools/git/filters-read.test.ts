import { existsSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GitFixture, openGitFixture } from "../../../test/support/git-tools/git-fixture.ts";

/** Files go into this repository in capital letters. */
async function openFiltered(lines: string): Promise<GitFixture> {
  const room = await openGitFixture({ lines });
  room.configure({ "filter.loud.clean": "tr a-z A-Z" });
  room.write({ ".gitattributes": "*.txt filter=loud\n", "a.txt": "hello\n", "b.md": "quiet\n" });
  room.sh("git add -A && git commit -q -m First");
  // Now git has to read it again to know that nothing is changed.
  utimesSync(join(room.workspace, "a.txt"), new Date(0), new Date(0));
  return room;
}

const note =
  '1 file goes through the filter loud, which was not run: unchanged ones may look changed. The rule "allow run tr a-z A-Z" lets it run in the sandbox.';

describe("files that go through a filter", () => {
  it("look changed while it may not run, and that is said", async () => {
    await using room = await openFiltered("deny run tr **");
    const status = await room.call("git.status", {});
    const diff = await room.call("git.diff", { stat: true });
    expect([status.data, diff.data]).toMatchObject([
      { unstaged: [{ path: "a.txt", change: "modified" }], notes: [note] },
      { files: [{ path: "a.txt" }], notes: [note] },
    ]);
    expect(diff.content).toBe(`a.txt +1 -1\n[working tree against index: 1 file changed, +1 -1]\n[${note}]`);
  });

  it("are compared as they would be kept once a rule lets it run", async () => {
    await using room = await openFiltered("allow run tr a-z A-Z");
    const status = await room.call("git.status", {});
    expect(status.data).toMatchObject({ clean: true, notes: [] });
    room.write({ "a.txt": "hello you\n" });
    const diff = await room.call("git.diff", {});
    expect(diff.content.match(/^[-+]\w.*$/gm)).toEqual(["-HELLO", "+HELLO YOU"]);
  });

  it("do not make secrets look changed, which the sandbox hides", async () => {
    await using room = await openFiltered("allow run tr a-z A-Z");
    room.write({ ".env": "KEY=hush\n", "server.key": "hush\n" });
    room.sh("git add -f .env server.key && git commit -q -m Secrets");
    expect((await room.call("git.status", {})).data).toMatchObject({ clean: true, notes: [] });
    const diff = await room.call("git.diff", {});
    expect({ isError: diff.isError, hush: diff.content.includes("hush") }).toEqual({
      isError: false,
      hush: false,
    });
  });

  it("run nothing else then, and nothing outside the sandbox", async () => {
    await using room = await openFiltered("allow run tr a-z A-Z");
    room.configure({
      "core.fsmonitor": room.payload("payload"),
      "filter.evil.clean": room.payload("other"),
    });
    room.write({ ".gitattributes": "*.txt filter=loud\n*.md filter=evil\n", "b.md": "louder\n" });
    const index = readFileSync(join(room.workspace, ".git/index"));
    await room.call("git.status", {});
    await room.call("git.diff", {});
    expect({
      ran: existsSync(join(room.home, "ran")),
      index: readFileSync(join(room.workspace, ".git/index")).equals(index),
    }).toEqual({ ran: false, index: true });
  });
});
