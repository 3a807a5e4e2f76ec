import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from "@modelcontextprotocol/server";
import { type BroughtFile, readProjectFilesOf, readUserFilesOf } from "../../config/brought-files.ts";
import { type CustomCommand, expandCommand, readCommands } from "../../config/commands.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { ProjectLocation } from "../../toolcrib/project-files.ts";
import type { PromptOptions } from "../types.ts";
import type { ApprovalQuestions } from "./approvals.ts";
import { abilitiesOf } from "./call-tool.ts";
import { getOffered, listOfferedPrompts } from "./other-servers.ts";
import { toPage } from "./resources.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";

/** Finds the parameter of a prompt, for completion; undefined when there is none, and for prompts of other servers. */
export type FindParameter = (prompt: string, parameter: string) => Promise<Parameter | undefined>;

/**
 * Answers requests for prompts: the commands and skills of the project and the user, as they are at that moment, and
 * the prompts of other servers.
 */
export function servePrompts(
  server: Server,
  { served, questions }: PromptParts,
  options: PromptOptions,
): FindParameter {
  const read = async () => readPrompts((await served.crib()).project, options);
  const find = async (name: string) => (await read()).find((each) => each.name === name);
  server.setRequestHandler("prompts/list", async ({ params }, context) => {
    const own = (await read()).map(toPrompt);
    const names = new Set(own.map(({ name }) => name));
    const others = (await listOfferedPrompts(served, context)).filter(({ name }) => !names.has(name));
    return toPage("prompts", [...own, ...others], params?.cursor);
  });
  server.setRequestHandler("prompts/get", async ({ params: { name, arguments: given = {} } }, context) => {
    const own = await find(name);
    if (own !== undefined) return toMessage(own, given);
    const parts = { served, questions, client: abilitiesOf(server, context), context };
    const offered = await getOffered(name, given, parts);
    if (offered !== undefined) return offered;
    throw invalid(`There is no prompt ${JSON.stringify(printableLine(name).slice(0, 100))}`);
  });
  return async (prompt, parameter) => {
    const own = await find(prompt);
    return own && parametersOf(own).find(({ name }) => name === parameter);
  };
}

interface PromptParts {
  readonly served: ServedToolcrib;
  readonly questions: ApprovalQuestions;
}

/** Reads commands and, where no command has the name, skills. */
async function readPrompts(
  project: ProjectLocation,
  { configDirectory }: PromptOptions,
): Promise<readonly CustomCommand[]> {
  const [{ commands }, ofProject, ofUser] = await Promise.all([
    readCommands(project, configDirectory),
    readProjectFilesOf("skill", project),
    readUserFilesOf("skill", configDirectory),
  ]);
  const prompts = new Map(commands.map((command) => [command.name, command]));
  for (const skill of [...ofProject.files, ...ofUser.files])
    if (skill.fields.get("description") && !prompts.has(skill.name))
      prompts.set(skill.name, fromSkill(skill));
  return [...prompts.values()];
}

function fromSkill({ name, fields, body, path, from }: BroughtFile): CustomCommand {
  const description = printableLine(fields.get("description") ?? "").slice(0, 1_000);
  const takes = printableLine(fields.get("argument-hint") ?? "").slice(0, 60);
  return { name, description, takes, path, from, body };
}

function toPrompt(command: CustomCommand): Prompt {
  const { name, description } = command;
  const parameters = parametersOf(command).map(({ name: parameter, description: about }) => ({
    name: parameter,
    description: about,
  }));
  return { name, description, arguments: parameters };
}

interface Parameter {
  readonly name: string;
  readonly description: string;
  /** The values of `[low|high]`. */
  readonly choices: readonly string[];
}

/** Returns a parameter for each of `$1`, `$2` …, named after `argument-hint`; otherwise one for everything. */
function parametersOf({ takes, body }: CustomCommand): readonly Parameter[] {
  const used = [...body.matchAll(/\$([1-9])(?!\d)/g)].map(([, digit]) => Number(digit));
  const count = Math.max(0, ...used);
  // The brackets around the whole hint are gone, as if it were a list.
  const hints = takes
    .split(/[\]>]\s*[[<]/.test(takes) ? /[\]>]\s*[[<]/ : /\s+/)
    .map((hint) => hint.replace(/[[\]<>]/g, "").trim())
    .slice(0, count);
  const isNamed = hints.length === count && new Set(hints).size === count && !hints.includes("");
  if (count === 0 || !isNamed || /\$ARGUMENTS\b/.test(body))
    return [{ name: "arguments", description: takes || "Text for the prompt.", choices: [] }];
  return hints.map((hint, index) => {
    const choices = hint.includes("|") ? hint.split("|").map((choice) => choice.trim()) : [];
    const name = choices.length > 0 ? `argument_${index + 1}` : hint.replace(/[^\w.-]+/g, "_");
    return { name, description: hint, choices };
  });
}

function toMessage(command: CustomCommand, given: Readonly<Record<string, string>>): GetPromptResult {
  const names = parametersOf(command).map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw invalid(
      `The prompt ${command.name} has no argument ${JSON.stringify(printableLine(unknown).slice(0, 100))}, only: ${names.join(", ")}`,
    );
  const values = names.map((name) => given[name] ?? "");
  const [first = ""] = values;
  const text =
    names[0] === "arguments"
      ? expandCommand(command, first)
      : expandCommand(command, values.join(" ").trim(), values);
  return {
    description: command.description,
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
