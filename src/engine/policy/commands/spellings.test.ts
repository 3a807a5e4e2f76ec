import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { gitCommands, meaningOf } from "./spellings.ts";

it("knows the subcommands of git, which no alias can replace", () => {
  const real = new Set(execFileSync("git", ["--list-cmds=main"], { encoding: "utf8" }).split("\n"));
  expect([...gitCommands].filter((name) => !real.has(name))).toEqual([]);
});

it("returns the usual name of a short subcommand, and of no misspelt one", () => {
  const words = ["i", "add", "t", "x", "rm", "isntall", "publish", "constructor"];
  expect(words.map((word) => meaningOf("npm", word))).toEqual([
    "install",
    "install",
    "test",
    "exec",
    "uninstall",
    "isntall",
    "publish",
    "constructor",
  ]);
  expect(meaningOf("make", "i")).toBe("i");
});
