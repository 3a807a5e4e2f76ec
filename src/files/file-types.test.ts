import { execFileSync } from "node:child_process";
import { rgPath } from "@vscode/ripgrep";
import { describe, expect, it } from "vitest";
import { fileType, fileTypeNames } from "./file-types.ts";

describe("fileType", () => {
  it("knows all of ripgrep's types by the same names", () => {
    const printed = execFileSync(rgPath, ["--no-config", "--type-list"], { encoding: "utf8" });
    expect(fileTypeNames()).toEqual(
      printed
        .trim()
        .split("\n")
        .map((line) => line.split(":")[0]),
    );
  });

  it("finds files by their base names", () => {
    const isMake = (path: string) => fileType("make").some((glob) => glob.matches(path, "file"));
    expect(["Makefile", "src/rules.mk", "makefile.ts"].filter(isMake)).toEqual(["Makefile", "src/rules.mk"]);
  });

  it("suggests the closest type name", () => {
    expect(() => fileType("pyton")).toThrow(
      expect.objectContaining({
        code: "invalid-input",
        message: 'There is no file type "pyton"',
        hint: 'Did you mean "python"? You can also use a glob: "*.pyton".',
      }),
    );
  });
});
