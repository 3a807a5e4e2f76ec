import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitCommands, meaningOf } from "./spellings.ts";

/** The file of an installed program; undefined without it. */
function installed(program: string): string | undefined {
  const directories = (process.env.PATH ?? "").split(delimiter);
  return directories.map((directory) => join(directory, program)).find(existsSync);
}

function beginnings(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((word) => Array.from(word, (_, end) => word.slice(0, end + 1))))];
}

const npm = installed("npm");
const npmList = npm && join(realpathSync(npm), "../../lib/utils/cmd-list.js");

describe("the subcommands of installed programs", () => {
  it.skipIf(npmList === undefined || !existsSync(npmList))("are those of npm", () => {
    const { aliases, commands, deref } = createRequire(import.meta.url)(npmList!) as {
      readonly aliases: Readonly<Record<string, string>>;
      readonly commands: readonly string[];
      deref(word: string): string | undefined;
    };
    const missed = beginnings([...commands, ...Object.keys(aliases)]).filter((word) => {
      const meant = deref(word);
      const name = meant === undefined ? undefined : meaningOf("npm", meant)?.names[0];
      return meant !== undefined && !meaningOf("npm", word)?.names.includes(name ?? meant);
    });
    expect(missed).toEqual([]);
  });

  it("are those of git, which no alias can replace", () => {
    const real = new Set(execFileSync("git", ["--list-cmds=main"], { encoding: "utf8" }).split("\n"));
    expect([...gitCommands].filter((name) => !real.has(name))).toEqual([]);
  });

  it.skipIf(installed("cargo") === undefined)("are those of cargo", () => {
    const listed = spawnSync("cargo", ["--list"], { encoding: "utf8" }).stdout;
    const aliases = [...listed.matchAll(/^ +(\w+) +alias: (\w+)$/gm)];
    expect(aliases.map(([, alias]) => meaningOf("cargo", alias!)?.names[0])).toEqual(
      aliases.map(([, , name]) => name),
    );
  });
});
