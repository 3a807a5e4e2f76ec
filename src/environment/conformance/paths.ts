import { expect, it } from "vitest";
import type { Environment } from "../../contract/environment.ts";
import {
  circleFailure,
  failure,
  failureOf,
  missingFailure,
  type OpenWorld,
  outsideFailure,
  throughFileFailure,
} from "./world.ts";

/** Every method that takes a path of the workspace. */
const everyMethod: Readonly<Record<string, (environment: Environment, path: string) => Promise<unknown>>> = {
  realPath: (environment, path) => environment.realPath(path),
  info: (environment, path) => environment.info(path),
  readFile: (environment, path) => environment.readFile(path, { maxBytes: 10 }),
  readBytes: (environment, path) => environment.readBytes(path, { offset: 0, length: 10 }),
  readLines: (environment, path) => environment.readLines(path, { first: 1, count: 1, maxBytes: 10 }),
  writeFile: (environment, path) => environment.writeFile(path, new Uint8Array(1)),
  delete: (environment, path) => environment.delete(path, { recursive: true }),
  "move from": (environment, path) => environment.move(path, "elsewhere"),
  "move to": (environment, path) => environment.move("file", path, { replace: true }),
  openDirectory: (environment, path) => environment.openDirectory(path),
};

async function failuresOfEveryMethod(
  environment: Environment,
  path: string,
): Promise<Record<string, unknown>> {
  const failures: Record<string, unknown> = {};
  for (const [method, call] of Object.entries(everyMethod)) {
    failures[method] = await failureOf(call(environment, path));
  }
  return failures;
}

function forEveryMethod(expected: object): Record<string, object> {
  return Object.fromEntries(Object.keys(everyMethod).map((method) => [method, expected]));
}

