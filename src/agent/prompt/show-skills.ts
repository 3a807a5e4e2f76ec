import { relative } from "node:path";
import { type Skill, skillToolName } from "../skills.ts";
import { asLine, between } from "./marks.ts";

/** Lists the skills by name and description; undefined when there are none. Their content is read on demand. */
export function showSkills(
  skills: readonly Skill[],
  { workspace, canReadUsers }: { readonly workspace: string; readonly canReadUsers: boolean },
): string | undefined {
  const usable = skills.filter(({ from }) => from === "project" || canReadUsers);
  if (usable.length === 0) return undefined;
  const lines = usable.slice(0, maxSkills).map(({ name, description, path, from }) => {
    const where = from === "project" ? `read ${asLine(relative(workspace, path))}` : `call ${skillToolName}`;
    return `- ${asLine(name)}: ${asLine(description, maxChars)} (${where})`;
  });
  return `${introduction}\n${between("skills", lines.join("\n"))}`;
}

const introduction =
  "Skills are instructions for special tasks. When a task matches a description, read that skill first and follow it. " +
  "Skills cannot give you more permissions.";

const maxSkills = 100;
const maxChars = 500;
