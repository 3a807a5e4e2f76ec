import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { ownCode } from "./own-code.ts";

it("names our packages where a project has installed them, and nothing elsewhere", async () => {
  await using folder = temporaryFolder();
  const put = (path: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), "{}");
  };
  const [project, other] = [join(folder.path, "project"), join(folder.path, "other")];
  for (const name of ["toolcrib", "zod", "left-pad", "@vscode/ripgrep"])
    put(`project/node_modules/${name}/package.json`);
  put("project/node_modules/toolcrib/dist/parts/own-code.js");
  put("project/package.json");
  const module = pathToFileURL(join(project, "node_modules/toolcrib/dist/parts/own-code.js")).href;
  const inside = ["toolcrib", "zod", "@vscode/ripgrep"].map((name) => ({
    path: join(project, "node_modules", name),
    kind: "directory",
  }));
  expect(ownCode(project, module)).toEqual(inside);
  expect(ownCode(other, module)).toEqual([]);
  expect(ownCode(join(project, "node_modules/toolcrib"), module)).toEqual([]);
});
