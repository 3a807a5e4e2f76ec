import { join } from "node:path";
import type { ToolDefinition } from "../../dialects/definition.ts";
import type { Model } from "../../models/model.ts";
import { userDirectories } from "../../system/directories.ts";
import { readPolicyFile } from "../../system/policy-files.ts";
import type { ProjectFiles, Toolcrib } from "../../toolcrib/index.ts";
import { basePrompt, type Family, familyOf, instructionFiles, type Principal } from "./base.ts";
import { between } from "./marks.ts";
import { instructionBytes, showProjectInstructions } from "./project-instructions.ts";
import {
  findSurroundings,
  type Surroundings,
  type SurroundingsOptions,
  showSurroundings,
} from "./surroundings.ts";

export interface SystemOptions extends Omit<SurroundingsOptions, "model"> {
  readonly model: Pick<Model, "id" | "name">;
  readonly dialect: string;
  readonly crib: Pick<Toolcrib, "workspace" | "mode" | "addCaller" | "projectFiles">;
  /** May be a promise, so that definitions load while the environment is inspected. */
  readonly tools: readonly ToolDefinition[] | Promise<readonly ToolDefinition[]>;
  /** The user's own, in addition to `instructions.md` of the config directory. */
  readonly instructions?: string | undefined;
  readonly projectInstructions: boolean;
  readonly configDirectory?: string | undefined;
  /** Default: a person. */
  readonly worksFor?: Principal | undefined;
}

/** The system prompt of a session. Built once and never changed, so that the provider's cache holds. */
export async function buildSystem(options: SystemOptions): Promise<string> {
  const { crib, model, dialect } = options;
  const family = familyOf(dialect, model.name);
  const [surroundings, project, tools] = await Promise.all([
    findSurroundings(crib, { ...options, model: model.id }),
    options.projectInstructions
      ? crib.projectFiles(instructionFiles[family], instructionBytes)
      : { files: [], refused: [] },
    options.tools,
  ]);
  const person = personInstructions(options);
  return composeSystem({ family, tools, surroundings, project, person, worksFor: options.worksFor });
}

export interface SystemParts {
  readonly family: Family;
  readonly tools: readonly ToolDefinition[];
  readonly surroundings: Surroundings;
  readonly project: ProjectFiles;
  /** In order; the last counts most. */
  readonly person: readonly string[];
  readonly worksFor?: Principal | undefined;
}

/** Pure: the same parts give the same prompt, byte by byte. */
export function composeSystem({
  family,
  tools,
  surroundings,
  project,
  person,
  worksFor,
}: SystemParts): string {
  const parts = [
    basePrompt(family, tools, worksFor),
    showSurroundings(surroundings),
    showProjectInstructions(project, surroundings.workspace),
    person.length === 0 ? undefined : showPersonInstructions(person),
  ];
  return parts.filter((part) => part !== undefined).join("\n\n");
}

function showPersonInstructions(texts: readonly string[]): string {
  return `The person's instructions, which count more than all above:\n${between("person_instructions", texts.join("\n\n"))}`;
}

function personInstructions({
  instructions = "",
  configDirectory = userDirectories().config,
}: Pick<SystemOptions, "instructions" | "configDirectory">): readonly string[] {
  const kept = readPolicyFile(join(configDirectory, "instructions.md")) ?? "";
  return [kept, instructions].map((text) => text.trim()).filter((text) => text !== "");
}
