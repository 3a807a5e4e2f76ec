import { join } from "node:path";
import type { Model } from "../../models/model.ts";
import { userDirectories } from "../../system/directories.ts";
import { readPolicyFile } from "../../system/policy-files.ts";
import type { ProjectFiles, Toolcrib } from "../../toolcrib/index.ts";
import { type Skill, skillToolName } from "../skills.ts";
import { type BaseOptions, basePrompt, familyOf, instructionFiles } from "./base.ts";
import { between } from "./marks.ts";
import { instructionBytes, showProjectInstructions } from "./project-instructions.ts";
import { showSkills } from "./show-skills.ts";
import {
  findSurroundings,
  type Surroundings,
  type SurroundingsOptions,
  showSurroundings,
} from "./surroundings.ts";

export interface SystemOptions
  extends Omit<SurroundingsOptions, "model">,
    Omit<BaseOptions, "family" | "tools" | "protocol"> {
  readonly model: Pick<Model, "id" | "name">;
  readonly dialect: string;
  readonly crib: Pick<
    Toolcrib,
    "workspace" | "isElsewhere" | "target" | "missingPrograms" | "mode" | "addCaller" | "projectFiles"
  >;
  /** Promises let tools and model load while the workspace is inspected. */
  readonly tools: BaseOptions["tools"] | Promise<BaseOptions["tools"]>;
  readonly protocol?: BaseOptions["protocol"] | Promise<BaseOptions["protocol"]>;
  /** The user's instructions, in addition to `instructions.md` in the config directory. */
  readonly instructions?: string | undefined;
  readonly projectInstructions: boolean;
  readonly skills?: readonly Skill[] | undefined;
  readonly configDirectory?: string | undefined;
}

/** Builds the system prompt of a session, which never changes, so that the provider's cache holds. */
export async function buildSystem(options: SystemOptions): Promise<string> {
  const { crib, model, dialect, worksFor, instructions = "" } = options;
  const { configDirectory = userDirectories().config } = options;
  const family = familyOf(dialect, model.name);
  const [surroundings, project, tools, protocol] = await Promise.all([
    findSurroundings(crib, { ...options, model: model.id }),
    options.projectInstructions
      ? crib.projectFiles(instructionFiles[family], instructionBytes)
      : { files: [], refused: [] },
    options.tools,
    options.protocol,
  ]);
  const user = [readPolicyFile(join(configDirectory, "instructions.md")) ?? "", instructions];
  const { skills = [] } = options;
  return composeSystem({ family, tools, surroundings, project, skills, user, worksFor, protocol });
}

export interface SystemParts extends BaseOptions {
  readonly surroundings: Surroundings;
  readonly project: ProjectFiles;
  readonly skills?: readonly Skill[];
  /** The user's instructions. The last takes precedence. */
  readonly user: readonly string[];
}

/** Returns the same prompt, byte for byte, for the same parts. */
export function composeSystem({ surroundings, project, skills = [], user, ...base }: SystemParts): string {
  const own = user.map((text) => text.trim()).filter((text) => text !== "");
  const parts = [
    basePrompt(base),
    showSurroundings(surroundings),
    showProjectInstructions(project, surroundings.workspace),
    showSkills(skills, {
      workspace: surroundings.workspace,
      canReadUsers: base.tools.some(({ name }) => name === skillToolName),
    }),
    own.length > 0 &&
      `The user's instructions. They take precedence over everything above:\n${between("user_instructions", own.join("\n\n"))}`,
  ];
  return parts.filter((part) => part).join("\n\n");
}
