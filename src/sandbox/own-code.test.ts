import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { ownCode } from "./own-code.ts";

const program = `@vscode/ripgrep-${process.platform}-${process.arch}`;

it("lists Toolcrib's packages when a project has installed them, and nothing otherwise", async () => {
  await using folder = temporaryFolder();
  const put = (path: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), "{}");
  };
  const [project, other] = [join(folder.path, "project"), join(folder.path, "other")];
  for (const name of ["toolcrib", "zod", "left-pad", "@vscode/ripgrep"])
    put(`project/node_modules/${name}/package.json`);
  put("project/package.json");
  const own = join(project, "node_modules/toolcrib");
  put(`project/node_modules/${program}/package.json`);
  // Node looks for it from the folder of @vscode/ripgrep upwards.
  const inside = ["toolcrib", "zod", "@vscode/ripgrep", program, `@vscode/node_modules/${program}`].map(
    (name) => ({ path: join(project, "node_modules", name), kind: "directory" }),
  );
  expect(ownCode(project, own)).toEqual(inside);
  expect(ownCode(other, own)).toEqual([]);
  expect(ownCode(own, own)).toEqual([]);
});

it("lists the paths from which other packages would load instead, including empty ones", async () => {
  await using folder = temporaryFolder();
  const project = join(folder.path, "project");
  const modules = join(project, "node_modules");
  for (const path of [
    "packages/a/node_modules/toolcrib",
    `node_modules/@vscode/ripgrep`,
    `node_modules/${program}`,
  ]) {
    mkdirSync(join(project, path), { recursive: true });
    writeFileSync(join(project, path, "package.json"), "{}");
  }
  mkdirSync(join(project, "packages/a/node_modules/@vscode/ripgrep"), { recursive: true });
  const toolcrib = join(project, "packages/a/node_modules/toolcrib");
  expect(ownCode(project, toolcrib)).toEqual(
    [
      toolcrib,
      join(modules, "@vscode/ripgrep"),
      join(modules, program),
      join(project, "packages/a/node_modules/@vscode/ripgrep"),
      join(project, "packages/node_modules/@vscode/ripgrep"),
      join(modules, "@vscode/node_modules", program),
    ].map((path) => ({ path, kind: "directory" })),
  );
});

it("lists the links to Toolcrib's packages", async () => {
  await using folder = temporaryFolder();
  const project = join(folder.path, "project");
  const store = join(project, "store");
  for (const path of [
    "toolcrib",
    "store/ripgrep",
    "store/ripgrep/node_modules/@vscode",
    "node_modules/@vscode",
  ])
    mkdirSync(join(project, path), { recursive: true });
  const link = join(project, "node_modules/@vscode/ripgrep");
  symlinkSync(join(store, "ripgrep"), link);
  const nested = join(store, "ripgrep/node_modules", program);
  mkdirSync(nested);
  for (const path of ["toolcrib", "store/ripgrep"]) writeFileSync(join(project, path, "package.json"), "{}");
  writeFileSync(join(nested, "package.json"), "{}");
  expect(ownCode(project, join(project, "toolcrib"))).toEqual(
    [join(project, "toolcrib"), join(store, "ripgrep"), link, nested].map((path) => ({
      path,
      kind: "directory",
    })),
  );
});
