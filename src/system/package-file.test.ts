import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { findPackage } from "./package-file.ts";
import { version } from "./version.ts";

describe("findPackage", () => {
  it("finds the package around a module, or the one that a bundle would import", async () => {
    await using project = installedPackage();
    const { path, toolcrib } = project;
    expect(findPackage([join(toolcrib, "dist/library/chunk.js")])).toBe(toolcrib);
    expect(findPackage([join(path, "build/server.mjs")])).toBe(toolcrib);
    // webpack writes the path of the machine that built the bundle.
    expect(findPackage(["/missing/library/chunk.js", join(path, "build/server.mjs")])).toBe(toolcrib);
  });

  it("says how to deploy when the package is missing", async () => {
    await using folder = temporaryFolder();
    expect(() => findPackage([join(folder.path, "server.mjs")])).toThrow(
      expect.objectContaining({
        message:
          "This program was bundled, and the package toolcrib is not installed where it runs, so Toolcrib cannot start its workers",
        hint: expect.stringContaining("npm install toolcrib"),
      }),
    );
  });

  it("names a missing file", async () => {
    await using project = installedPackage();
    rmSync(join(project.toolcrib, "dist/perl"), { recursive: true });
    expect(() => findPackage([join(project.path, "build/server.mjs")])).toThrow(
      `${join(project.toolcrib, "dist/perl")} is missing`,
    );
  });
});

it("refuses a package of another version", async () => {
  await using project = installedPackage();
  writeFileSync(join(project.toolcrib, "package.json"), '{ "name": "toolcrib", "version": "0.0.1" }');
  expect(() => findPackage([join(project.path, "build/server.mjs")])).toThrow(
    `This bundle contains toolcrib ${version}, and ${project.toolcrib} is another version`,
  );
});

/** A project that has installed Toolcrib. */
function installedPackage() {
  const folder = temporaryFolder();
  const toolcrib = join(folder.path, "node_modules/toolcrib");
  for (const file of [
    "code-worker/main.cjs",
    "document-worker/main.cjs",
    "script-thread/main.cjs",
    "grammars/a",
    "pdfium/a",
    "perl/a",
  ]) {
    mkdirSync(dirname(join(toolcrib, "dist", file)), { recursive: true });
    writeFileSync(join(toolcrib, "dist", file), "");
  }
  writeFileSync(join(toolcrib, "package.json"), JSON.stringify({ name: "toolcrib", version }));
  return { ...folder, toolcrib };
}