export function testPaths(open: OpenWorld): void {
  it("refuses an empty path and a NUL byte everywhere", async () => {
    await using world = await open({ files: { file: "text" } });
    expect(await failuresOfEveryMethod(world.environment, "")).toEqual(
      forEveryMethod(failure("invalid-input", "The path is empty", `Use "." for the workspace.`)),
    );
    expect(await failuresOfEveryMethod(world.environment, "a\0b")).toEqual(
      forEveryMethod(failure("invalid-input", "The path contains a NUL byte", "Give the path without it.")),
    );
  });

  it("refuses paths that leave the workspace everywhere", async () => {
    await using world = await open({ files: { file: "text" } });
    const { workspace } = world.environment;
    const secret = `${world.outside}/secret`;
    for (const path of ["..", "../x", "a/../../x", secret, `${workspace}/../x`, `${workspace}-evil/x`, "/"]) {
      const failures = await failuresOfEveryMethod(world.environment, path);
      expect(failures).toEqual(forEveryMethod(outsideFailure(world, path)));
    }
  });

  it("refuses links to outside and paths behind them, existing or not", async () => {
    await using world = await open({ files: { file: "text" } });
    world.link("to-secret", `${world.outside}/secret`);
    world.link("to-nothing", `${world.outside}/nothing`);
    world.link("to-folder", world.outside);
    world.link("upwards", "../../../../../../../../etc");
    world.link("chained", "to-secret");
    const behind = [
      "to-folder/secret",
      "to-folder/nothing",
      "to-folder/a/b",
      "to-folder/secret/x",
      "to-secret/x",
      "to-secret/x/y",
      "chained/x",
      "to-nothing/x",
      "upwards/passwd",
    ];
    for (const path of behind) {
      const failures = await failuresOfEveryMethod(world.environment, path);
      expect(failures).toEqual(forEveryMethod(outsideFailure(world, path)));
    }
    for (const path of ["to-secret", "to-nothing", "to-folder", "upwards", "chained"]) {
      const expected = outsideFailure(world, path);
      const { delete: _, "move from": __, "move to": ___, ...following } = everyMethod;
      for (const call of Object.values(following)) {
        expect(await failureOf(call(world.environment, path))).toEqual(expected);
      }
    }
  });

  it("reports circular links", async () => {
    await using world = await open();
    world.link("one", "two");
    world.link("two", "one");
    world.link("self", "self");
    const { environment } = world;
    expect(await failureOf(environment.readFile("one", { maxBytes: 10 }))).toEqual(circleFailure("one"));
    expect(await failureOf(environment.writeFile("self", new Uint8Array(1)))).toEqual(circleFailure("self"));
    expect(await failureOf(environment.info("self/below"))).toEqual(circleFailure("self/below"));
  });

  it("accepts every spelling of a path inside", async () => {
    await using world = await open({ files: { "folder/file": "text" } });
    const { environment } = world;
    const { workspace } = environment;
    const spellings = ["folder/file", "./folder//file", "folder/x/../file", `${workspace}/folder/file`];
    const realPaths = await Promise.all(spellings.map((path) => environment.realPath(path)));
    expect(realPaths).toEqual(spellings.map(() => `${workspace}/folder/file`));
    expect(await environment.realPath(".")).toBe(workspace);
    expect(await environment.realPath(workspace)).toBe(workspace);
    expect(await environment.realPath("folder/")).toBe(`${workspace}/folder`);
  });

  it("resolves missing entries below their real parent", async () => {
    await using world = await open({ files: { "folder/file": "text" } });
    world.link("link", "folder");
    world.link("to-new", "folder/new");
    const { environment } = world;
    const paths = ["link/a/b", "to-new", "to-new/below", "link/file"];
    expect(await Promise.all(paths.map((path) => environment.realPath(path)))).toEqual([
      `${environment.workspace}/folder/a/b`,
      `${environment.workspace}/folder/new`,
      `${environment.workspace}/folder/new/below`,
      `${environment.workspace}/folder/file`,
    ]);
  });

  it("follows links that stay inside, including links to the workspace", async () => {
    await using world = await open({ files: { "folder/file": "text" } });
    const { environment } = world;
    world.link("absolute", `${environment.workspace}/folder/file`);
    world.link("folder/chain", "../absolute");
    world.link("folder/up", "..");
    world.link("root", environment.workspace);
    const paths = ["absolute", "folder/chain", "folder/up/folder/up/folder/file", "root/folder/file"];
    expect(await Promise.all(paths.map((path) => environment.realPath(path)))).toEqual(
      paths.map(() => `${environment.workspace}/folder/file`),
    );
    expect(await environment.realPath("root")).toBe(environment.workspace);
    expect(await environment.realPath("folder/up")).toBe(environment.workspace);
  });

  it("suggests the nearest name for a missing entry", async () => {
    await using world = await open({ files: { "source/reader.ts": "", "source/writer.ts": "" } });
    const { environment } = world;
    expect(await failureOf(environment.info("source/raeder.ts"))).toEqual(
      missingFailure("source/raeder.ts", "source/reader.ts"),
    );
    expect(await failureOf(environment.info("sorce/reader.ts"))).toEqual(
      missingFailure("sorce/reader.ts", "source"),
    );
    expect(await failureOf(environment.info("source/xyz"))).toEqual(missingFailure("source/xyz"));
    expect(await failureOf(environment.info("~/notes"))).toEqual(
      failure(
        "not-found",
        "~/notes does not exist",
        `"~" is not expanded: use a path relative to the workspace, or an absolute one.`,
      ),
    );
  });

  it("reports a path through a file, and a name that is too long", async () => {
    await using world = await open({ files: { file: "text" } });
    const { environment } = world;
    const path = "file/below";
    expect(await failureOf(environment.readFile(path, { maxBytes: 10 }))).toEqual(throughFileFailure(path));
    expect(await failureOf(environment.writeFile(path, new Uint8Array(1)))).toEqual(throughFileFailure(path));
    const long = "n".repeat(300);
    expect(await failureOf(environment.writeFile(long, new Uint8Array(1)))).toEqual(
      failure(
        "invalid-input",
        `The path ${"n".repeat(80)}… is too long`,
        "Use names of at most 255 bytes and a path of at most 4000.",
      ),
    );
  });
}
