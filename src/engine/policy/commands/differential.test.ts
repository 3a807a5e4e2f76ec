/** @module-tag slow */
import fc from "fast-check";
import { expect, it } from "vitest";
import { builtinsOnTexts } from "../../../../test/support/commands/arbitrary-builtins.ts";
import {
  pieces,
  plainCommands,
  wrappedPieces,
} from "../../../../test/support/commands/arbitrary-commands.ts";
import { explains } from "../../../../test/support/commands/explains.ts";
import { programsRun } from "../../../../test/support/commands/programs-run.ts";
import { rounds } from "../../../../test/support/rounds.ts";
import { readCommand } from "./read-command.ts";

it.each([
  ["with any command", pieces],
  ["inside any wrapper", wrappedPieces],
  ["with any text evaluated by builtins", builtinsOnTexts],
])("calls a command plain only if it finds every program that a real bash runs, %s", (_name, arbitrary) => {
  const commands = fc.sample(arbitrary, { numRuns: rounds(120) });
  const ran = programsRun(commands);
  const unseen = commands.flatMap((command, index) => {
    const analysis = readCommand(command);
    return ran[index]!.filter((run) => !explains(analysis, run)).map((run) => ({ command, run }));
  });
  expect(unseen).toEqual([]);
});

it("finds exactly the programs that a real bash runs for well-formed commands, also those that are not plain", () => {
  const commands = fc.sample(plainCommands, { numRuns: rounds(50) });
  const ran = programsRun(commands);
  const found = commands.map((command) => {
    const stubs = readCommand(command)
      .commands.map(({ words }) => words.map(({ value }) => value))
      .filter(([name]) => /^p[0-8]$/.test(name ?? ""));
    return { command, stubs: stubs.map(String).sort() };
  });
  const expected = commands.map((command, index) => ({ command, stubs: ran[index]!.map(String).sort() }));
  expect(found).toEqual(expected);
});
