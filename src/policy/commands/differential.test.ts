/** @module-tag slow */
import fc from "fast-check";
import { expect, it } from "vitest";
import { builtinsOnTexts } from "../../../test/support/commands/arbitrary-builtins.ts";
import { pieces, plainCommands, wrappedPieces } from "../../../test/support/commands/arbitrary-commands.ts";
import { explains } from "../../../test/support/commands/explains.ts";
import { programsRun } from "../../../test/support/commands/programs-run.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { analyseCommand } from "./analyse-command.ts";

it.each([
  ["with any command", pieces],
  ["inside any wrapper", wrappedPieces],
  ["with any text evaluated by builtins", builtinsOnTexts],
])("reports every program that a real bash runs, %s", (_name, arbitrary) => {
  const commands = fc.sample(arbitrary, { numRuns: rounds(120) });
  const ran = programsRun(commands);
  const unseen = commands.flatMap((command, index) => {
    const analysis = analyseCommand(command);
    return ran[index]!.filter((run) => !explains(analysis, run)).map((run) => ({ command, run }));
  });
  expect(unseen).toEqual([]);
});

it("reports exactly the programs that a real bash runs for well-formed commands", () => {
  const commands = fc.sample(plainCommands, { numRuns: rounds(50) });
  const ran = programsRun(commands);
  const reported = commands.map((command) => {
    const { commands: found, notUnderstood } = analyseCommand(command);
    const stubs = found
      .map(({ words }) => words.map(({ value }) => value))
      .filter(([name]) => /^p[0-8]$/.test(name ?? ""));
    return { command, stubs: stubs.map(String).sort(), notUnderstood };
  });
  const expected = commands.map((command, index) => ({
    command,
    stubs: ran[index]!.map(String).sort(),
    notUnderstood: [],
  }));
  expect(reported).toEqual(expected);
});
