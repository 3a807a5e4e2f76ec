import { dirname } from "node:path";
import * as z from "zod/mini";
import type { BroughtFile, BroughtFiles } from "../config/brought-files.ts";
import { ToolError } from "../contract/error.ts";
import type { Tool } from "../contract/tool.ts";
import { decodeText } from "../lib/text/encoding.ts";
import { nearest } from "../lib/text/nearest.ts";
import { printable, printableLine } from "../lib/text/printable.ts";
import { realLocation } from "../system/directories.ts";
import { openLocalEnvironment } from "../toolcrib/index.ts";
import type { ProjectLocation } from "../toolcrib/project-files.ts";

/** A skill: a folder with a `SKILL.md`, whose content the model reads when a task needs it. */
export interface Skill {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** The absolute path of its `SKILL.md`. */
  readonly path: string;
  readonly from: "user" | "project";
}

export interface Skills {
  readonly skills: readonly Skill[];
  /** Skills that cannot be used, with file and line. */
  readonly warnings: readonly string[];
}

export const noSkills: Skills = { skills: [], warnings: [] };

/** Reads the skills of the user. `allowed-tools` in them gives no permission: only rules do. */
export async function readUserSkills(configDirectory: string | undefined): Promise<Skills> {
  const { readUserFilesOf } = await import("../config/brought-files.ts");
  return usable(await readUserFilesOf("skill", configDirectory));
}

/** Adds the skills of the project, which take precedence over the user's of the same name. */
export async function withProjectSkills(user: Skills, location: ProjectLocation): Promise<Skills> {
  const { readProjectFilesOf } = await import("../config/brought-files.ts");
  const project = usable(await readProjectFilesOf("skill", location));
  const names = new Set(project.skills.map(({ name }) => name));
  return {
    skills: [...project.skills, ...user.skills.filter(({ name }) => !names.has(name))],
    warnings: [...project.warnings, ...user.warnings],
  };
}

function usable({ files, warnings }: BroughtFiles): Skills {
  const described = files.filter(({ fields }) => fields.get("description"));
  const others = files.filter((file) => !described.includes(file));
  const missing = ({ path }: BroughtFile) => `${printableLine(path)}:1: the front matter has no description`;
  return {
    skills: described.map(({ name, path, from, fields }) => {
      return { name, path, from, description: printableLine(fields.get("description")!) };
    }),
    warnings: [...warnings, ...others.map(missing)],
  };
}

/** The name of the tool that reads the user's skills, which are outside the workspace. */
export const skillToolName = "read_skill";

/** A tool that reads files of the user's skills and nothing else. */
export function skillTool(skills: readonly Skill[]): Tool<{ name: string; path?: string | undefined }> {
  return {
    name: skillToolName,
    description:
      "Read a skill of the user: its SKILL.md, or another file in its folder. Skills cannot be changed.",
    risk: "read",
    input: z.strictObject({
      name: z.string().check(z.describe("The name of the skill.")),
      path: z.optional(z.string().check(z.describe("A file in its folder. Default: SKILL.md."))),
    }),
    limits: { maxChars: 40_000, keep: "head" },
    accesses: () => [],
    async run({ name, path = "SKILL.md" }, { signal }) {
      const skill = skills.find((each) => each.name === name);
      if (skill === undefined) throw unknownSkill(name, skills);
      const environment = openLocalEnvironment({ workspace: realLocation(dirname(skill.path)) });
      try {
        const { bytes } = await environment.readFile(path, { maxBytes, signal });
        return { data: { name, path }, text: printable(decodeText(bytes, "utf-8").text) };
      } finally {
        await environment.close();
      }
    },
  };
}

const maxBytes = 1024 * 1024;

function unknownSkill(name: string, skills: readonly Skill[]): ToolError {
  const names = skills.map((skill) => skill.name);
  const near = nearest(name, names);
  return new ToolError(
    "not-found",
    `There is no skill ${JSON.stringify(printableLine(name).slice(0, 100))}`,
    {
      hint: near ? `Did you mean ${near}?` : `Skills: ${names.join(", ")}`,
    },
  );
}
