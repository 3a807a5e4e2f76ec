import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { safeParse } from "zod/v4/core";
import { defineTools } from "../dialects/definition.ts";
import { findTool } from "../dialects/find-tool.ts";
import { toolcribDialect } from "../dialects/toolcrib.ts";
import { commands, findCommand } from "./commands/commands.ts";
import { explainCommand, explainEverything } from "./help.ts";
import { optionsOf } from "./options.ts";
import { parseArguments } from "./parse-arguments.ts";
import { readInput } from "./read-input.ts";
import { fieldSchemasOf } from "./tool-fields.ts";
import { toolExamples } from "./tool-help.ts";

const { tools } = toolcribDialect;
/** Wide enough for every example to be on one line. */
const wide = 400;
const explain = (name: string, ...operands: string[]) =>
  explainCommand(findCommand(name), { options: new Map(), operands }, wide);

/** Every example command in the help, as arguments. */
const typed = (help: string) =>
  [...help.matchAll(/^ {2}toolcrib (.*?) +#/gm)].map((match) =>
    [...match[1]!.split(/ [|<] /)[0]!.matchAll(/'([^']*)'|(\S+)/g)].map((word) => word[1] ?? word[2]!),
  );

async function check(words: readonly string[]): Promise<void> {
  const [name, ...rest] = words;
  const given = parseArguments(rest, findCommand(name!));
  if (name !== "call" || given.options.has("help")) return;
  const [toolName, ...toolWords] = given.operands;
  const tool = findTool(tools, toolName!);
  if (toolWords[0] === "-") return;
  const parsed = safeParse((await tool.load()).input, await readInput(tool, toolWords));
  expect(parsed.error?.issues).toBeUndefined();
}

it("lists every command", () => {
  const help = explainEverything(80);
  for (const { name, summary } of commands)
    expect(help).toMatch(new RegExp(`^ {2}${name} +${summary}$`, "m"));
});

describe.each(commands.map((command) => [command.name, command] as const))(
  "toolcrib help %s",
  (name, command) => {
    it("lists every option and shows examples", async () => {
      const help = await explain(name);
      for (const option of optionsOf(command)) expect(help).toContain(`--${option.name}`);
      for (const [example] of command.examples) expect(help).toContain(`  ${example} `);
      expect(command.examples).not.toEqual([]);
    });

    it("has a summary of at most eight words", () => {
      expect(command.summary).toMatch(/^[A-Z](?:\S+ ){0,7}\S+[^.]$/);
    });

    it("lists every option once, and common options in a separate group", async () => {
      const help = stripVTControlCharacters(await explain(name));
      const flags = (text = "") => [...text.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, flag]) => flag!);
      const groupOf = (heading: string) => help.split(`\n${heading}\n`)[1]?.split("\n\n")[0];
      const [own, common] = [groupOf("Options"), groupOf("Common options")];
      const names = (isCommon: boolean) =>
        optionsOf(command)
          .filter((option) => (option.isCommon ?? false) === isCommon)
          .map((option) => option.name);
      expect({ own: flags(own), common: flags(common) }).toEqual({ own: names(false), common: names(true) });
    });

    it.each([60, 80])("fits %i columns, except for commands to copy", async (columns) => {
      const help = await explainCommand(command, { options: new Map(), operands: [] }, columns);
      const isCommand = (line: string) => /^ {2}(?:\S.* \| )?(?:toolcrib|eval|git) /.test(line);
      const tooLong = stripVTControlCharacters(help)
        .split("\n")
        .filter((line) => line.length > columns && !isCommand(line));
      expect(tooLong).toEqual([]);
    });
  },
);

it("shows only examples that work", async () => {
  const helps = [explainEverything(wide), ...(await Promise.all(commands.map(({ name }) => explain(name))))];
  for (const words of helps.flatMap(typed)) await check(words);
});

describe.each(tools.map(({ canonical }) => canonical))("toolcrib help %s", (name) => {
  it("shows the tool's arguments and an example that fits them, as flags and as JSON", async () => {
    const help = await explain("call", name);
    const tool = await findTool(tools, name).load();
    const all = Object.entries(fieldSchemasOf(tool));
    const fields = all.filter(([field]) => !tool.hiddenFields?.includes(field));
    const { properties, required = [] } = defineTools([tool])[0]!.inputSchema;
    expect({
      properties: fields.map(([field]) => field),
      required: fields.filter(([, schema]) => schema.required).map(([field]) => field),
    }).toEqual({ properties: Object.keys(properties as object), required });
    for (const [field] of all) expect(help).toContain(field.replaceAll("_", "-"));
    const examples = typed(help);
    // `toolcrib call` refuses the process tools, and their help says so.
    expect(examples.length).toBe(name.startsWith("process.") ? 0 : 2);
    for (const words of examples) {
      await check(words);
      const { operands } = parseArguments(words.slice(1), findCommand("call"));
      if (operands[1] === "-") continue;
      expect(await readInput(findTool(tools, name), operands.slice(1))).toEqual(toolExamples[name]);
    }
  });
});

it("reads well at 60 columns", async () => {
  const help = await explainCommand(findCommand("diff"), { options: new Map(), operands: [] }, 60);
  expect(stripVTControlCharacters(help)).toBe(`Show what calls changed in files.

Usage
  toolcrib diff [<call> | <call>..<call> | <checkpoint>]
      default: the latest call that changed something
  toolcrib diff --last N | --since TIME
      several calls together

Hunks are numbered for \`toolcrib undo --hunk\`. Edits made
outside Toolcrib are not included.

Options
  --last N      the latest N calls that changed something
  --since TIME  everything since TIME: 30m, 2h, 3d,
                2026-11-15, '2026-11-15 09:30'
  --file PATH   only this file or folder (repeatable)
  --stat        only file names and line counts

Common options
  -C, --workspace DIR  workspace folder (default: current
                       folder)
  --target TARGET      work on another machine or in a
                       container: ssh:host:/dir,
                       docker:NAME, podman:NAME, … or a name
                       from [targets]
  --upload-node FILE   send this Node executable to a target
                       that has none
  --json               print JSON
  -h, --help           show this help

Examples
  # what \`toolcrib undo\` would revert
  toolcrib diff
  # files changed since a checkpoint
  toolcrib diff before-refactoring --stat
`);
});
