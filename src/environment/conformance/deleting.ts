import { expect, it } from "vitest";
import { contentOf, failure, failureOf, missingFailure, type OpenWorld, workspaceFailure } from "./world.ts";

export function testDeleting(open: OpenWorld): void {
  it("deletes files, links and special files themselves", async () => {
    await using world = await open({ files: { "folder/file": "text", other: "stays" } });
    const { environment } = world;
    world.makeSpecial("special");
    world.link("to-file", "other");
    world.link("to-folder", "folder");
    world.link("to-outside", world.outside);
    for (const path of ["folder/file", "special", "to-file", "to-folder", "to-outside"]) {
      await environment.delete(path);
    }
    expect(await contentOf(environment)).toEqual({ folder: "(directory)", other: "stays" });
  });

  it("deletes a directory only recursively, without following links", async () => {
    await using world = await open({ files: { "folder/a/b/c": "text", "folder/d": "", other: "stays" } });
    const { environment } = world;
    world.link("folder/a/back", "../../other");
    world.link("folder/a/out", world.outside);
    world.link("folder/up", "..");
    world.makeSpecial("folder/special");
    expect(await failureOf(environment.delete("folder"))).toEqual(
      failure("unsupported", "folder is a directory", "To delete it with everything in it, set `recursive`."),
    );
    await environment.delete("folder", { recursive: true });
    expect(await contentOf(environment)).toEqual({ other: "stays" });
  });

  it("refuses to delete the workspace and missing entries", async () => {
    await using world = await open({ files: { file: "stays" } });
    const { environment } = world;
    world.link("root", environment.workspace);
    for (const path of [".", "folder/..", environment.workspace]) {
      expect(await failureOf(environment.delete(path, { recursive: true }))).toEqual(workspaceFailure(path));
    }
    expect(await failureOf(environment.delete("missing"))).toEqual(missingFailure("missing"));
    await environment.delete("root", { recursive: true });
    expect(await contentOf(environment)).toEqual({ file: "stays" });
  });
}
