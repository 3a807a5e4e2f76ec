import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { ToolError } from "../contract/error.ts";
import { makePrivateDirectory, nearestRepository, realLocation } from "./directories.ts";

it("creates a folder with its parents, for the user alone, and keeps an existing one", async () => {
  await using folder = temporaryFolder();
  const path = `${folder.path}/a/b/c`;
  makePrivateDirectory(path);
  makePrivateDirectory(path);
  const modes = ["a", "a/b", "a/b/c"].map((name) => statSync(`${folder.path}/${name}`).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700, 0o700]);
});

it("returns a hint when no folder can be created, and never hangs", async () => {
  await using folder = temporaryFolder();
  writeFileSync(`${folder.path}/file`, "");
  for (const path of [`${folder.path}/file`, `${folder.path}/file/below`, "/proc/none/below"]) {
    const refusal = catchError(() => makePrivateDirectory(path));
    expect(refusal).toMatchObject({
      code: "unavailable",
      forUser: { hint: "Set TOOLCRIB_HOME to a writable folder." },
    });
  }
});

it("resolves a path through links, even when part of it does not exist yet", async () => {
  await using folder = temporaryFolder();
  mkdirSync(`${folder.path}/real`);
  symlinkSync("real", `${folder.path}/link`);
  const paths = ["link", "link/a/b", "none/c", "real/.."].map((path) => `${folder.path}/${path}`);
  expect([...paths, "/none", "/"].map(realLocation)).toEqual([
    `${folder.path}/real`,
    `${folder.path}/real/a/b`,
    `${folder.path}/none/c`,
    folder.path,
    "/none",
    "/",
  ]);
});

function catchError(work: () => void): ToolError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof ToolError ? error : undefined;
  }
}

it("finds the nearest repository in a folder and above it, also that of a linked working tree", async () => {
  await using folder = temporaryFolder();
  const inner = join(folder.path, "a/b");
  mkdirSync(inner, { recursive: true });
  const none = nearestRepository(inner);
  mkdirSync(join(folder.path, ".git"));
  const owner = statSync(folder.path).uid;
  const above = nearestRepository(inner);
  writeFileSync(join(inner, ".git"), "gitdir: /elsewhere\n");
  expect([none, above, nearestRepository(inner)]).toEqual([
    undefined,
    { directory: folder.path, owner },
    { directory: inner, owner },
  ]);
});
