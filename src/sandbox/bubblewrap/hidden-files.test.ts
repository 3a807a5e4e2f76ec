import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { infoWithExcludes } from "./hidden-files.ts";

function openInfo(folder: string) {
  const [info, own] = [join(folder, "info"), join(folder, "own")];
  for (const path of [info, own]) mkdirSync(path);
  const copied = (names: readonly string[]) => {
    const copy = infoWithExcludes(info, names, own);
    return Object.fromEntries(
      readdirSync(copy).map((name) => [name, readFileSync(join(copy, name), "utf8")]),
    );
  };
  return { info, at: (name: string) => join(info, name), copied };
}

it("adds names to a repository's excludes, and copies its current content", async () => {
  await using folder = temporaryFolder();
  const { at, copied } = openInfo(folder.path);
  writeFileSync(at("exclude"), "own");
  writeFileSync(at("attributes"), "* text");
  expect(copied([".env", "a*[1]"])).toEqual({
    exclude: "own\n/.env\n/a\\*\\[1\\]\n",
    attributes: "* text",
  });
  writeFileSync(at("attributes"), "* more");
  rmSync(at("exclude"));
  expect(copied([".env"])).toEqual({ exclude: "/.env\n", attributes: "* more" });
});

it("copies nothing through a link, and does not block on a pipe", async () => {
  await using folder = temporaryFolder();
  const { info, at, copied } = openInfo(folder.path);
  const secret = join(folder.path, "id_rsa");
  writeFileSync(secret, "canary");
  for (const name of ["exclude", "attributes"]) symlinkSync(secret, at(name));
  execFileSync("mkfifo", [at("sparse-checkout")]);
  expect(copied(["x"])).toEqual({ exclude: "/x\n" });
  rmSync(info, { recursive: true });
  mkdirSync(join(folder.path, "other"));
  writeFileSync(join(folder.path, "other/exclude"), "canary");
  symlinkSync(join(folder.path, "other"), info);
  expect(copied(["x"])).toEqual({ exclude: "/x\n" });
});
