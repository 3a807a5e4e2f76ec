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
const explain = (name: string, ...operands: string[]) =>
  explainCommand(findCommand(name), { options: new Map(), operands });

/** Every line of help that shows what to type, as words. */
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

it("names every command", () => {
  const help = explainEverything();
  for (const { name, summary } of commands)
    expect(help).toMatch(new RegExp(`^ {2}${name} +${summary}$`, "m"));
});

describe.each(commands.map((command) => [command.name, command] as const))(
  "toolcrib help %s",
  (name, command) => {
    it("names every option and shows examples", async () => {
      const help = await explain(name);
      for (const option of optionsOf(command)) expect(help).toContain(`--${option.name}`);
      for (const example of command.examples) expect(help).toContain(`  ${example.command} `);
      expect(command.examples).not.toEqual([]);
    });
  },
);

it("shows only examples that work", async () => {
  const helps = [explainEverything(), ...(await Promise.all(commands.map(({ name }) => explain(name))))];
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
    expect(examples.length).toBe(2);
    for (const words of examples) {
      await check(words);
      const { operands } = parseArguments(words.slice(1), findCommand("call"));
      if (operands[1] === "-") continue;
      expect(await readInput(findTool(tools, name), operands.slice(1))).toEqual(toolExamples[name]);
    }
  });
});
