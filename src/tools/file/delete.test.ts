import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { schemaFaults, toolFixture } from "../../../test/support/tool-fixture.ts";
import { fileDelete } from "./delete.ts";

describe("file.delete", () => {
  it("deletes a file", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "text");
    expect(await opened.run(fileDelete, { path: "a.txt" })).toEqual({
      data: { path: "a.txt", kind: "file", bytes: 4, entries: undefined },
      text: "Deleted the file a.txt (4 bytes).",
    });
    expect(readdirSync(opened.workspace)).toEqual([]);
  });

  it("deletes a link and keeps its target, inside or outside", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("full"));
    writeFileSync(opened.at("full/a.txt"), "text");
    symlinkSync("full", opened.at("inside"));
    symlinkSync(opened.outputs, opened.at("outside"));
    symlinkSync("nowhere", opened.at("dangling"));
    const results = [];
    for (const path of ["inside", "outside", "dangling"]) {
      results.push(await opened.run(fileDelete, { path, recursive: true }));
    }
    expect(results).toEqual(
      ["inside", "outside", "dangling"].map((path) => ({
        data: { path, kind: "link", bytes: undefined, entries: undefined },
        text: `Deleted the link ${path}; its target was not deleted.`,
      })),
    );
    expect([
      readdirSync(opened.workspace),
      existsSync(opened.at("full/a.txt")),
      existsSync(opened.outputs),
    ]).toEqual([["full"], true, true]);
  });

  it("deletes a directory only recursively, with everything in it", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("build/deep/deeper"), { recursive: true });
    for (const path of ["build/a", "build/deep/b", "build/deep/deeper/c"]) writeFileSync(opened.at(path), "");
    symlinkSync(opened.outputs, opened.at("build/outside"));
    expect(await opened.refusal(fileDelete, { path: "build" })).toEqual({
      code: "unsupported",
      message: "build is a directory",
      hint: "To delete it with everything in it, set `recursive`.",
    });
    expect(await opened.run(fileDelete, { path: "build", recursive: true })).toEqual({
      data: { path: "build", kind: "directory", bytes: undefined, entries: 6 },
      text: "Deleted the directory build with 6 files and directories in it.",
    });
    expect([readdirSync(opened.workspace), existsSync(opened.outputs)]).toEqual([[], true]);
  });

  it("describes the number of entries correctly", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("none"));
    mkdirSync(opened.at("one"));
    writeFileSync(opened.at("one/a"), "");
    mkdirSync(opened.at("many"));
    for (let index = 0; index <= 1000; index += 1) writeFileSync(opened.at(`many/${index}`), "");
    const texts = [];
    for (const path of ["none", "one", "many"]) {
      texts.push((await opened.run(fileDelete, { path, recursive: true })).text);
    }
    expect(texts).toEqual([
      "Deleted the directory none with nothing in it.",
      "Deleted the directory one with 1 file or directory in it.",
      "Deleted the directory many with everything in it.",
    ]);
    expect(readdirSync(opened.workspace)).toEqual([]);
  });

  it("does not delete the workspace", async () => {
    await using opened = toolFixture();
    for (const path of [".", opened.workspace, "a/.."]) {
      expect(await opened.refusal(fileDelete, { path, recursive: true })).toEqual({
        code: "unsupported",
        message: `${path} is the workspace itself and cannot be replaced`,
        hint: "Name a file or directory inside it.",
      });
    }
  });

  it("shows what it would delete", () => {
    expect(fileDelete.accesses({ path: "a", recursive: true })).toEqual([{ kind: "delete", path: "a" }]);
  });

  it("changes nothing when it is cancelled", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("full"));
    writeFileSync(opened.at("full/a.txt"), "old");
    expect(await opened.refusal(fileDelete, { path: "full", recursive: true }, AbortSignal.abort())).toEqual({
      code: "cancelled",
      message: "The call was cancelled",
      hint: undefined,
    });
    expect(readFileSync(opened.at("full/a.txt"), "utf8")).toBe("old");
  });

  it("accepts a path and the recursive flag", () => {
    const inputs = [
      { path: "a" },
      { path: "a", recursive: true },
      {},
      { path: ["a"] },
      { path: "a", recursive: "yes" },
    ];
    expect(inputs.map((input) => schemaFaults(fileDelete, input).length)).toEqual([0, 0, 1, 1, 1]);
  });
});
