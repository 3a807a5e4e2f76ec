import { expect, it } from "vitest";
import { analyseCommand } from "./analyse-command.ts";

const directories = (command: string) =>
  analyseCommand(command, "/work/space").commands.map(({ directory }) => directory);

it.each([
  ["cd /work/space && ls", ["", ""]],
  ["cd /work/space/; ls", ["", ""]],
  ["cd . ; cat a", ["", ""]],
  ["cd /work/space/src && ls", ["", "/work/space/src"]],
  ["cd /work/space-evil && ls", ["", "/work/space-evil"]],
  ["cd src; cd /work/space; ls", ["", undefined, undefined]],
])("tracks the directory in which the commands of %s run", (command, expected) => {
  expect(directories(command)).toEqual(expected);
});

it.each([
  ["git status", "read"],
  ["cd /work/space && git status", "read"],
  ["git -C /work/space log", "read"],
  ["git -C . log", "read"],
  ["cd sub && git status", "execute"],
  ["git -C sub status", "execute"],
])("classifies %s by the repository whose settings it may follow", (command, risk) => {
  expect(analyseCommand(command, "/work/space").commands.at(-1)?.risk).toEqual(risk);
});
