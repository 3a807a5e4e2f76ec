import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { gitProgram } from "../engine/sandbox/git/git-service.ts";
import { perlProgram } from "./perl-program.ts";

const source = join(import.meta.dirname, "..");
const programs = globSync("**/*.pl", { cwd: source, exclude: ["**/fixtures/**"] }).sort();
/** What the programs of git share, and none of them alone. */
const shared = "git-messages.pl";
const hasPerl = spawnSync("perl", ["-e", "0"]).status === 0;

describe("Perl programs", () => {
  it("are all found in the source, each under a unique name", () => {
    expect(programs.map((program) => basename(program))).toEqual([
      "git-inside.pl",
      "git-messages.pl",
      "git-service.pl",
      "git-shim.pl",
      "git-trampoline.pl",
      "join.pl",
      "netns.pl",
      "ssh-connect.pl",
      "launcher.pl",
      "terminal.pl",
    ]);
  });

  // Warnings are checked here only: loading them takes longer than perl itself.
  it.skipIf(!hasPerl).each(programs.filter((program) => basename(program) !== shared))(
    "compile without a warning: %s",
    (program) => {
      const name = basename(program);
      const text = name.startsWith("git-")
        ? gitProgram(name, "x64")
        : perlProgram(name, pathToFileURL(join(source, program)).href.replace(/\.pl$/, ".ts"));
      expect(text).toMatch(/^use strict;/m);
      const { status, stderr } = spawnSync("perl", ["-Mwarnings=FATAL,all", "-c", "-e", text]);
      expect([status, String(stderr)]).toEqual([0, "-e syntax OK\n"]);
    },
  );
});
