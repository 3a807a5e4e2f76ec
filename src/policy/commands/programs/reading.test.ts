/** @module-tag slow */
import fc from "fast-check";
import { expect, it } from "vitest";
import { arbitraryPrograms } from "../../../../test/support/commands/arbitrary-programs.ts";
import { commandsThatChange } from "../../../../test/support/commands/changes-made.ts";
import { rounds } from "../../../../test/support/rounds.ts";
import { analyseCommand } from "../analyse-command.ts";

it("classifies as reading only commands that change no file and run nothing else", { tags: "slow" }, () => {
  const commands = fc.sample(arbitraryPrograms, { numRuns: rounds(60) });
  const reading = commands.filter((command) => {
    const { commands: found, notUnderstood } = analyseCommand(command);
    return notUnderstood.length === 0 && found.every(({ risk }) => risk === "read");
  });
  expect(reading.length).toBeGreaterThan(commands.length / 3);
  expect(commandsThatChange(reading)).toEqual([]);
});

it("the check itself detects commands that change something", () => {
  const commands = [
    "cat a",
    "sort a -o f",
    "xxd a -i",
    "xargs p0 < a",
    "rm a",
    "sed -n 'w f' a",
    "git tag x",
  ];
  expect(commandsThatChange(commands)).toEqual(commands.slice(1));
});
