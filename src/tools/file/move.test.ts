import { lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { schemaFaults, toolFixture } from "../../../test/support/tool-fixture.ts";
import { fileMove } from "./move.ts";

describe("file.move", () => {
  it("renames a file and creates the directories of its new path", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "text", { mode: 0o755 });
    expect(await opened.run(fileMove, { from: "a.txt", to: "new/place/b.txt" })).toEqual({
      data: { from: "a.txt", to: "new/place/b.txt", kind: "file", replaced: false },
      text: "Moved the file a.txt to new/place/b.txt.",
    });
    const { mode } = lstatSync(opened.at("new/place/b.txt"));
    expect([readFileSync(opened.at("new/place/b.txt"), "utf8"), mode & 0o777]).toEqual(["text", 0o755]);
  });

  it("moves a directory with its contents, and a link as a link", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("from/deep"), { recursive: true });
    writeFileSync(opened.at("from/deep/a.txt"), "text");
    symlinkSync("nowhere", opened.at("link"));
    expect((await opened.run(fileMove, { from: "from", to: "to" })).text).toBe(
      "Moved the directory from to to.",
    );
    expect((await opened.run(fileMove, { from: "link", to: "to/link" })).text).toBe(
      "Moved the link link to to/link.",
    );
    expect([readFileSync(opened.at("to/deep/a.txt"), "utf8"), readlinkSync(opened.at("to/link"))]).toEqual([
      "text",
      "nowhere",
    ]);
  });

  it("replaces a file only on request", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "a");
    writeFileSync(opened.at("b.txt"), "b");
    expect(await opened.refusal(fileMove, { from: "a.txt", to: "b.txt" })).toEqual({
      code: "already-exists",
      message: "b.txt already exists",
      hint: "Choose another name, or allow the call to replace it.",
    });
    expect(readFileSync(opened.at("b.txt"), "utf8")).toBe("b");
    expect(await opened.run(fileMove, { from: "a.txt", to: "b.txt", replace: true })).toEqual({
      data: { from: "a.txt", to: "b.txt", kind: "file", replaced: true },
      text: "Moved the file a.txt to b.txt, replacing the existing file.",
    });
    expect(readFileSync(opened.at("b.txt"), "utf8")).toBe("a");
  });

  it("suggests the full path when the target is a directory", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("docs"));
    mkdirSync(opened.at("src"));
    writeFileSync(opened.at("src/a.txt"), "a");
    for (const replace of [false, true]) {
      expect(await opened.refusal(fileMove, { from: "src/a.txt", to: "docs/", replace })).toEqual({
        code: "already-exists",
        message: "docs/ is a directory",
        hint: "Give the full new path, for example docs/a.txt.",
      });
    }
    expect(await opened.refusal(fileMove, { from: "src/", to: "docs" })).toEqual({
      code: "already-exists",
      message: "docs is a directory",
      hint: "Give the full new path, for example docs/src.",
    });
  });

  it("moves nothing onto or into itself, and never the workspace", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("src"));
    expect(await opened.refusal(fileMove, { from: "src", to: "./src/" })).toEqual({
      code: "invalid-input",
      message: "src cannot be moved onto itself",
      hint: "Choose another target.",
    });
    expect(await opened.refusal(fileMove, { from: "src", to: "src/inner/src" })).toEqual({
      code: "invalid-input",
      message: "src cannot be moved into itself, to src/inner/src",
      hint: "Choose a target outside the directory that is moved.",
    });
    expect(await opened.refusal(fileMove, { from: ".", to: "new" })).toEqual({
      code: "unsupported",
      message: ". is the workspace itself and cannot be replaced",
      hint: "Name a file or directory inside it.",
    });
  });

  it("changes nothing when it is cancelled", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("full"));
    writeFileSync(opened.at("full/a.txt"), "old");
    expect(await opened.refusal(fileMove, { from: "full", to: "new" }, AbortSignal.abort())).toEqual({
      code: "cancelled",
      message: "The call was cancelled",
      hint: undefined,
    });
    expect(readFileSync(opened.at("full/a.txt"), "utf8")).toBe("old");
  });

  it("declares writes of both paths, and a deletion only if it replaces", () => {
    expect(fileMove.accesses({ from: "a", to: "b" })).toEqual([
      { kind: "write", path: "a", link: "itself" },
      { kind: "write", path: "b", link: "itself" },
    ]);
    expect(fileMove.accesses({ from: "a", to: "b", replace: true })).toEqual([
      { kind: "write", path: "a", link: "itself" },
      { kind: "write", path: "b", link: "itself" },
      { kind: "delete", path: "b" },
    ]);
  });

  it("accepts two paths and the replace flag", () => {
    const inputs = [
      { from: "a", to: "b" },
      { from: "a", to: "b", replace: true },
      { from: "a" },
      { from: 1, to: "b" },
      { from: "a", to: "b", replace: 1 },
    ];
    expect(inputs.map((input) => schemaFaults(fileMove, input).length)).toEqual([0, 0, 1, 1, 1]);
  });
});
