import { mkdirSync, symlinkSync, utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type TemporaryToolcrib, temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";

const poem = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

describe("an edit of a file that others have changed", () => {
  it("is applied if it still fits, and reports the changes", async () => {
    await using fixture = await openFixture();
    await fixture.crib.call("file_read", { path: "poem.txt" });
    fixture.write("poem.txt", poem.replace("two", "2").replace("six\n", ""));
    expect(await fixture.replace("four", "4")).toEqual([
      "ok",
      "Edited poem.txt at line 4 (# → #):",
      "(changed since you last saw it, at lines 2 and 6; your edit still fits)",
      ..."@@ -1,6 +1,6 @@\n one\n 2\n three\n-four\n+4\n five\n seven".split("\n"),
    ]);
    expect(fixture.read("poem.txt")).toBe("one\n2\nthree\n4\nfive\nseven\n");
  });

  it("is refused if it no longer fits, and shows the changes", async () => {
    await using fixture = await openFixture();
    await fixture.crib.call("file_read", { path: "poem.txt" });
    fixture.write("poem.txt", poem.replace("four", "for"));
    expect(await fixture.replace("three\nfour\nfive", "3\n4\n5")).toEqual([
      "stale",
      "poem.txt: the text was not found. The closest match is lines 3-5, where 2 of 3 lines agree. The first difference is line 4:",
      "  wanted: four",
      "  found:  for",
      "These lines are now:",
      "3 | three",
      "4 | for",
      "5 | five",
      "poem.txt has changed since you last saw it, at line 4:",
      ..."@@ -3,3 +3,3 @@\n three\n-four\n+for\n five".split("\n"),
      "Nothing was written. Adapt the edit to the current content and send it again.",
    ]);
    expect(fixture.read("poem.txt")).toBe(poem.replace("four", "for"));
  });

  it("is refused if its text now occurs twice, and shows the added text", async () => {
    await using fixture = await openFixture();
    await fixture.crib.call("file_read", { path: "poem.txt" });
    fixture.write("poem.txt", `${poem}four\n`);
    const [code, ...lines] = await fixture.replace("four", "4");
    expect([code, lines.slice(1)]).toEqual([
      "stale",
      [
        "poem.txt has changed since you last saw it, at line 8:",
        ..."@@ -7,1 +7,2 @@\n seven\n+four".split("\n"),
        expect.stringMatching(/^Nothing was written\. .*neighbouring line/),
      ],
    ]);
  });

  it("reports no changes to a caller that has not seen the file", async () => {
    await using fixture = await openFixture();
    fixture.write("poem.txt", poem.replace("two", "2"));
    const [refused, made] = [await fixture.replace("two", "zwei"), await fixture.replace("four", "4")];
    expect([refused[0], made[2]]).toEqual(["no-match", "@@ -1,7 +1,7 @@"]);
  });

  it("reports changes only to lines that were shown, wherever they are now", async () => {
    await using fixture = await openFixture();
    await fixture.crib.call("file_read", { path: "poem.txt", offset: 3, limit: 2 });
    fixture.write("poem.txt", `zero\n${poem.replace("seven", "7")}`);
    const elsewhere = await fixture.replace("five", "5");
    await fixture.crib.call("file_read", { path: "poem.txt", offset: 4, limit: 2 });
    fixture.write("poem.txt", "zero\nhalf\none\ntwo\nTHREE\nfour\n5\nsix\n7\n");
    const within = await fixture.replace("six", "6");
    expect([elsewhere[2], within[2]]).toEqual([
      "@@ -3,6 +3,6 @@",
      "(changed since you last saw it, at lines 2 and 5; your edit still fits)",
    ]);
  });

  it("reports changes also to a caller that read the file by another name", async () => {
    await using fixture = await openFixture();
    mkdirSync(fixture.at("links"));
    symlinkSync("../poem.txt", fixture.at("links/to poem"));
    await fixture.crib.call("file_read", { path: "links/to poem" });
    fixture.write("poem.txt", poem.replace("two", "2"));
    expect((await fixture.replace("two", "zwei"))[0]).toBe("stale");
  });

  it("reports no changes when they were the caller's own, or only touched the file", async () => {
    await using fixture = await openFixture();
    await fixture.crib.call("file_read", { path: "poem.txt" });
    utimesSync(fixture.at("poem.txt"), new Date(), new Date());
    const first = await fixture.replace("one", "1");
    const second = await fixture.replace("three", "3");
    await fixture.crib.call("file_write", { path: "poem.txt", content: "all new\n" });
    const third = await fixture.replace("new", "old");
    expect([first, second, third].map((lines) => lines[2]!.slice(0, 2))).toEqual(["@@", "@@", "@@"]);
  });

  it("is checked for each file of a patch separately", async () => {
    await using fixture = await openFixture();
    fixture.write("other.txt", "alpha\n");
    await fixture.crib.call("file_read", { paths: ["poem.txt", "other.txt"] });
    fixture.write("poem.txt", poem.replace("two", "2"));
    const patch = (line: string) =>
      `*** Begin Patch\n*** Update File: poem.txt\n@@\n-four\n+4\n*** Update File: other.txt\n@@\n-${line}\n+x\n*** End Patch`;
    const refused = await fixture.crib.call("edit_patch", { patch: patch("beta") });
    const made = await fixture.crib.call("edit_patch", { patch: patch("alpha") });
    expect([refused.error?.code, made.content.match(/changed since/g)?.length]).toEqual(["no-match", 1]);
  });

  it("reports changes again only after new ones", async () => {
    await using fixture = await openFixture();
    await fixture.crib.call("file_read", { path: "poem.txt" });
    fixture.write("poem.txt", poem.replace("two", "2"));
    const outcome = await fixture.replace("four", "4");
    const quiet = await fixture.replace("five", "5");
    expect([outcome[2]!.slice(0, 8), quiet[2]!.slice(0, 2)]).toEqual(["(changed", "@@"]);
  });
});

interface Fixture extends TemporaryToolcrib {
  /** "ok" or the code of the error, then the lines of the answer, hashes left out. */
  replace(find: string, replace: string): Promise<readonly string[]>;
}

/** A fixture with a poem. */
async function openFixture(): Promise<Fixture> {
  const fixture = await temporaryToolcrib();
  fixture.write("poem.txt", poem);
  return {
    ...fixture,
    replace: async (find, replace) => {
      const { error, content } = await fixture.crib.call("edit_replace", { path: "poem.txt", find, replace });
      return [error?.code ?? "ok", ...content.replace(/[0-9a-f]{12}/g, "#").split("\n")];
    },
  };
}
