import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { perlProgram } from "./perl-program.ts";

const source = join(import.meta.dirname, "..");
const programs = globSync("**/*.pl", { cwd: source, exclude: ["**/fixtures/**"] }).sort();
const hasPerl = spawnSync("perl", ["-e", "0"]).status === 0;

describe("Perl programs", () => {
  it("are all found in the source, each under a unique name", () => {
    expect(programs.map((program) => basename(program))).toEqual([
      "join.pl",
      "netns.pl",
      "launcher.pl",
      "terminal.pl",
    ]);
  });

  // Warnings are checked here only: loading them takes longer than perl itself.
  it.skipIf(!hasPerl).each(programs)("compile without a warning: %s", (program) => {
    const text = perlProgram(
      basename(program),
      pathToFileURL(join(source, program)).href.replace(/\.pl$/, ".ts"),
    );
    expect(text).toMatch(/^use strict;/);
    const { status, stderr } = spawnSync("perl", ["-Mwarnings=FATAL,all", "-c", "-e", text]);
    expect([status, String(stderr)]).toEqual([0, "-e syntax OK\n"]);
  });
});
