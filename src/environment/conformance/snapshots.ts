import { expect, it } from "vitest";
import { figure, ignoredLimits, kindOfMode, type Snapshot } from "../../contract/snapshot.ts";
import { joinFigures, joinPaths } from "../entry-columns.ts";
import { failure, failureOf, type OpenWorld } from "./world.ts";

/** Describes each entry of a snapshot: kind, permissions or target, size of a file, and why it was left out. */
function shown(snapshot: Snapshot): Record<string, string> {
  const entries = Array.from(snapshot.entries.paths(), (path, place): [string, string] => {
    const [mode, bytes] = [figure.mode, figure.bytes].map((column) =>
      snapshot.entries.figureAt(place, column),
    ) as [number, number];
    const kind = kindOfMode(mode);
    const words = [
      kind,
      ...(kind === "link" ? ["to", snapshot.targets.get(place)] : [(mode & 0o777).toString(8)]),
      ...(kind === "file" ? [bytes] : []),
      ...(snapshot.leftOut.has(place) ? [`(${snapshot.leftOut.get(place)})`] : []),
    ];
    return [path, words.join(" ")];
  });
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

export function testSnapshots(open: OpenWorld): void {
  it("lists everything below the workspace without following links", async () => {
    await using world = await open({
      files: { "folder/deep/file": "text", "spaced name\n": "", ".hidden": "h" },
    });
    world.link("link", "folder");
    world.link("folder/out", world.outside);
    world.makeSpecial("special");
    const snapshot = await world.environment.snapshot!();
    expect(shown(snapshot)).toEqual({
      ".hidden": "file 644 1",
      folder: "directory 755",
      "folder/deep": "directory 755",
      "folder/deep/file": "file 644 4",
      "folder/out": `link to ${world.outside}`,
      link: "link to folder",
      "spaced name\n": "file 644 0",
      special: "other 644",
    });
    const placeOf = (path: string) => [...snapshot.entries.paths()].indexOf(path);
    expect(placeOf("folder")).toBeLessThan(placeOf("folder/deep"));
    expect(placeOf("folder/deep")).toBeLessThan(placeOf("folder/deep/file"));
  });

  it("omits ignored folders that programs fill, large ignored files and excluded paths", async () => {
    const size = 16 * 1024 * 1024 + 1;
    const files = {
      ".gitignore": "built/\nnode_modules/\n*.log\n",
      "built/out": "",
      "built/deep/node_modules/m": "",
      "node_modules/m": "",
      "src/.gitignore": "!node_modules\ntarget\n",
      "src/node_modules/out": "",
      "src/target/x": "",
      "small.log": "",
      "large.log": "l".repeat(size),
      "large.txt": "l".repeat(size),
      "ours/state": "",
    };
    await using world = await open({ files });
    const { environment } = world;
    const first = await environment.snapshot!({ without: [`${environment.workspace}/ours`, world.outside] });
    expect(shown(first)).toEqual({
      ".gitignore": "file 644 27",
      built: "directory 755",
      "built/out": "file 644 0",
      "built/deep": "directory 755",
      "built/deep/node_modules": "directory 755 (ignored)",
      "large.log": `file 644 ${size} (ignored)`,
      "large.txt": `file 644 ${size}`,
      node_modules: "directory 755 (ignored)",
      "small.log": "file 644 0",
      src: "directory 755",
      "src/.gitignore": "file 644 21",
      "src/node_modules": "directory 755",
      "src/node_modules/out": "file 644 0",
      "src/target": "directory 755 (ignored)",
    });
    await environment.writeFile(".gitignore", Buffer.from("src\ncache\n"));
    await environment.writeFile("cache/file", Buffer.from(""));
    expect(shown(await environment.snapshot!({ like: first }))).toMatchObject({
      node_modules: "directory 755 (ignored)",
      cache: "directory 755 (ignored)",
      "src/node_modules/out": "file 644 0",
      "src/target": "directory 755 (ignored)",
    });
  });

  it("omits ignored folders beyond the budget, but enters again what an earlier snapshot entered", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`out/${at}`, ""]));
    await using world = await open({ files: { ".gitignore": "out\n", ...many } });
    const { environment } = world;
    const first = await environment.snapshot!();
    const entries = (snapshot: Snapshot) =>
      [...snapshot.entries.paths()].filter((path) => path.startsWith("out/")).length;
    const ignored = { ...ignoredLimits, maxEntries: 20 };
    const fresh = await environment.snapshot!({ ignored });
    const like = await environment.snapshot!({ ignored, like: first });
    expect([entries(first), entries(fresh), shown(fresh).out, entries(like)]).toEqual([
      30,
      0,
      "directory 755 (ignored)",
      30,
    ]);
  });

  it("stays equal until something is written", async () => {
    await using world = await open({ files: { a: "1", b: "2" } });
    const { environment } = world;
    const [first, second] = [await environment.snapshot!(), await environment.snapshot!()];
    expect(joinPaths(second.entries).toString()).toBe(joinPaths(first.entries).toString());
    expect(joinFigures(second.entries)).toEqual(joinFigures(first.entries));
    await environment.writeFile("a", Buffer.from("3"));
    const third = await environment.snapshot!();
    const row = (snapshot: Snapshot, path: string) => {
      const place = [...snapshot.entries.paths()].indexOf(path);
      return joinFigures(snapshot.entries, place, place + 1);
    };
    expect(row(third, "b")).toEqual(row(first, "b"));
    expect(row(third, "a")).not.toEqual(row(first, "a"));
  });

  it("can be cancelled", async () => {
    await using world = await open({ files: { a: "" } });
    const cancelled = failure("cancelled", "The call was cancelled", undefined);
    expect(await failureOf(world.environment.snapshot!({ signal: AbortSignal.abort() }))).toEqual(cancelled);
  });
}
