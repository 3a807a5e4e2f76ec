import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLocalWorld } from "../environment/conformance/local-world.ts";
import { failure, failureOf } from "../environment/conformance/world.ts";
import { ProgramFinder, projectAround } from "./find-program.ts";

const unavailable = (program: string) =>
  failure("unavailable", `The program ${program} is not available here`, "Install it or put it on the PATH.");

it("finds programs on PATH, but none inside the workspace", async () => {
  await using world = openLocalWorld({
    files: { "bin/tool": "#!/bin/sh", "bin/only-here": "#!/bin/sh", plain: "" },
  });
  const workspace = world.path(".");
  for (const name of ["bin/tool", "bin/only-here"]) chmodSync(world.path(name), 0o755);
  const inside = world.path("bin");
  const elsewhere = new ProgramFinder({}, world.outside, `${inside}:relative:.::/bin`);
  const here = new ProgramFinder({}, workspace, `${inside}:${inside}/../bin:relative:.::/bin`);
  expect(await elsewhere.find("tool")).toBe(`${inside}/tool`);
  expect(await failureOf(here.find("tool"))).toEqual(unavailable("tool"));
  expect(await here.find("sh")).toBe("/bin/sh");
  expect(await failureOf(here.find("plain"))).toEqual(unavailable("plain"));
});

it("ignores links into the workspace, and omits the workspace from PATH", async () => {
  await using world = openLocalWorld({ files: { "bin/tool": "#!/bin/sh" } });
  chmodSync(world.path("bin/tool"), 0o755);
  const [bin, links] = [join(world.outside, "bin"), join(world.outside, "links")];
  symlinkSync(world.path("bin"), bin);
  mkdirSync(links);
  symlinkSync(world.path("bin/tool"), join(links, "tool"));
  const finder = new ProgramFinder({}, world.path("."), `${world.path("bin")}:${bin}:${links}:.::/bin`);
  expect(await failureOf(finder.find("tool"))).toEqual(unavailable("tool"));
  expect(finder.searchPath).toBe(`${links}:/bin`);
});

it("ignores folders of the project around the workspace, and node_modules of every folder above", async () => {
  await using world = openLocalWorld({
    files: {
      "node_modules/.bin/git": "#!/bin/sh",
      "repository/.git/HEAD": "",
      "repository/bin/git": "#!/bin/sh",
      "repository/packages/a/index.js": "",
    },
  });
  const planted = ["node_modules/.bin", "repository/bin"].map((folder) => world.path(folder));
  for (const folder of planted) chmodSync(join(folder, "git"), 0o755);
  const workspace = world.path("repository/packages/a");
  const finder = new ProgramFinder(
    {},
    workspace,
    [...planted, `${workspace}/../../bin`, `/usr/../${planted[1]}`, "/bin"].join(":"),
  );
  expect(finder.searchPath).toBe("/bin");
  expect(await new ProgramFinder({}, workspace, planted.join(":")).find("git").catch(() => "none")).toBe(
    "none",
  );
});

it("ignores a link in a system folder that leads into the workspace, and folders that calls can write", async () => {
  await using world = openLocalWorld({ files: { "target/tool": "#!/bin/sh" } });
  chmodSync(world.path("target/tool"), 0o755);
  const [system, root] = [join(world.outside, "usr"), join(world.outside, "root")];
  mkdirSync(system);
  mkdirSync(root);
  symlinkSync(world.path("target/tool"), join(system, "tool"));
  symlinkSync("/bin/sh", join(root, "tool"));
  const searchPath = `${system}:${root}`;
  const workspace = world.path(".");
  expect(await failureOf(new ProgramFinder({}, [workspace, root], searchPath).find("tool"))).toEqual(
    unavailable("tool"),
  );
  expect(await new ProgramFinder({}, workspace, searchPath).find("tool")).toBe(join(root, "tool"));
});

it("keeps the folders of the workspace at the end of the PATH of commands that run by their name", async () => {
  await using world = openLocalWorld({ files: { "bin/cat": "" } });
  const finder = new ProgramFinder({}, world.path("."), `${world.path("bin")}:/bin`);
  expect(finder.searchPathInside).toBe(`/bin:${world.path("bin")}`);
});

it("takes the outermost folder with the marks of a project for the project, but not one that contains the home folder", async () => {
  await using world = openLocalWorld({ files: { "package.json": "", "a/.git/HEAD": "", "a/b/c.txt": "" } });
  expect(projectAround(world.path("a/b"))).toBe(world.path("."));
  expect([homedir(), "/"].map(projectAround)).toEqual([undefined, undefined]);
  chmodSync(world.path("a/b/c.txt"), 0o755);
  expect(await new ProgramFinder({}, [], world.path("a/b")).find("c.txt")).toBe(world.path("a/b/c.txt"));
});

it("finds system programs even when the whole disk is the workspace", async () => {
  expect(await new ProgramFinder({}, "/", "/bin").find("sh")).toBe("/bin/sh");
});

it("uses the ripgrep that comes with the package", async () => {
  expect(await new ProgramFinder({}, "/", "").find("rg")).toMatch(/ripgrep.*\/bin\/rg$/);
});

it("uses the configured path of a program, and none if it is disabled", async () => {
  const finder = new ProgramFinder({ rg: undefined, git: "/opt/my/git" }, "/", "/bin:/usr/bin");
  expect(await failureOf(finder.find("rg"))).toEqual(unavailable("rg"));
  expect(await finder.find("git")).toBe("/opt/my/git");
  expect(await finder.find("/any/absolute/path")).toBe("/any/absolute/path");
});

it("refuses names with path characters", async () => {
  const finder = new ProgramFinder({}, "/", "/bin");
  for (const name of ["", "./tool", "bin/tool", "a\0b"]) {
    expect(await failureOf(finder.find(name))).toEqual(
      failure(
        "invalid-input",
        `${JSON.stringify(name)} is not the name of a program`,
        "Use a plain name or an absolute path.",
      ),
    );
  }
});
