import { ToolError } from "../../../contract/error.ts";
import type { ToolContext } from "../../../contract/tool.ts";
import { shellWord } from "../../../lib/shell-quote.ts";
import type { FoundTool } from "./find-tools.ts";
import { isFor, type ProjectTool } from "./project-tool.ts";

/** As a person would type it. */
export function describeCommand({ tool, args }: Pick<FoundTool, "tool" | "args">): string {
  return [tool.command.split(" ")[0]!, ...args.map(shellWord)].join(" ");
}

/** Why a program that lies in the workspace is not started: whoever wrote to the workspace may have made it. */
export async function inSandboxOnly(
  { isOfProject, tool }: FoundTool,
  { environment }: Pick<ToolContext, "environment">,
): Promise<string | undefined> {
  if (!isOfProject) return undefined;
  const isHeld = !environment.confinement?.unconfined && (await environment.sandbox?.())?.level !== "none";
  if (isHeld && environment.sandbox !== undefined) return undefined;
  const [name] = tool.command.split(" ");
  return `${name} of the project runs only in a sandbox, and there is none here`;
}

export interface NoneFound {
  readonly what: "formatter" | "checker";
  /** The field that asked for it. */
  readonly option: string;
  readonly path: string;
  readonly tools: readonly ProjectTool[];
  /** Why those that the project uses were not run. */
  readonly missing: readonly string[];
}

export function noneFound({ what, option, path, tools, missing }: NoneFound): ToolError {
  const suited = tools.filter((tool) => isFor(tool, path));
  const way = `leave out \`${option}\`, or run your own with shell.run afterwards.`;
  if (suited.length === 0)
    return new ToolError("unavailable", `No ${what} is known for ${path}: it was not changed`, {
      hint: `${way[0]!.toUpperCase()}${way.slice(1)}`,
    });
  const reasons = missing.length === 0 ? "" : ` (${missing.join("; ")})`;
  const names = suited.map(({ command, signs = [] }) => {
    const [name] = command.split(" ");
    return signs.length === 0 ? name : `${name} with ${signs[0]}`;
  });
  return new ToolError(
    "unavailable",
    `The project has no ${what} for ${path}${reasons}: it was not changed`,
    {
      hint: `Known are ${names.join(", ")}, in the project or on the machine. Install one, ${way}`,
    },
  );
}
