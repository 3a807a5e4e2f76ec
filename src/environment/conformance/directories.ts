import { expect, it } from "vitest";
import {
  directoryFailure,
  failure,
  failureOf,
  linkFailure,
  missingFailure,
  type OpenWorld,
  specialFailure,
} from "./world.ts";

const noDirectory = (path: string) =>
  failure("unsupported", `${path} is not a directory`, "Give the directory that contains it.");

export function testDirectories(open: OpenWorld): void {
  it("lists the entries of a directory and reads them", async () => {
    await using world = await open({ files: { "folder/file": "text", "folder/sub/deep": "deep" } });
    world.link("folder/link", "file");
    world.makeSpecial("folder/special");
    const folder = await world.environment.openDirectory("folder");
    const entries = await folder.entries();
    expect(entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: "file", kind: "file" },
      { name: "link", kind: "link" },
      { name: "special", kind: "other" },
      { name: "sub", kind: "directory" },
    ]);
    const sub = await folder.openDirectory("sub");
    expect([folder.path, sub.path]).toEqual(["folder", "folder/sub"]);
    expect(Buffer.from((await sub.readFile("deep", 4))!).toString()).toBe("deep");
    expect(await sub.readFile("deep", 3)).toBeUndefined();
    expect(await folder.info("file")).toEqual(await world.environment.info("folder/file"));
    expect((await folder.info("link")).kind).toBe("link");
    sub.close();
    folder.close();
    folder.close();
  });

  it("opens the workspace and linked directories under the requested path", async () => {
    await using world = await open({ files: { "folder/sub/file": "text" } });
    const { environment } = world;
    world.link("way", "folder");
    const paths = await Promise.all(
      [".", environment.workspace, "way/sub", "./folder/"].map(async (path) => {
        const directory = await environment.openDirectory(path);
        directory.close();
        return directory.path;
      }),
    );
    expect(paths).toEqual(["", "", "way/sub", "folder"]);
  });

  it("does not follow links and accepts only single names", async () => {
    await using world = await open({ files: { "folder/file": "text", other: "" } });
    world.link("folder/to-file", "file");
    world.link("folder/to-folder", "../folder");
    world.makeSpecial("folder/special");
    const folder = await world.environment.openDirectory("folder");
    const read = (name: string) => failureOf(folder.readFile(name, 10));
    expect(await read("to-file")).toEqual(linkFailure("folder/to-file"));
    expect(await read("special")).toEqual(specialFailure("folder/special"));
    expect(await read("missing")).toEqual(missingFailure("folder/missing"));
    expect(await failureOf(folder.openDirectory("to-folder"))).toEqual(linkFailure("folder/to-folder"));
    expect(await failureOf(folder.openDirectory("file"))).toEqual(noDirectory("folder/file"));
    expect(await failureOf(folder.info("missing"))).toEqual(missingFailure("folder/missing"));
    for (const name of ["..", ".", "", "sub/x", "../other", "a\0b"]) {
      const notSingle = failure(
        "invalid-input",
        `${JSON.stringify(name)} is not a single name`,
        "Open the directory in between first.",
      );
      expect(await read(name)).toEqual(notSingle);
      expect(await failureOf(folder.openDirectory(name))).toEqual(notSingle);
      expect(await failureOf(folder.info(name))).toEqual(notSingle);
    }
    folder.close();
  });

  it("refuses to open a file as a directory, and to read a directory", async () => {
    await using world = await open({ files: { "folder/file": "text" } });
    const { environment } = world;
    world.makeSpecial("special");
    expect(await failureOf(environment.openDirectory("folder/file"))).toEqual(noDirectory("folder/file"));
    expect(await failureOf(environment.openDirectory("special"))).toEqual(noDirectory("special"));
    expect(await failureOf(environment.openDirectory("missing"))).toEqual(missingFailure("missing"));
    const root = await environment.openDirectory(".");
    expect(await failureOf(root.readFile("folder", 10))).toEqual(directoryFailure("folder"));
    root.close();
  });
}
