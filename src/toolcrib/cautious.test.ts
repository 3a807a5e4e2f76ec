import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib, type ToolcribOptions } from "./index.ts";

async function openFixture(files: Readonly<Record<string, string>>, options: ToolcribOptions = {}) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  const at = (path: string) => join(workspace, path);
  mkdirSync(workspace);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
  const stateDirectory = join(folder.path, "state");
  const crib = await openToolcrib({
    workspace,
    stateDirectory,
    configDirectory: join(folder.path, "config"),
    ...options,
  });
  return {
    at,
    crib,
    /** The first line of an error, or "passed". */
    act: async (tool: string, input: object) => {
      const { error } = await crib.call(tool, input);
      return error === null ? "passed" : error.message;
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const deletingPatch = (path: string) => `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch`;
const asks = (deed: string, why: string) =>
  `This call needs approval: it would ${deed} (undo cannot restore it: ${why})`;

describe("cautious", () => {
  it("lets pass what undo restores: writing, deleting and moving in the workspace, by every tool", async () => {
    const files = { a: "a\n", b: "b\n", c: "c\n", d: "d\n", "tree/x/y": "y\n", "node_modules/m/i.js": "i\n" };
    await using fixture = await openFixture(files);
    symlinkSync("../outside", fixture.at("tree/out"));
    const begun = fixture.crib.log().length;
    expect([
      await fixture.act("file.write", { path: "a", content: "new\n" }),
      await fixture.act("file.delete", { path: "a" }),
      await fixture.act("edit.patch", { patch: deletingPatch("b") }),
      await fixture.act("file.move", { from: "c", to: "d", replace: true }),
      await fixture.act("file.delete", { path: "tree", recursive: true }),
      await fixture.act("file.delete", { path: "node_modules", recursive: true }),
    ]).toEqual(["passed", "passed", "passed", "passed", "passed", "passed"]);
    const gone = ["a", "b", "c", "tree", "node_modules"].filter((path) => existsSync(fixture.at(path)));
    const count = fixture.crib.log().length - begun;
    const undone = await fixture.act("journal.undo", { last: count });
    const back = [...Object.keys(files), "node_modules/m/i.js"].filter(
      (path) => !existsSync(fixture.at(path)),
    );
    expect([gone, undone, back]).toEqual([[], "passed", []]);
  });

  it("asks for what undo cannot restore, and says which, whatever tool deletes it", async () => {
    await using fixture = await openFixture({ big: "", "data/big": "", "nested/.git/HEAD": "ref: x\n" });
    for (const path of ["big", "data/big"]) truncateSync(fixture.at(path), 300 * 1024 * 1024);
    execFileSync("mkfifo", [fixture.at("pipe")]);
    const tooMuch = "315 MB are more than is stored for one call";
    expect([
      await fixture.act("file.delete", { path: "big" }),
      await fixture.act("edit.patch", { patch: deletingPatch("big") }),
      await fixture.act("file.write", { path: "big", content: "" }),
      await fixture.act("file.delete", { path: "data", recursive: true }),
      await fixture.act("file.delete", { path: "pipe" }),
      await fixture.act("file.delete", { path: "nested", recursive: true }),
      await fixture.act("file.move", { from: "big", to: "bigger" }),
    ]).toEqual([
      asks("delete big", tooMuch),
      asks("delete big", tooMuch),
      asks("write big", tooMuch),
      asks("delete data", tooMuch),
      asks("delete pipe", "it is a FIFO, device or socket"),
      asks("delete nested", "git's own files"),
      "passed",
    ]);
  });

  it("counts all files of a call together", async () => {
    await using fixture = await openFixture({ one: "", two: "" });
    for (const path of ["one", "two"]) truncateSync(fixture.at(path), 150 * 1024 * 1024);
    const both = "*** Begin Patch\n*** Delete File: one\n*** Delete File: two\n*** End Patch";
    expect(await fixture.act("edit.patch", { patch: both })).toBe(
      asks("delete two", "157 MB are more than is stored for one call"),
    );
  });

  it("asks before deleting where a rule says so, and in safe before every change", async () => {
    await using fixture = await openFixture({ a: "a\n" }, { rules: ["ask delete **"] });
    const asked = [
      await fixture.act("file.delete", { path: "a" }),
      await fixture.act("edit.patch", { patch: deletingPatch("a") }),
    ];
    fixture.crib.setMode("safe");
    asked.push(await fixture.act("file.write", { path: "a", content: "" }));
    expect(asked.map((message) => message.split(":")[0])).toEqual(Array(3).fill("This call needs approval"));
  });

  it("asks where undo leaves out what a command deletes, but not for what programs make again", async () => {
    const files = { "node_modules/m/i.js": "i\n", "nested/.git/HEAD": "ref: refs/heads/main\n" };
    await using fixture = await openFixture(files, { rules: ["allow run rm **"] });
    const run = (command: string) => fixture.act("shell.run", { command });
    expect(await run("rm -r nested")).toContain("undo cannot restore it: git's own files");
    expect(await run("rm -r node_modules")).not.toContain("undo");
  });
});
