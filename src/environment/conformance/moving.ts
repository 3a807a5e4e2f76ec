import { expect, it } from "vitest";
import {
  contentOf,
  existsFailure,
  failure,
  failureOf,
  missingFailure,
  type OpenWorld,
  workspaceFailure,
} from "./world.ts";

export function testMoving(open: OpenWorld): void {
  it("moves files, links and directories and creates parents", async () => {
    await using world = await open({ files: { file: "text", "folder/a/b": "below" } });
    const { environment } = world;
    world.link("link", "nowhere");
    await environment.move("file", "new/place/file");
    await environment.move("folder", "new/folder");
    await environment.move("link", "new/link");
    expect(await contentOf(environment)).toEqual({
      new: "(directory)",
      "new/place": "(directory)",
      "new/place/file": "text",
      "new/folder": "(directory)",
      "new/folder/a": "(directory)",
      "new/folder/a/b": "below",
      "new/link": "(link)",
    });
  });

  it("replaces a file or link only on request, never a directory", async () => {
    await using world = await open({ files: { one: "1", two: "2", "folder/file": "below" } });
    const { environment } = world;
    world.link("link", "folder/file");
    const before = await contentOf(environment);
    const inTheWay = failure(
      "already-exists",
      "folder already exists and is a directory",
      "Name the new path in full, or delete the directory first.",
    );
    expect(await failureOf(environment.move("one", "two"))).toEqual(existsFailure("two"));
    expect(await failureOf(environment.move("one", "link"))).toEqual(existsFailure("link"));
    expect(await failureOf(environment.move("link", "one"))).toEqual(existsFailure("one"));
    expect(await failureOf(environment.move("one", "folder"))).toEqual(inTheWay);
    expect(await failureOf(environment.move("one", "folder", { replace: true }))).toEqual(inTheWay);
    expect(await failureOf(environment.move("folder", "one", { replace: true }))).toEqual(
      failure(
        "already-exists",
        "one already exists and is not a directory",
        "Delete it first, or choose another name.",
      ),
    );
    expect(await contentOf(environment)).toEqual(before);
    await environment.move("one", "two", { replace: true });
    await environment.move("two", "link", { replace: true });
    expect(await contentOf(environment)).toEqual({
      link: "1",
      folder: "(directory)",
      "folder/file": "below",
    });
  });

  it("refuses to move an entry onto or into itself, and leaves no parents behind", async () => {
    await using world = await open({ files: { "folder/file": "text" } });
    const { environment } = world;
    world.link("way", "folder");
    const before = await contentOf(environment);
    const onto = (path: string) =>
      failure("invalid-input", `${path} cannot be moved onto itself`, "Choose another target.");
    const into = (to: string) =>
      failure(
        "invalid-input",
        `folder cannot be moved into itself, to ${to}`,
        "Choose a target outside the directory that is moved.",
      );
    expect(await failureOf(environment.move("folder/file", "way/file"))).toEqual(onto("folder/file"));
    expect(await failureOf(environment.move("folder", "./folder", { replace: true }))).toEqual(
      onto("folder"),
    );
    expect(await failureOf(environment.move("folder", "folder/a/b"))).toEqual(into("folder/a/b"));
    expect(await failureOf(environment.move("folder", "way/a/b"))).toEqual(into("way/a/b"));
    expect(await contentOf(environment)).toEqual(before);
  });

  it("refuses to move or replace the workspace, and to move missing entries", async () => {
    await using world = await open({ files: { file: "text" } });
    const { environment } = world;
    expect(await failureOf(environment.move(".", "below"))).toEqual(workspaceFailure("."));
    expect(await failureOf(environment.move("file", ".", { replace: true }))).toEqual(workspaceFailure("."));
    expect(await failureOf(environment.move("missing", "here"))).toEqual(missingFailure("missing"));
    expect(await contentOf(environment)).toEqual({ file: "text" });
  });
}
